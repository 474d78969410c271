/* SPDX-License-Identifier: MIT */
#include "tests/support/torture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

size_t torture(torture_fn fn, void *user)
{
    size_t live = fri_live_allocations();
    for (size_t nth = 1;; nth++) {
        fr_error err = FR_ERROR_INIT;
        fri_fail_allocation(nth);
        int rc = fn(user, &err);
        size_t made = fri_fail_allocation(0);
        if (fri_live_allocations() != live)
            fail_msg("%zu allocations left behind when number %zu of %zu fails",
                     fri_live_allocations() - live, nth, made);
        if (made < nth) {
            if (rc)
                fail_msg("failed with all memory there: %s", err.text);
            return made;
        }
        if (rc != FR_ENOMEM || err.code != FR_ENOMEM || err.text[0] == '\0')
            fail_msg("%s, \"%s\" instead of FR_ENOMEM when allocation %zu fails", fr_error_name(rc),
                     err.text, nth);
    }
}
