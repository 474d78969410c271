/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_FILE_TYPE_H
#define FR_EXECUTOR_FILE_TYPE_H

#include "fencerun/str.h"

/*
 * The media type of a file: what its first bytes say, or, of text, what its name's ending says. An ending alone
 * makes no image: who shows a file by its type must not be led by a name. Never NULL; static storage.
 */
const char *fri_file_type(const char *name, fr_str content);

#endif
