/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_DOC_EXAMPLES_H
#define TESTS_SUPPORT_DOC_EXAMPLES_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Examples in a document, each a fence of ten backticks with the info string "example" and options:
 * an input, a line with a dot, and what should come out. In the input, what an editor would hide or change
 * is written as a sign of its own: → is a tab, and each of Unicode's control pictures (␍, ␛, ␡) the control
 * that it shows.
 */

/* Appends what comes out of an input. */
typedef void (*doc_outcome_fn)(fr_str input, const char *options, fri_buf *out);

/* Runs every example of a document, named from the top of the tree, as a test of its own; aborts when
 * there are fewer than `least`. Returns what main() should. */
int run_doc_examples(const char *document, size_t least, doc_outcome_fn outcome);

#endif
