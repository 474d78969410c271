/* SPDX-License-Identifier: MIT */
/* Files inside the library: they need no path at run time, and their version is always ours. */
    .section .rodata
    .balign 16
    .globl fri_keeper_image
    .hidden fri_keeper_image
fri_keeper_image:
    .incbin FRI_KEEPER_FILE
    .globl fri_keeper_image_end
    .hidden fri_keeper_image_end
fri_keeper_image_end:
    .globl fri_python_start
    .hidden fri_python_start
fri_python_start:
    .incbin FRI_PYTHON_START_FILE
    .byte 0
    .globl fri_doctor
    .hidden fri_doctor
fri_doctor:
    .incbin FRI_DOCTOR_FILE
    .byte 0
    .section .note.GNU-stack, "", %progbits
