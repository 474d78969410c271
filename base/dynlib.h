/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_DYNLIB_H
#define FR_BASE_DYNLIB_H

#include <stddef.h>

#include "fencerun/error.h"

/*
 * A shared library that is loaded at its first use, so that a program that never uses it does not pay
 * for it at every start: libcurl alone brings thirty more. Each library has one user in base/, which
 * knows its functions through pointers of the types its own header declares.
 */

/* A function of the library and where its address goes. */
typedef struct fri_dynlib_symbol {
    const char *name;
    void (**slot)(void);
} fri_dynlib_symbol;

#define FRI_DYNLIB_SYMBOL(name, pointer)    \
    {                                       \
        name, (void (**)(void)) & (pointer) \
    }

typedef struct fri_dynlib {
    const char *file;    /* "libcrypto.so.3" */
    const char *purpose; /* what it is wanted for, for the error: "digests" */
    const char *package; /* Debian's name of what to install */
    const fri_dynlib_symbol *symbols;
    size_t count;
    int loaded; /* accessed by several threads */
} fri_dynlib;

/* Loads it unless it is. Stays loaded for the life of the process. Threads: any.
 * Errors: FR_EUNAVAILABLE, with what to install. */
FR_CHECK int fri_dynlib_load(fri_dynlib *library, fr_error *err);

#endif
