/* SPDX-License-Identifier: MIT */
#include "fencerun/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* One line of valid UTF-8, whatever was formatted into it. */
static void make_line(char *text, size_t n)
{
    size_t valid = fri_utf8_valid_prefix(text, n);
    text[valid] = '\0';
    for (size_t i = 0; i < valid; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = ' ';
}

static size_t append_errno(char *text, size_t n, int sys_errno)
{
    char buffer[128];
    const char *name = strerror_r(sys_errno, buffer, sizeof(buffer));
    int m = snprintf(text + n, FR_ERROR_TEXT_SIZE - n, ": %s", name);
    size_t room = FR_ERROR_TEXT_SIZE - n - 1;
    return n + (m < 0 ? 0 : (size_t)m < room ? (size_t)m : room);
}

int fr_fail(fr_error *err, int code, int sys_errno, const char *format, ...)
{
    if (!err)
        return code;
    va_list ap;
    va_start(ap, format);
    int m = vsnprintf(err->text, sizeof(err->text), format, ap);
    va_end(ap);
    size_t room = sizeof(err->text) - 1;
    size_t n = m < 0 ? 0 : (size_t)m < room ? (size_t)m : room;
    if (sys_errno)
        n = append_errno(err->text, n, sys_errno);
    make_line(err->text, n);
    err->code = code;
    err->sys_errno = sys_errno;
    return code;
}

static const struct {
    int code;
    const char *name;
    const char *text;
} errors[] = {{FR_OK, "FR_OK", "ok"},
#define ROW(name, value, text) {FR_##name, "FR_" #name, text},
              FR_ERROR_MAP(ROW)
#undef ROW
};

static const size_t error_count = sizeof(errors) / sizeof(errors[0]);

const char *fr_error_name(int code)
{
    for (size_t i = 0; i < error_count; i++)
        if (errors[i].code == code)
            return errors[i].name;
    return "FR_E?";
}

const char *fr_error_text(int code)
{
    for (size_t i = 0; i < error_count; i++)
        if (errors[i].code == code)
            return errors[i].text;
    return "unknown error";
}
