/* SPDX-License-Identifier: MIT */
#include "loop/hint.h"

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

#define MAX_SHOWN 200

/* Words a statement begins with that is no expression. */
static const char *const statements[] = {
    "assert",   "async",  "await", "break",   "class", "continue", "def",    "del",   "elif",
    "else",     "except", "exec",  "finally", "for",   "from",     "global", "if",    "import",
    "nonlocal", "pass",   "raise", "return",  "try",   "while",    "with",   "yield", "print"};

static fr_str trim(fr_str s)
{
    while (s.n > 0 && fri_is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

/* The last line with something on it that is no comment. */
static fr_str last_line(fr_str code)
{
    for (code = trim(code); code.n > 0; code = trim(code)) {
        const char *start = memrchr(code.p, '\n', code.n);
        size_t at = start ? (size_t)(start + 1 - code.p) : 0;
        fr_str line = fri_str(code.p + at, code.n - at);
        if (line.p[0] != '#')
            return line;
        code.n = at;
    }
    return fri_str("", 0);
}

static size_t word_length(fr_str s)
{
    size_t n = 0;
    while (n < s.n && (fri_is_alnum(s.p[n]) || s.p[n] == '_'))
        n++;
    return n;
}

static int is_statement(fr_str line)
{
    size_t n = word_length(line);
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
        if (strlen(statements[i]) == n && memcmp(statements[i], line.p, n) == 0)
            return 1;
    return 0;
}

static int opens(char c)
{
    return c == '(' || c == '[' || c == '{';
}

static int closes(char c)
{
    return c == ')' || c == ']' || c == '}';
}

/* Behind the string that begins at `i`; the line's end when it does not end on it. */
static size_t skip_string(fr_str line, size_t i)
{
    char quote = line.p[i++];
    while (i < line.n && line.p[i] != quote)
        i += line.p[i] == '\\' ? 2 : 1;
    return i + 1;
}

/* Whether an `=` here assigns: it is none of ==, <=, >=, != and :=. */
static int assigns(fr_str line, size_t i)
{
    return line.p[i] == '=' && !(i + 1 < line.n && line.p[i + 1] == '=') &&
           !(i > 0 && memchr("=<>!:", line.p[i - 1], 5));
}

/* One whole expression: brackets in pairs, and outside them nothing that makes it a statement. */
static int is_expression(fr_str line)
{
    int depth = 0;
    for (size_t i = 0; i < line.n;) {
        char c = line.p[i];
        if (c == '"' || c == '\'') {
            i = skip_string(line, i);
            continue;
        }
        depth += opens(c) - closes(c);
        if (depth < 0 || c == '#' || (depth == 0 && (assigns(line, i) || c == ';' || c == ':')))
            return 0;
        i++;
    }
    return depth == 0 && line.n > 0 && !memchr(":,\\", line.p[line.n - 1], 3);
}

/* Whether the line may be the end of something longer: a line that goes on, or a string of several. */
static int is_part(fr_str code, fr_str line)
{
    return (line.p > code.p + 1 && line.p[-2] == '\\') || memmem(line.p, line.n, "\"\"\"", 3) ||
           memmem(line.p, line.n, "'''", 3);
}

fr_str fri_bare_expression(fr_str code)
{
    fr_str line = last_line(code), none = {"", 0};
    if (line.n == 0 || line.n > MAX_SHOWN || fri_is_space(line.p[0]) || line.p[0] == '@' ||
        closes(line.p[0]) || is_statement(line) || is_part(code, line) || !is_expression(line))
        return none;
    return line;
}
