/* SPDX-License-Identifier: MIT */
#include "fencerun/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Length of a character at p that would end a line or steer a terminal, else 0: the control characters
 * (C0, DEL, C1) and the line separators U+2028 and U+2029. */
static size_t control(const unsigned char *p)
{
    if (p[0] < 0x20 || p[0] == 0x7f)
        return 1;
    if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f)
        return 2;
    return p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9) ? 3 : 0;
}

/* Makes one line of UTF-8 out of n bytes, whatever was formatted into them. A stray byte must not hide
 * what stands behind it, so it becomes '?'. */
static void make_line(char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t end = i + fri_utf8_valid_prefix(text + i, n - i);
        while (i < end) {
            size_t m = control((const unsigned char *)text + i);
            memset(text + i, ' ', m);
            i += m > 0 ? m : 1;
        }
        if (i < n)
            text[i++] = '?';
    }
}

/* Formats behind the n bytes in `text`; returns how many there are then. What does not fit is cut off
 * at a character. */
static FR_PRINTF(3, 0) size_t format_at(char *text, size_t n, const char *format, va_list ap)
{
    size_t room = FR_ERROR_TEXT_SIZE - n;
    int m = vsnprintf(text + n, room, format, ap);
    if (m < 0)
        return n;
    return (size_t)m < room ? n + (size_t)m : fri_utf8_clip(text, n + room - 1);
}

static FR_PRINTF(3, 4) size_t append(char *text, size_t n, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    n = format_at(text, n, format, ap);
    va_end(ap);
    return n;
}

int fr_fail(fr_error *err, int code, int sys_errno, const char *format, ...)
{
    if (!err)
        return code;
    /* Aside, because err->text may be among the arguments. */
    char text[FR_ERROR_TEXT_SIZE], reason[128];
    va_list ap;
    va_start(ap, format);
    size_t n = format_at(text, 0, format, ap);
    va_end(ap);
    if (sys_errno)
        n = append(text, n, ": %s", strerror_r(sys_errno, reason, sizeof(reason)));
    text[n] = '\0';
    make_line(text, n);
    memcpy(err->text, text, n + 1);
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
