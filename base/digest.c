/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include <limits.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/str.h"

static __typeof__(EVP_Q_digest) *q_digest;
static __typeof__(EVP_Q_mac) *q_mac;
static __typeof__(EVP_EncodeBlock) *encode_block;
static __typeof__(EVP_DecodeBlock) *decode_block;

static const fri_dynlib_symbol symbols[] = {
    FRI_DYNLIB_SYMBOL("EVP_Q_digest", q_digest),
    FRI_DYNLIB_SYMBOL("EVP_Q_mac", q_mac),
    FRI_DYNLIB_SYMBOL("EVP_EncodeBlock", encode_block),
    FRI_DYNLIB_SYMBOL("EVP_DecodeBlock", decode_block),
};

static fri_dynlib crypto = {
    "libcrypto.so.3", "digests", "libssl3", symbols, sizeof(symbols) / sizeof(symbols[0]), 0};

static int refused(const char *what, fr_error *err)
{
    return fr_fail(err, FR_ESYSTEM, 0, "libcrypto refuses %s", what);
}

int fri_sha256(fr_str data, unsigned char digest[FRI_SHA256_BYTES], fr_error *err)
{
    int rc = fri_dynlib_load(&crypto, err);
    if (rc)
        return rc;
    size_t n = 0;
    if (!q_digest(NULL, "SHA256", NULL, data.p, data.n, digest, &n) || n != FRI_SHA256_BYTES)
        return refused("SHA-256", err);
    return 0;
}

int fri_hmac_sha256(fr_str key, fr_str data, unsigned char mac[FRI_SHA256_BYTES], fr_error *err)
{
    int rc = fri_dynlib_load(&crypto, err);
    if (rc)
        return rc;
    size_t n = 0;
    /* A key of no bytes at NULL would mean "the key set before". */
    if (!q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key.n ? key.p : "", key.n,
               (const unsigned char *)data.p, data.n, mac, FRI_SHA256_BYTES, &n) ||
        n != FRI_SHA256_BYTES)
        return refused("HMAC with SHA-256", err);
    return 0;
}

void fri_put_hex(fri_buf *out, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fri_buf_printf(out, "%02x", bytes[i]);
}

/* ---- base64 ---- */

/* OpenSSL counts in int. Whole groups, so that pieces join without padding between them. */
#define PIECE (INT_MAX / 4 / 3 * 3)

int fri_put_base64(fri_buf *out, fr_str data, fr_error *err)
{
    int rc = fri_dynlib_load(&crypto, err);
    if (rc)
        return rc;
    for (size_t at = 0, n; at < data.n; at += n) {
        n = data.n - at < PIECE ? data.n - at : PIECE;
        char *room = fri_buf_reserve(out, (n + 2) / 3 * 4);
        if (room)
            fri_buf_grow(out, (size_t)encode_block((unsigned char *)room,
                                                   (const unsigned char *)data.p + at, (int)n));
    }
    return fri_buf_check(out, "base64", err);
}

static int sextet(char c)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(alphabet, c) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

/* How many '=' a well-formed text ends in, or -1. EVP_DecodeBlock is forgiving. */
static int padding_of(fr_str text)
{
    if (text.n % 4 != 0)
        return -1;
    int padding = 0;
    while (padding < 2 && text.n > (size_t)padding && text.p[text.n - 1 - (size_t)padding] == '=')
        padding++;
    for (size_t i = 0; i < text.n - (size_t)padding; i++)
        if (sextet(text.p[i]) < 0)
            return -1;
    if (padding == 0)
        return 0;
    int last = sextet(text.p[text.n - 1 - (size_t)padding]);
    return (last & (padding == 1 ? 0x3 : 0xf)) == 0 ? padding : -1;
}

int fri_get_base64(fri_buf *out, fr_str text, fr_error *err)
{
    int rc = fri_dynlib_load(&crypto, err);
    if (rc)
        return rc;
    int padding = padding_of(text);
    if (padding < 0)
        return fr_fail(err, FR_EFORMAT, 0, "%zu bytes of text are no base64", text.n);
    for (size_t at = 0, n; at < text.n; at += n) {
        n = text.n - at < PIECE / 3 * 4 ? text.n - at : PIECE / 3 * 4;
        char *room = fri_buf_reserve(out, n / 4 * 3);
        if (!room)
            break;
        decode_block((unsigned char *)room, (const unsigned char *)text.p + at, (int)n);
        fri_buf_grow(out, n / 4 * 3 - (at + n == text.n ? (size_t)padding : 0));
    }
    return fri_buf_check(out, "base64", err);
}
