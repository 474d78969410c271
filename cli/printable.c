/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* The character at p and its length. The text is UTF-8; a byte that is not stands for itself. */
static uint32_t decode(const char *p, size_t n, size_t *length)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t want = b[0] < 0xc2 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 1;
    uint32_t c = want == 1 ? b[0] : b[0] & (0xffU >> (want + 1));
    *length = 1;
    if (want > n)
        return b[0];
    for (size_t i = 1; i < want; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return b[0];
        c = c << 6 | (b[i] & 0x3f);
    }
    *length = want;
    return c;
}

/* What a terminal acts upon instead of showing it: control characters (C0, but for TAB, DEL, C1), other line
 * ends, and what turns the direction of writing. */
static const struct {
    uint32_t from, to;
} steering[] = {{0, 0x08},        {0x0a, 0x1f},     {0x7f, 0x9f},    {0x61c, 0x61c},
                {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

static int is_steering(uint32_t c)
{
    for (size_t i = 0; i < sizeof(steering) / sizeof(steering[0]); i++)
        if (c >= steering[i].from && c <= steering[i].to)
            return 1;
    return 0;
}

void cli_put_printable(FILE *to, const char *p, size_t n)
{
    size_t done = 0;
    for (size_t at = 0, length; at < n; at += length) {
        uint32_t c = decode(p + at, n - at, &length);
        int is_stray = length == 1 && c >= 0x80;
        if (!is_stray && !is_steering(c))
            continue;
        fwrite(p + done, 1, at - done, to);
        fprintf(to, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
        done = at + length;
    }
    fwrite(p + done, 1, n - done, to);
}

void cli_put_text(const char *p, size_t n)
{
    if (!isatty(STDOUT_FILENO)) {
        cli_put(p, n);
        return;
    }
    for (size_t at = 0; at < n;) {
        const char *lf = memchr(p + at, '\n', n - at);
        size_t end = lf ? (size_t)(lf - p) : n;
        cli_put_printable(stdout, p + at, end - at);
        cli_put("\n", lf != NULL);
        at = end + 1;
    }
}
