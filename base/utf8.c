/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <string.h>

/* Range of the second byte for a lead byte, and the length of its sequence; 0: no lead byte. */
static size_t sequence(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef) {
        if (lead == 0xe0)
            *low = 0xa0;
        if (lead == 0xed)
            *high = 0x9f;
        return 3;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        if (lead == 0xf0)
            *low = 0x90;
        if (lead == 0xf4)
            *high = 0x8f;
        return 4;
    }
    return 0;
}

/* Looks at the sequence that starts at p (n > 0). Returns how many bytes of it are there and fit;
 * *whole says whether that is all of it. At least 1: a byte that fits nowhere is taken alone. */
static size_t take(const unsigned char *p, size_t n, int *whole)
{
    unsigned char low, high;
    size_t length = sequence(p[0], &low, &high);
    *whole = length == 1;
    if (length < 2)
        return 1;
    size_t i = 1;
    while (i < length && i < n && p[i] >= low && p[i] <= high) {
        low = 0x80;
        high = 0xbf;
        i++;
    }
    *whole = i == length;
    return i;
}

/* Bytes of plain ASCII at the start, eight at a time. */
static size_t ascii_prefix(const unsigned char *p, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t word;
        memcpy(&word, p + i, 8);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (i < n && p[i] < 0x80)
        i++;
    return i;
}

size_t fri_utf8_valid_prefix(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;
    for (;;) {
        i += ascii_prefix(p + i, n - i);
        if (i == n)
            return n;
        int whole;
        size_t m = take(p + i, n - i, &whole);
        if (!whole)
            return i;
        i += m;
    }
}

size_t fri_utf8_first(const char *p, size_t n)
{
    int whole;
    return take((const unsigned char *)p, n, &whole);
}

uint64_t fri_utf8_repair(fri_buf *out, const char *p, size_t n)
{
    uint64_t bad = 0;
    while (n > 0) {
        size_t good = fri_utf8_valid_prefix(p, n);
        fri_buf_append(out, p, good);
        p += good;
        n -= good;
        if (n == 0)
            break;
        size_t m = fri_utf8_first(p, n);
        fri_buf_append(out, "\xef\xbf\xbd", 3);
        bad++;
        p += m;
        n -= m;
    }
    return bad;
}

size_t fri_utf8_clip(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        unsigned char c = p[n - back], low, high;
        if (c < 0x80)
            return n;
        if (c < 0xc0)
            continue;
        int whole;
        size_t length = sequence(c, &low, &high);
        size_t m = take(p + n - back, back, &whole);
        return length > back && m == back ? n - back : n;
    }
    return n;
}

size_t fri_utf8_skip_tail(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;
    while (i < 3 && i < n && (p[i] & 0xc0) == 0x80)
        i++;
    return i;
}

size_t fri_utf8_encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}
