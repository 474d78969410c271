/* SPDX-License-Identifier: MIT */
#ifndef FR_KEEPER_RUN_H
#define FR_KEEPER_RUN_H

#include "executor/sandbox/keeper/keeper.h"

typedef struct fri_keeper {
    const fri_keeper_config *config;
    fri_groups groups;
    fri_launcher launcher;
} fri_keeper;

/* Serves requests until the library closes the socket. */
void fri_keeper_serve(fri_keeper *k);

#endif
