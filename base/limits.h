/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_LIMITS_H
#define FR_BASE_LIMITS_H

/* Every limit on something a model, a program or a file can make large, in one place. */

#define FRI_MIB (1024UL * 1024UL)

/* Extraction. */
#define FRI_MAX_REPLY_BYTES   (256 * FRI_MIB) /* a reply; 50 MB ones are in the tests */
#define FRI_MAX_PARTS         65536
#define FRI_MAX_DELIMITERS    64
#define FRI_MAX_DELIMITER_LEN 256
#define FRI_MAX_LANGUAGES     64

/* JSON. */
#define FRI_MAX_JSON_BYTES  (64 * FRI_MIB)
#define FRI_MAX_JSON_DEPTH  64
#define FRI_MAX_JSON_TOKENS 4000000
#define FRI_MAX_JSON_OUT    (1024 * FRI_MIB) /* a reply's bytes may be six times as long in JSON */

/* Models. */
#define FRI_MAX_ANSWER_BYTES (64 * FRI_MIB)  /* a whole answer, or an event of a stream */
#define FRI_MAX_STREAM_BYTES (256 * FRI_MIB) /* which spends hundreds of bytes on each token */

/* Runs. */
#define FRI_MAX_CODE_BYTES        (64 * FRI_MIB)
#define FRI_MAX_OUTPUT_KEEP_BYTES (256 * FRI_MIB)
#define FRI_MAX_RESULT_TEXT       (1024 * FRI_MIB) /* U+FFFD is three times a bad byte */
#define FRI_MAX_OUTPUT_FILES      1024
#define FRI_MAX_OUTPUT_FILE_BYTES (256 * FRI_MIB) /* of all files of a run together */
#define FRI_MAX_SKIPPED_FILES     1000
#define FRI_MAX_INPUT_FILES       1000
#define FRI_MAX_FILE_NAME         4095

/* What a model is told about writing code: delimiters are the only part of it that varies. */
#define FRI_MAX_INSTRUCTION_BYTES 65536

/* Session state: what is kept of results and invocations. */
#define FRI_MAX_STATE_RESULTS     8
#define FRI_MAX_STATE_TEXT        2000 /* characters of each text of a result */
#define FRI_MAX_STATE_INVOCATIONS 64
#define FRI_MAX_STATE_FILE_BYTES \
    (32 * FRI_MIB) /* of all input files; more would not fit, in base64 */

/* The audit log. */
#define FRI_MAX_AUDIT_RECORD FRI_MAX_JSON_BYTES /* a line, or what a cut-off write left */
#define FRI_MAX_AUDIT_OPEN   (1024 * 1024)      /* runs without an end, while a log is read */

#endif
