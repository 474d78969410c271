/* SPDX-License-Identifier: MIT */
#include "loop/fence.h"

#include <string.h>

#include "base/str.h"

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static fr_str trim(fr_str s)
{
    while (s.n > 0 && is_blank(s.p[s.n - 1]))
        s.n--;
    while (s.n > 0 && is_blank(s.p[0]))
        s = fri_str(s.p + 1, s.n - 1);
    return s;
}

size_t fri_fence_run(const char *p, size_t n)
{
    size_t run = 1;
    while (run < n && p[run] == p[0])
        run++;
    return run;
}

int fri_fence_read(const char *p, size_t n, fri_fence *out)
{
    if (n < 3 || (p[0] != '`' && p[0] != '~'))
        return 0;
    size_t run = fri_fence_run(p, n);
    if (run < 3 || (p[0] == '`' && memchr(p + run, '`', n - run)))
        return 0;
    *out = (fri_fence){p[0], run, trim(fri_str(p + run, n - run))};
    return 1;
}

int fri_fence_closes(const fri_fence *fence, const fri_fence *opener)
{
    return fence->info.n == 0 && fence->mark == opener->mark && fence->length >= opener->length;
}

/* The next piece of s that holds none of `ends`; s is moved behind it. */
static fr_str take_until(fr_str *s, const char *ends)
{
    size_t n = 0;
    while (n < s->n && !is_one_of(s->p[n], ends))
        n++;
    fr_str piece = fri_str(s->p, n);
    *s = fri_str(s->p + n, s->n - n);
    return piece;
}

/* Pandoc's and R Markdown's braces: "{#id .python .numberLines}", "{python, echo=FALSE}". */
static fr_str word_in_braces(fr_str info)
{
    fr_str rest = fri_str(info.p + 1, info.n - 1);
    while (rest.n > 0 && rest.p[0] != '}') {
        fr_str word = take_until(&rest, " \t,}");
        if (word.n > 0 && word.p[0] == '.')
            return fri_str(word.p + 1, word.n - 1);
        if (word.n > 0 && word.p[0] != '#')
            return word;
        if (rest.n > 0 && rest.p[0] != '}')
            rest = fri_str(rest.p + 1, rest.n - 1);
    }
    return fri_str(info.p, 0);
}

fr_str fri_info_word(fr_str info)
{
    if (info.n > 0 && info.p[0] == '{')
        return word_in_braces(info);
    return take_until(&info, " \t,:{");
}

static int is_braced(fr_str s)
{
    return s.n > 1 && s.p[0] == '{' && s.p[s.n - 1] == '}';
}

/* A word as languages and file names are written: what ends in a full stop or holds a quote is part
 * of a sentence. */
static int is_plain_word(fr_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_alnum(s.p[i]) && !is_one_of(s.p[i], "_-+#./:,"))
            return 0;
    return s.n > 0 && is_alnum(s.p[0]) && (is_alnum(s.p[s.n - 1]) || is_one_of(s.p[s.n - 1], "+#"));
}

/* Moves s behind one `key=value` or `key="some value"`. */
static int take_attribute(fr_str *s)
{
    fr_str key = take_until(s, "= \t");
    if (!is_plain_word(key) || s->n < 2 || s->p[0] != '=')
        return 0;
    char quote[2] = {s->p[1], '\0'};
    if (!is_one_of(quote[0], "\"'")) {
        take_until(s, " \t");
        return 1;
    }
    *s = fri_str(s->p + 2, s->n - 2);
    take_until(s, quote);
    if (s->n == 0)
        return 0;
    *s = fri_str(s->p + 1, s->n - 1);
    return s->n == 0 || is_blank(s->p[0]);
}

int fri_info_is_plain(fr_str info)
{
    if (is_braced(info))
        return 1;
    if (!is_plain_word(take_until(&info, " \t{")))
        return 0;
    info = trim(info);
    if (is_braced(info))
        return 1;
    while (info.n > 0) {
        if (!take_attribute(&info))
            return 0;
        info = trim(info);
    }
    return 1;
}
