// First frame of a fiber: on its stack lie the fiber and the function to call with it.
        .text
        .globl  drywarp_fiber_start
        .hidden drywarp_fiber_start
        .type   drywarp_fiber_start, @function
drywarp_fiber_start:
        .cfi_startproc
        .cfi_undefined rip
        popq    %rdi
        popq    %rax
        callq   *%rax
        ud2
        .cfi_endproc
        .size   drywarp_fiber_start, . - drywarp_fiber_start

        .section .note.GNU-stack,"",@progbits
