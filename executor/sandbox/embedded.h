/* SPDX-License-Identifier: MIT */
#ifndef FR_EXECUTOR_SANDBOX_EMBEDDED_H
#define FR_EXECUTOR_SANDBOX_EMBEDDED_H

/* The keeper, an ELF program from here to there. */
extern const char fri_keeper_image[];
extern const char fri_keeper_image_end[];

/* python_start.py, a string. */
extern const char fri_python_start[];

/* doctor.py, a string. */
extern const char fri_doctor[];

#endif
