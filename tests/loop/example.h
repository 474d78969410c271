/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LOOP_EXAMPLE_H
#define TESTS_LOOP_EXAMPLE_H

#include "base/buf.h"

/*
 * Examples of extraction, as docs/extraction.md and tests/data/extract hold them: a reply, options,
 * and what should come out as a text.
 *
 * The options are words: all, run_unterminated, run_untagged, adk, javascript (a second language),
 * delimiters=[py]|[/py], left (also say what is left of the reply).
 *
 * A reply with lines "§ text", "§ thought", "§ executable_code PYTHON", "§ code_execution_result",
 * "§ function_call NAME", "§ image" is made of parts: each is the lines up to the next one, without
 * the last newline.
 *
 * The outcome is, each on lines of its own and only what there is: for each runnable block
 * "LANGUAGE:" and the code, indented by four spaces, with "(no newline)" where its last line has none;
 * "nothing" when no block is runnable; "skipped: INFO (REASON)"; "unterminated"; for a reply
 * of parts, "left: KIND LABEL" and what the part holds, indented likewise. In code, a tab is →, and
 * what is no text is \xHH.
 */
void example_outcome(fr_str reply, const char *options, fri_buf *out);

#endif
