/* SPDX-License-Identifier: MIT */
#include "fencerun/cancel.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"

struct fr_cancel {
    atomic_int raised;
    int fd;
};

int fr_cancel_new(fr_cancel **out, fr_error *err)
{
    fr_cancel *cancel = fri_calloc(1, sizeof(*cancel), err);
    if (!cancel)
        return FR_ENOMEM;
    cancel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (cancel->fd < 0) {
        int rc = fr_fail(err, FR_ESYSTEM, errno, "no descriptor to cancel with");
        fri_free(cancel);
        return rc;
    }
    *out = cancel;
    return 0;
}

void fr_cancel_free(fr_cancel *cancel)
{
    if (!cancel)
        return;
    close(cancel->fd);
    fri_free(cancel);
}

void fr_cancel_raise(fr_cancel *cancel)
{
    int saved = errno;
    if (!atomic_exchange(&cancel->raised, 1))
        eventfd_write(cancel->fd, 1);
    errno = saved;
}

int fr_cancel_raised(const fr_cancel *cancel)
{
    return cancel && atomic_load(&cancel->raised);
}

int fr_cancel_fd(const fr_cancel *cancel)
{
    return cancel ? cancel->fd : -1;
}
