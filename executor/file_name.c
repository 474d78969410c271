/* SPDX-License-Identifier: MIT */
#include "executor/file_name.h"

#include <string.h>

#include "base/utf8.h"

#define MAX_PART 255
#define MAX_NAME 1023

/* The length of the part at p; *is_odd for one that is no name. */
static size_t part_length(const char *p, int *is_odd)
{
    size_t n = strcspn(p, "/");
    *is_odd |= n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.');
    return n;
}

int fri_file_name_is_below(const char *name)
{
    int is_odd = 0;
    for (size_t n; !is_odd; name += n + 1) {
        n = part_length(name, &is_odd);
        if (!name[n])
            break;
    }
    return !is_odd;
}

static int is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static int has_control(const char *name)
{
    for (; *name; name++)
        if (is_control(*name))
            return 1;
    return 0;
}

static size_t longest_part(const char *name)
{
    size_t longest = 0;
    for (size_t n;; name += n + 1) {
        n = strcspn(name, "/");
        longest = n > longest ? n : longest;
        if (!name[n])
            return longest;
    }
}

int fri_file_name_check(const char *name, const char *executor, fr_error *err)
{
    size_t n = strlen(name);
    if (!fri_file_name_is_below(name))
        return fr_fail(err, FR_EINVAL, 0,
                       "%s: the input file '%.100s' is not below the working directory", executor,
                       name);
    if (has_control(name) || fri_utf8_valid_prefix(name, n) < n)
        return fr_fail(err, FR_EINVAL, 0,
                       "%s: the name of the input file '%.100s' has control characters, or is no "
                       "UTF-8",
                       executor, name);
    if (n > MAX_NAME || longest_part(name) > MAX_PART)
        return fr_fail(err, FR_EINVAL, 0, "%s: the name of the input file '%.100s...' is too long",
                       executor, name);
    return 0;
}

int fri_file_names_clash(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return (!a[n] && (!b[n] || b[n] == '/')) || (!b[n] && a[n] == '/');
}

void fri_file_name_put(fri_buf *out, const char *name)
{
    for (size_t n = strlen(name); n > 0;) {
        size_t valid = fri_utf8_valid_prefix(name, n), plain = 0;
        while (plain < valid && !is_control(name[plain]) && name[plain] != '\\')
            plain++;
        fri_buf_append(out, name, plain);
        name += plain;
        n -= plain;
        if (n == 0)
            break;
        fri_buf_printf(out, "\\x%02x", (unsigned char)*name);
        name++;
        n--;
    }
}
