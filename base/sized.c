/* SPDX-License-Identifier: MIT */
#include "base/sized.h"

#include <string.h>

int fri_read_sized(void *dst, size_t dst_size, const void *src, const char *name, fr_error *err)
{
    memset(dst, 0, dst_size);
    size_t size = dst_size;
    if (src) {
        memcpy(&size, src, sizeof(size));
        if (size < sizeof(size) || size > 65536)
            return fr_fail(err, FR_EINVAL, 0,
                           "%s: struct_size is %zu; initialise the struct with its _INIT macro",
                           name, size);
        for (size_t i = dst_size; i < size; i++)
            if (((const unsigned char *)src)[i])
                return fr_fail(err, FR_EABI, 0,
                               "%s: byte %zu is set, which this library is too old to know", name,
                               i);
        memcpy(dst, src, size < dst_size ? size : dst_size);
    }
    memcpy(dst, &dst_size, sizeof(dst_size));
    return 0;
}
