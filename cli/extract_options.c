/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"

int cli_take_extract_option(const char *command, int id, const char *argument,
                            fr_extract_options *options)
{
    switch (id) {
    case CLI_OPT_UNTERMINATED:
        options->run_unterminated = 1;
        return 1;
    case CLI_OPT_UNTAGGED:
        options->run_untagged = 1;
        return 1;
    case CLI_OPT_COMPAT:
        options->compat = FR_COMPAT_ADK;
        if (strcmp(argument, "adk") == 0)
            return 1;
        cli_say("%s: --compat '%s' is not known; 'adk' is", command, argument);
        return CLI_ERROR;
    default:
        return 0;
    }
}
