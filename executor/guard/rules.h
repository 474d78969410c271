/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_GUARD_RULES_H
#define FR_EXECUTOR_GUARD_RULES_H

#include <stddef.h>

/*
 * Rules for lines of stderr. The first set with a pattern that a line matches gives the line its class; a
 * line that matches none is OTHER. Patterns are PCRE2's, over bytes; in a line without its LF.
 */
typedef struct fri_rules {
    const char *start;           /* what every pattern of the set starts with */
    const char *const *patterns; /* until NULL */
    int class;                   /* `fr_stderr` */
    int followed;                /* an indented line right behind belongs to it */
} fri_rules;

#define FRI_RULE_SETS 7

extern const fri_rules fri_stderr_rules[FRI_RULE_SETS];

#endif
