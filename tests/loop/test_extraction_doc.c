/* SPDX-License-Identifier: MIT */
/* Runs the examples of docs/extraction.md: a reply, and the outcome as example.h describes it. */
#include "tests/loop/example.h"
#include "tests/support/doc_examples.h"

int main(void)
{
    return run_doc_examples("docs/extraction.md", 20, example_outcome);
}
