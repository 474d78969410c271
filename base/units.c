/* SPDX-License-Identifier: MIT */
#include "fencerun/units.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"
#include "base/utf8.h"

#define MAX_QUOTED 40 /* bytes of a bad value that its error repeats */

#define MS_PER_S 1000
#define MAX_MS   (INT64_C(24) * 3600 * MS_PER_S)

/* How much of `text` to quote in an error; what is cut off ends in `dots`. */
static int quoted(const char *text, const char **dots)
{
    size_t n = strnlen(text, MAX_QUOTED + 1);
    *dots = n > MAX_QUOTED ? "..." : "";
    return (int)(n > MAX_QUOTED ? fri_utf8_clip(text, MAX_QUOTED) : n);
}

int fr_parse_integer(const char *text, int64_t min, int64_t max, int64_t *out, fr_error *err)
{
    int64_t v = 0;
    int sign_allowed = text[0] != '-' || min < 0;
    if (sign_allowed && fri_signed_decimal(text, strlen(text), &v) == 0 && v >= min && v <= max) {
        *out = v;
        return 0;
    }
    const char *dots;
    int n = quoted(text, &dots);
    return fr_fail(err, FR_EINVAL, 0,
                   "\"%.*s%s\" is not a whole number from %" PRId64 " to %" PRId64, n, text, dots,
                   min, max);
}

/* Binary digits that a size's unit shifts by, or -1. */
static int unit_shift(const char *unit)
{
    static const char letters[] = "kmgt";
    if (unit[0] == '\0')
        return 0;
    const char *letter = strchr(letters, unit[0] | 0x20);
    if (!letter)
        return strcasecmp(unit, "b") == 0 ? 0 : -1;
    const char *rest = unit + 1;
    if (rest[0] != '\0' && strcasecmp(rest, "b") != 0 && strcasecmp(rest, "ib") != 0)
        return -1;
    return 10 * (int)(letter - letters + 1);
}

int fr_parse_size(const char *text, uint64_t *bytes, fr_error *err)
{
    uint64_t v = 0;
    size_t digits = strspn(text, "0123456789");
    int shift = unit_shift(text + digits);
    if (fri_decimal(text, digits, &v) == 0 && v > 0 && shift >= 0 && v <= UINT64_MAX >> shift) {
        *bytes = v << shift;
        return 0;
    }
    const char *dots;
    int n = quoted(text, &dots);
    return fr_fail(err, FR_EINVAL, 0,
                   "\"%.*s%s\" is not a size: use a whole number of bytes above 0, or one with K, "
                   "M, G or T as in 512M",
                   n, text, dots);
}

/* Milliseconds of a duration's unit, or -1. */
static int64_t unit_ms(const char *unit)
{
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = {{"", MS_PER_S},
                 {"ms", 1},
                 {"s", MS_PER_S},
                 {"m", INT64_C(60) * MS_PER_S},
                 {"h", INT64_C(3600) * MS_PER_S}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].ms;
    return -1;
}

/* The part of `unit` that decimals say, to the nearest millisecond. With the first twelve of them the
 * product fits; those behind are finer than any clock. */
static int64_t fraction_of(int64_t unit, const char *digits, size_t n)
{
    int64_t value = 0, whole = 1;
    for (size_t i = 0; i < n && i < 12; i++) {
        value = value * 10 + (digits[i] - '0');
        whole *= 10;
    }
    return (unit * value + whole / 2) / whole;
}

/* The milliseconds `text` means, or -1. */
static int64_t duration(const char *text)
{
    uint64_t whole;
    size_t digits = strspn(text, "0123456789");
    const char *fraction = text + digits, *unit = fraction;
    size_t decimals = 0;
    if (*fraction == '.') {
        decimals = strspn(++fraction, "0123456789");
        if (decimals == 0)
            return -1;
        unit = fraction + decimals;
    }
    int64_t ms = unit_ms(unit);
    if (ms < 0 || fri_decimal(text, digits, &whole) || whole > (uint64_t)(MAX_MS / ms))
        return -1;
    return (int64_t)whole * ms + fraction_of(ms, fraction, decimals);
}

int fr_parse_duration(const char *text, int64_t *milliseconds, fr_error *err)
{
    int64_t ms = duration(text);
    if (ms >= 1 && ms <= MAX_MS) {
        *milliseconds = ms;
        return 0;
    }
    const char *dots;
    int n = quoted(text, &dots);
    return fr_fail(err, FR_EINVAL, 0,
                   "\"%.*s%s\" is not a duration: use 30s, 1.5s, 200ms, 2m or 1h, from 1ms to 24h",
                   n, text, dots);
}
