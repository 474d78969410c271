/* SPDX-License-Identifier: MIT */
#include "fencerun/version.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char *fr_version(void)
{
    return TEXT(FR_VERSION_MAJOR) "." TEXT(FR_VERSION_MINOR) "." TEXT(FR_VERSION_PATCH);
}
