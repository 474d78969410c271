/* SPDX-License-Identifier: MIT */
/*
 * The first two bytes are the limits of a clip, the third says where a gap is, the rest is what a program
 * printed. Cleaned it has no controls left, is UTF-8, and stays as it is when it is cleaned again; clipped it
 * is within its limits; and it has a class.
 */
#include <string.h>

#include "base/buf.h"
#include "base/clip.h"
#include "base/str.h"
#include "base/utf8.h"
#include "executor/guard/classify.h"
#include "executor/guard/clean.h"
#include "fencerun/code.h"
#include "tests/fuzz/fuzz.h"

#define GAP_LINE "[... 9 bytes left out ...]\n"

static int is_utf8(fr_str s)
{
    return fri_utf8_valid_prefix(s.p, s.n) == s.n;
}

static void check_clean(fr_str text, fri_buf *cleaned)
{
    fri_buf again;
    fri_buf_init(cleaned, 1 << 24);
    fri_buf_init(&again, 1 << 24);
    fri_clean(cleaned, text);
    fr_str left = fri_buf_str(cleaned);
    FUZZ_CHECK(left.n <= text.n);
    FUZZ_CHECK(is_utf8(left));
    for (size_t i = 0; i < left.n; i++) {
        unsigned char c = (unsigned char)left.p[i];
        FUZZ_CHECK((c >= 0x20 || c == '\t' || c == '\n') && c != 0x7f);
        FUZZ_CHECK(c != 0xc2 || (unsigned char)left.p[i + 1] >= 0xa0);
    }
    FUZZ_CHECK(fri_clean(&again, left) == 0 && fri_str_equal(left, fri_buf_str(&again)));
    fri_buf_dispose(&again);
}

static size_t count_characters(fr_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static size_t count_lines(fr_str s)
{
    size_t n = s.n > 0 && s.p[s.n - 1] != '\n';
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n';
    return n;
}

/* The text with a gap behind one of its lines. */
static fri_gap put_gap(fri_buf *out, fr_str text, size_t where)
{
    fri_gap gap = {where < text.n ? where : text.n, 0, 9, 0};
    while (gap.at > 0 && text.p[gap.at - 1] != '\n')
        gap.at--;
    fri_buf_append(out, text.p, gap.at);
    if (where % 2 > 0) {
        fri_buf_puts(out, GAP_LINE);
        gap.n = strlen(GAP_LINE);
    }
    fri_buf_append(out, text.p + gap.at, text.n - gap.at);
    return gap;
}

/* What may stand in a clipped text without counting: the marker and the LF before it, and the gap. A line that
 * the marker cuts in two is one. */
static void check_limits(fr_str clipped, const fri_clip_limits *limits, size_t gap, size_t left)
{
    char marker[64];
    int kept = gap > 0 && strstr(clipped.p, GAP_LINE) != NULL;
    snprintf(marker, sizeof(marker), "[... %zu characters%s left out ...]\n", left,
             gap > 0 && !kept ? " and 9 bytes" : "");
    FUZZ_CHECK(left == 0 || strstr(clipped.p, marker));
    size_t more = (left > 0 ? strlen(marker) + 1 : 0) + (kept ? gap : 0);
    size_t more_lines = (left > 0 ? 2 : 0) + (size_t)kept;
    FUZZ_CHECK(!limits->max_chars || count_characters(clipped) <= limits->max_chars + more);
    FUZZ_CHECK(!limits->max_lines || count_lines(clipped) <= limits->max_lines + more_lines);
}

static void check_clip(fr_str text, const uint8_t *choice)
{
    fri_buf with_gap, out;
    const fri_clip_limits limits = {choice[0], choice[1] % 16};
    fri_buf_init(&with_gap, 1 << 24);
    fri_buf_init(&out, 1 << 24);
    fri_gap gap = put_gap(&with_gap, text, choice[2]);
    const size_t gap_n = gap.n;
    size_t characters = fri_clip(&out, fri_buf_str(&with_gap), &limits, &gap);
    fr_str clipped = fri_buf_str(&out);
    FUZZ_CHECK(is_utf8(clipped));
    FUZZ_CHECK(gap.at + gap.n <= clipped.n);
    if (gap.n > 0) {
        const char *line = clipped.p + gap.at;
        FUZZ_CHECK(line[gap.n - 1] == '\n' && memcmp(line + (*line == '\n'), "[... ", 5) == 0);
    }
    FUZZ_CHECK(characters > 0 || fri_str_equal(clipped, fri_buf_str(&with_gap)));
    check_limits(clipped, &limits, gap_n, characters);
    fri_buf_dispose(&with_gap);
    fri_buf_dispose(&out);
}

static int class_of(fr_str text)
{
    static fri_classifier *classifier;
    int class = -1;
    if (!classifier)
        FUZZ_CHECK(fri_classifier_new(&classifier, NULL) == 0);
    FUZZ_CHECK(fri_classify(classifier, text, &class, NULL) == 0);
    FUZZ_CHECK(class >= FR_STDERR_EMPTY && class <= FR_STDERR_ERROR);
    return class;
}

static void check_classify(fr_str text)
{
    fri_buf longer;
    fri_buf_init(&longer, 1 << 24);
    int class = class_of(text);
    fri_buf_append(&longer, text.p, text.n);
    fri_buf_puts(&longer, "\nTraceback (most recent call last):\n");
    FUZZ_CHECK(class_of(fri_buf_str(&longer)) == FR_STDERR_ERROR);
    FUZZ_CHECK(class == FR_STDERR_ERROR || !strstr(text.p, "\nTraceback (most recent call last)"));
    fri_buf_dispose(&longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fri_buf text, cleaned;
    if (size < 3)
        return 0;
    fri_buf_init(&text, 1 << 24);
    fri_utf8_repair(&text, (const char *)data + 3, size - 3);
    check_clean(fri_buf_str(&text), &cleaned);
    check_clip(fri_buf_str(&cleaned), data);
    check_classify(fri_buf_str(&cleaned));
    fri_buf_dispose(&text);
    fri_buf_dispose(&cleaned);
    return 0;
}
