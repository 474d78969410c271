/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_IO_H
#define FR_BASE_IO_H

#include <stddef.h>
#include <stdint.h>

/* Writes all of it, whatever the kernel takes at a time. 0, or -1 with errno. */
int fri_write_all(int fd, const void *p, size_t n);

/* Waits until a descriptor can be read from; -1 never can. 1: it can; 0: the milliseconds are over. */
int fri_wait_readable(int fd, int64_t ms);

#endif
