/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_BANNED_H
#define FR_BASE_BANNED_H

/* Functions that are easy to use wrongly become compile errors. Included by the compiler's command
 * line (-include) for everything but tests and samples, after the system headers that declare them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok atoi atol atoll
#pragma GCC poison strtol strtoul strtoll strtoull strtod gmtime localtime ctime asctime
#undef alloca
#pragma GCC poison system popen alloca tmpnam mktemp

#endif
