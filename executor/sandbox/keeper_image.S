/* SPDX-License-Identifier: MIT */
/* The keeper program, inside the library: it needs no path, and its version is always ours. */
    .section .rodata
    .balign 16
    .globl fri_keeper_image
    .hidden fri_keeper_image
fri_keeper_image:
    .incbin FRI_KEEPER_FILE
    .globl fri_keeper_image_end
    .hidden fri_keeper_image_end
fri_keeper_image_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
