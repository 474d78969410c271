/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What libFuzzer and standalone.c call, by a name that libFuzzer gives. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    abort();
}

/* A property that every input must have: an assert() that no build type removes. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #condition))

#endif
