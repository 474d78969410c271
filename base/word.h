/* SPDX-License-Identifier: MIT */
#ifndef FR_BASE_WORD_H
#define FR_BASE_WORD_H

#include <stddef.h>

/* The words of an enum. FRI_WORD makes a row of a table of each X(NAME, value, "word") of an enum's map. */
typedef struct fri_word {
    int value;
    const char *text;
} fri_word;

#define FRI_WORD(name, value, text) {(value), text},

/* The word of that value; "unknown" when there is none. */
static inline const char *fri_word_text(const fri_word *words, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (words[i].value == value)
            return words[i].text;
    return "unknown";
}

#define FRI_WORD_TEXT(words, value) \
    fri_word_text((words), sizeof(words) / sizeof((words)[0]), (value))

#endif
