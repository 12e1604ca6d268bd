// void drywarp_switch_stack(void** save, void* load)
// Saves the callee-saved registers of the System V ABI on the current stack and its pointer in *save, then does the
// reverse from `load`. MXCSR and the x87 control word stay as they are: nothing here changes them.
        .text
        .globl  drywarp_switch_stack
        .hidden drywarp_switch_stack
        .type   drywarp_switch_stack, @function
drywarp_switch_stack:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .cfi_endproc
        .size   drywarp_switch_stack, . - drywarp_switch_stack

// First frame of a fiber: the fiber is in %r12, the function to call in %r13.
        .globl  drywarp_fiber_start
        .hidden drywarp_fiber_start
        .type   drywarp_fiber_start, @function
drywarp_fiber_start:
        .cfi_startproc
        .cfi_undefined rip
        movq    %r12, %rdi
        callq   *%r13
        ud2
        .cfi_endproc
        .size   drywarp_fiber_start, . - drywarp_fiber_start

        .section .note.GNU-stack,"",@progbits
