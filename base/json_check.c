/* SPDX-License-Identifier: MIT */
/*
 * Theory of operation
 *
 * One pass over the text, byte by byte, with a stack of the open containers instead of recursion, so
 * that a hostile document costs no more than its length. Between tokens the checker knows what may
 * come next (`enum expect`); a token is checked where it starts and leaves the position behind it.
 *
 * Outside strings a NUL byte fits nowhere, so peek() may return one for the end of the text. The end
 * itself is only ever decided by the position.
 */
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/utf8.h"

enum expect {
    VALUE,
    VALUE_OR_END, /* just behind '[' */
    KEY,
    KEY_OR_END, /* just behind '{' */
    COLON,
    COMMA_OR_END /* behind a value; at depth 0: the end of the text */
};

typedef struct checker {
    const char *text;
    size_t n;
    size_t at;
    int surrogates;
    size_t tokens;
    size_t depth;
    enum expect expect;
    char closer[FRI_MAX_JSON_DEPTH]; /* what ends each open container */
    fr_error *err;
} checker;

static char peek(const checker *c)
{
    return c->at < c->n ? c->text[c->at] : '\0';
}

/* ---- Errors ---- */

/* Line and column of a position, both from 1; a column is a character, as editors count. All bytes
 * before the position are known to be UTF-8. */
static void locate(const checker *c, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < c->at; i++) {
        if (c->text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if ((c->text[i] & 0xc0) != 0x80) {
            ++*column;
        }
    }
}

static void describe(const checker *c, char *out, size_t size)
{
    unsigned char b = (unsigned char)peek(c);
    if (c->at == c->n)
        snprintf(out, size, "the end of the text");
    else if (c->n - c->at >= 3 && memcmp(c->text + c->at, "\xef\xbb\xbf", 3) == 0)
        snprintf(out, size, "a byte order mark");
    else if (b > 0x20 && b < 0x7f)
        snprintf(out, size, "'%c'", b);
    else
        snprintf(out, size, "byte 0x%02x", b);
}

static int malformed(const checker *c, const char *expected)
{
    size_t line, column;
    char found[32];
    locate(c, &line, &column);
    describe(c, found, sizeof(found));
    return fr_fail(c->err, FR_EFORMAT, 0,
                   "malformed JSON at line %zu, column %zu: expected %s, found %s", line, column,
                   expected, found);
}

static int count_token(checker *c)
{
    if (c->tokens == FRI_MAX_JSON_TOKENS)
        return fr_fail(c->err, FR_ELIMIT, 0, "JSON of more than %d keys and values",
                       FRI_MAX_JSON_TOKENS);
    c->tokens++;
    return 0;
}

/* ---- Strings ---- */

/* Four hex digits, behind "\u". */
static int check_hex(checker *c, unsigned *out)
{
    unsigned v = 0;
    for (int i = 0; i < 4; i++, c->at++) {
        int digit = fri_hex_value(peek(c));
        if (digit < 0)
            return malformed(c, "four hex digits behind \\u");
        v = v << 4 | (unsigned)digit;
    }
    *out = v;
    return 0;
}

static int is_high(unsigned unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static int is_low(unsigned unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* A \u escape; a high surrogate takes the low one behind it along. */
static int check_unicode_escape(checker *c)
{
    size_t start = c->at - 2;
    unsigned unit = 0, second = 0;
    if (check_hex(c, &unit))
        return FR_EFORMAT;
    if (is_high(unit) && c->n - c->at >= 2 && memcmp(c->text + c->at, "\\u", 2) == 0) {
        size_t behind = c->at;
        c->at += 2;
        if (check_hex(c, &second))
            return FR_EFORMAT;
        if (is_low(second))
            return 0;
        c->at = behind; /* it may be the first half of a pair itself */
    }
    if (c->surrogates == FRI_JSON_REFUSE && (is_high(unit) || is_low(unit))) {
        c->at = start;
        return malformed(c, "a pair of surrogates, not one alone");
    }
    return 0;
}

static int check_escape(checker *c)
{
    c->at++;
    char b = peek(c);
    if (b == '\0' || !strchr("\"\\/bfnrtu", b))
        return malformed(c, "one of \" \\ / b f n r t u behind a backslash");
    c->at++;
    return b == 'u' ? check_unicode_escape(c) : 0;
}

/* Skips what stands for itself in a string; its bytes must be UTF-8. */
static int check_plain(checker *c)
{
    size_t end = c->at;
    while (end < c->n && (unsigned char)c->text[end] >= 0x20 && c->text[end] != '"' &&
           c->text[end] != '\\')
        end++;
    c->at += fri_utf8_valid_prefix(c->text + c->at, end - c->at);
    return c->at == end ? 0 : malformed(c, "UTF-8");
}

static int check_string(checker *c)
{
    c->at++;
    for (;;) {
        if (check_plain(c))
            return FR_EFORMAT;
        char b = peek(c);
        if (b == '"')
            break;
        if (c->at == c->n)
            return malformed(c, "a closing quote");
        if (b != '\\')
            return malformed(c, "control characters to be escaped");
        if (check_escape(c))
            return FR_EFORMAT;
    }
    c->at++;
    return count_token(c);
}

/* ---- Other scalars ---- */

static int check_digits(checker *c)
{
    if (!fri_is_digit(peek(c)))
        return malformed(c, "a digit");
    while (fri_is_digit(peek(c)))
        c->at++;
    return 0;
}

static int check_number(checker *c)
{
    if (peek(c) == '-')
        c->at++;
    if (peek(c) == '0')
        c->at++;
    else if (check_digits(c))
        return FR_EFORMAT;
    if (peek(c) == '.') {
        c->at++;
        if (check_digits(c))
            return FR_EFORMAT;
    }
    if (peek(c) == 'e' || peek(c) == 'E') {
        c->at++;
        if (peek(c) == '+' || peek(c) == '-')
            c->at++;
        if (check_digits(c))
            return FR_EFORMAT;
    }
    return count_token(c);
}

static int check_word(checker *c, const char *expected)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i]);
        if (c->n - c->at >= n && memcmp(c->text + c->at, words[i], n) == 0) {
            c->at += n;
            return count_token(c);
        }
    }
    return malformed(c, expected);
}

/* ---- Structure ---- */

static int open_container(checker *c, char closer, enum expect expect)
{
    if (c->depth == FRI_MAX_JSON_DEPTH) {
        size_t line, column;
        locate(c, &line, &column);
        return fr_fail(c->err, FR_ELIMIT, 0, "JSON nested deeper than %d at line %zu, column %zu",
                       FRI_MAX_JSON_DEPTH, line, column);
    }
    c->closer[c->depth++] = closer;
    c->at++;
    c->expect = expect;
    return count_token(c);
}

static int close_container(checker *c)
{
    c->depth--;
    c->at++;
    c->expect = COMMA_OR_END;
    return 0;
}

static int check_value(checker *c, const char *expected)
{
    char b = peek(c);
    if (b == '{')
        return open_container(c, '}', KEY_OR_END);
    if (b == '[')
        return open_container(c, ']', VALUE_OR_END);
    c->expect = COMMA_OR_END;
    if (b == '"')
        return check_string(c);
    if (b == '-' || fri_is_digit(b))
        return check_number(c);
    return check_word(c, expected);
}

static int check_key(checker *c, const char *expected)
{
    if (peek(c) != '"')
        return malformed(c, expected);
    c->expect = COLON;
    return check_string(c);
}

static int check_colon(checker *c)
{
    if (peek(c) != ':')
        return malformed(c, "':'");
    c->at++;
    c->expect = VALUE;
    return 0;
}

static int check_separator(checker *c)
{
    if (c->depth == 0)
        return malformed(c, "the end of the text");
    char closer = c->closer[c->depth - 1];
    if (peek(c) == closer)
        return close_container(c);
    if (peek(c) != ',')
        return malformed(c, closer == '}' ? "',' or '}'" : "',' or ']'");
    c->at++;
    c->expect = closer == '}' ? KEY : VALUE;
    return 0;
}

static int check_token(checker *c)
{
    switch (c->expect) {
    case VALUE:
        return check_value(c, "a value");
    case VALUE_OR_END:
        return peek(c) == ']' ? close_container(c) : check_value(c, "a value or ']'");
    case KEY:
        return check_key(c, "a key in double quotes");
    case KEY_OR_END:
        return peek(c) == '}' ? close_container(c) : check_key(c, "a key in double quotes or '}'");
    case COLON:
        return check_colon(c);
    case COMMA_OR_END:
        break;
    }
    return check_separator(c);
}

static void skip_blanks(checker *c)
{
    while (peek(c) == ' ' || peek(c) == '\n' || peek(c) == '\t' || peek(c) == '\r')
        c->at++;
}

int fri_json_check(const char *text, size_t n, int surrogates, size_t *tokens, fr_error *err)
{
    if (n > FRI_MAX_JSON_BYTES)
        return fr_fail(err, FR_ELIMIT, 0, "JSON of %zu bytes is longer than %lu", n,
                       FRI_MAX_JSON_BYTES);
    checker c = {.text = text, .n = n, .surrogates = surrogates, .expect = VALUE, .err = err};
    for (;;) {
        skip_blanks(&c);
        if (c.at == n && c.depth == 0 && c.expect == COMMA_OR_END)
            break;
        int rc = check_token(&c);
        if (rc)
            return rc;
    }
    *tokens = c.tokens;
    return 0;
}
