/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_SANDBOX_H
#define FENCERUN_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

/**
 * Options of the executor "sandbox", for fr_executor_options.config. It runs code in fresh Linux
 * namespaces under a read-only root, needs no engine and no privilege, and refuses to run where the
 * kernel withholds something its isolation rests on. What it promises and what not: SECURITY.md.
 */

/** A language of one's own, or another way to run one of the sandbox's: python, bash, sh, javascript. A name that
 * is there already is replaced. Fixed layout. */
typedef struct fr_sandbox_language {
    const char *name;         /**< what results and receipts call it: "ruby" */
    const char *const *words; /**< info-string words, NULL-terminated; NULL: its name alone */
    uint32_t flags;           /**< FR_LANGUAGE_… */
    const char *interpreter;  /**< absolute path in the run's root: "/usr/bin/ruby" */
    const char *const
        *args; /**< between the interpreter and the code's path, NULL-terminated; or NULL */
    const char *suffix; /**< of the code's file: ".rb"; NULL: none */
} fr_sandbox_language;

/** Something of the host's that runs can read: a data set, a virtual environment. Never writable. Fixed layout. */
typedef struct fr_sandbox_mount {
    const char
        *source; /**< a directory or a file; links are followed when the executor is opened */
    const char *
        target; /**< absolute path in the run's root, not below what is there already; NULL: `source` */
} fr_sandbox_mount;

/** Zero means default. What it points to is copied. Members are only ever added at the end. */
typedef struct fr_sandbox_options {
    size_t struct_size;
    /** Directory that becomes the run's root, read-only: an unpacked image with usr/bin/python3 in
     * it. NULL: the host's /usr under an otherwise made-up root. */
    const char *root;
    /** Not 0: opening does not wait until a first sandbox stands. What the system withholds
     * (FR_EUNAVAILABLE) is then told by the first run or probe. */
    int32_t no_wait;
    const fr_sandbox_language *languages; /**< beside those there are; at most 28 */
    size_t language_count;
    const fr_sandbox_mount *mounts;
    size_t mount_count;
} fr_sandbox_options;

#define FR_SANDBOX_OPTIONS_INIT                      \
    {                                                \
        sizeof(fr_sandbox_options), 0, 0, 0, 0, 0, 0 \
    }

#endif
