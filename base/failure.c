/* SPDX-License-Identifier: MIT */
#include "base/failure.h"

#include <string.h>

int fri_failure_of(const char *kind, const char *name, int rc, const fr_error *why, fr_error *err)
{
    if (rc == 0)
        return 0;
    if (strcmp(fr_error_name(rc), "FR_E?") == 0)
        return fr_fail(err, FR_EINTERNAL, 0, "%s %s returned %d, which is no error", kind, name,
                       rc);
    if (!why->text[0])
        return fr_fail(err, rc, 0, "%s %s: %s", kind, name, fr_error_text(rc));
    if (err)
        *err = *why;
    return rc;
}
