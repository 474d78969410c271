/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_IO_H
#define FR_BASE_IO_H

#include <stddef.h>

/* Writes all of it, whatever the kernel takes at a time. 0, or -1 with errno. */
int fri_write_all(int fd, const void *p, size_t n);

#endif
