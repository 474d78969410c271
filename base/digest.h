/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_DIGEST_H
#define FR_BASE_DIGEST_H

#include <stddef.h>

#include "base/buf.h"

/* SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104) and base64 (RFC 4648), by OpenSSL's libcrypto, which is
 * loaded when the first of these is called. Threads: any. All may fail with FR_EUNAVAILABLE (no
 * libcrypto) and FR_ESYSTEM (it refuses, as in some FIPS set-ups). */

#define FRI_SHA256_BYTES 32

FR_CHECK int fri_sha256(fr_str data, unsigned char digest[FRI_SHA256_BYTES], fr_error *err);

FR_CHECK int fri_hmac_sha256(fr_str key, fr_str data, unsigned char mac[FRI_SHA256_BYTES],
                             fr_error *err);

/* Appends lower-case hexadecimal digits. */
void fri_put_hex(fri_buf *out, const unsigned char *bytes, size_t n);

/* Appends base64 with padding, on one line. */
FR_CHECK int fri_put_base64(fri_buf *out, fr_str data, fr_error *err);

/* Appends what base64 stands for. Strict: whole groups, padding where it belongs, no white space and no
 * bits left over. Errors besides: FR_EFORMAT. */
FR_CHECK int fri_get_base64(fri_buf *out, fr_str text, fr_error *err);

#endif
