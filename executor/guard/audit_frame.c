/* SPDX-License-Identifier: MIT */
#include "executor/guard/audit_frame.h"

#include <string.h>

#include "base/digest.h"
#include "base/digits.h"
#include "base/str.h"

#define HEAD       "{\"seq\":"
#define PREV       ",\"prev\":\""
#define HASH       "\",\"hash\":\""
#define END        "\"}"
#define DIGITS     64
#define END_LEN    (sizeof(END) - 1 + DIGITS + sizeof(HASH) - 1 + DIGITS + sizeof(PREV) - 1)
#define MAX_NUMBER 18 /* digits, so that no sequence number can overflow */

const char fri_audit_no_hash[65] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* Takes `word` off the front. */
static int take(fr_str *s, const char *word)
{
    size_t n = strlen(word);
    if (s->n < n || memcmp(s->p, word, n) != 0)
        return -1;
    *s = fri_str(s->p + n, s->n - n);
    return 0;
}

static int take_hash(fr_str *s, char hash[65])
{
    if (s->n < DIGITS)
        return -1;
    for (size_t i = 0; i < DIGITS; i++)
        if (fri_hex_value(s->p[i]) < 0)
            return -1;
    memcpy(hash, s->p, DIGITS);
    hash[DIGITS] = '\0';
    *s = fri_str(s->p + DIGITS, s->n - DIGITS);
    return 0;
}

/* A number as we write them: no sign, no zeros in front, not 0. */
static int take_sequence(fr_str *s, uint64_t *sequence)
{
    size_t n = 0;
    while (n < s->n && fri_is_digit(s->p[n]))
        n++;
    if (n > MAX_NUMBER || s->n == 0 || s->p[0] == '0' || fri_decimal(s->p, n, sequence))
        return -1;
    *s = fri_str(s->p + n, s->n - n);
    return 0;
}

int fri_audit_read_frame(fr_str line, fri_audit_frame *out)
{
    fr_str rest = line;
    if (line.n < END_LEN || take(&rest, HEAD) || take_sequence(&rest, &out->mark.sequence))
        return -1;
    if (rest.n <= END_LEN || rest.p[0] != ',')
        return -1;
    rest = fri_str(line.p + line.n - END_LEN, END_LEN);
    if (take(&rest, PREV) || take_hash(&rest, out->prev))
        return -1;
    out->hashed = fri_str(line.p, (size_t)(rest.p - line.p) + 1); /* with the quote behind `prev` */
    if (take(&rest, HASH) || take_hash(&rest, out->mark.hash))
        return -1;
    return take(&rest, END);
}

int fri_audit_hash(fr_str bytes, char hash[65], fr_error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[FRI_SHA256_BYTES];
    int rc = fri_sha256(bytes, digest, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < FRI_SHA256_BYTES; i++) {
        hash[2 * i] = digits[digest[i] >> 4];
        hash[2 * i + 1] = digits[digest[i] & 15];
    }
    hash[DIGITS] = '\0';
    return 0;
}

int fri_audit_check_hash(const fri_audit_frame *frame, int *match, fr_error *err)
{
    char hash[65];
    int rc = fri_audit_hash(frame->hashed, hash, err);
    if (rc == 0)
        *match = memcmp(hash, frame->mark.hash, sizeof(hash)) == 0;
    return rc;
}
