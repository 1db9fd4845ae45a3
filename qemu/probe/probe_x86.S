// SPDX-License-Identifier: Apache-2.0
//
// A guest of 64 KiB that does what every operating system does and little else: real mode, protected
// mode, 64-bit mode with paging, a page fault handled, the page tables reloaded 2000 times, user
// mode and a system call back from it. Then it ends QEMU with exit code 33 through isa-debug-exit.
// Each step prints a letter on the debug console, so that the last one tells how far a broken host
// came: R P L F C U, or X when memory did not hold what was written.
//
// Assembled to a flat image; it runs at 0xf0000, where QEMU shows the last 64 KiB of the firmware.

#define DEBUG_CONSOLE 0xe9
#define DEBUG_EXIT 0xf4
#define EXIT_VALUE 0x10             /* QEMU exits with (value << 1) | 1 = 33 */
#define RELOADS 2000

/* Guest memory, all below 32 KiB. */
#define PAGE_MAP 0x1000             /* level 4 */
#define PAGE_POINTERS 0x2000        /* level 3 */
#define PAGE_DIRECTORY 0x3000       /* level 2: eight pages of 2 MiB */
#define INTERRUPT_TABLE 0x5000
#define TASK_STATE 0x6100
#define DESCRIPTORS 0x6800          /* writable copy of the segment table */
#define KERNEL_STACK 0x7000
#define USER_STACK 0x7800
#define SYSTEM_CALL_STACK 0x7f00
#define LARGE_PAGE 0x200000
#define PRESENT_LARGE_USER 0x87
#define PRESENT_USER 0x07
#define MISSING_PAGE 7              /* 14 MiB to 16 MiB: mapped by the page fault handler */
#define MISSING_ADDRESS (MISSING_PAGE * LARGE_PAGE)
#define MAPPED_ADDRESS 0x700000

/* Selectors. */
#define CODE64 0x08
#define DATA 0x10
#define CODE32 0x18
#define USER_DATA 0x23
#define USER_CODE 0x2b
#define TASK 0x30

#define ADDRESS(label) (0xf0000 + label - rom)

    .section .text
    .code16
rom:
start:
    cli
    cld
    mov $'R', %al
    out %al, $DEBUG_CONSOLE
    xor %ax, %ax
    mov %ax, %es
    mov %ax, %ss
    mov $KERNEL_STACK, %sp
    mov $PAGE_MAP, %di
    mov $(0x3000 / 4), %cx
    xor %eax, %eax
    rep stosl
    movl $(PAGE_POINTERS + PRESENT_USER), %es:PAGE_MAP
    movl $(PAGE_DIRECTORY + PRESENT_USER), %es:PAGE_POINTERS
    mov $PAGE_DIRECTORY, %di
    mov $8, %cx
    mov $PRESENT_LARGE_USER, %eax
map_page:
    mov %eax, %es:(%di)
    add $LARGE_PAGE, %eax
    add $8, %di
    loop map_page
    movl $0, %es:(PAGE_DIRECTORY + 8 * MISSING_PAGE)
    mov %cs, %ax
    mov %ax, %ds
    lgdtl first_descriptors - rom
    mov %cr0, %eax
    or $1, %eax
    mov %eax, %cr0
    ljmpl $CODE32, $ADDRESS(protected_mode)

    .code32
protected_mode:
    mov $DATA, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    mov $KERNEL_STACK, %esp
    mov $'P', %al
    out %al, $DEBUG_CONSOLE
    mov %cr4, %eax
    or $0x20, %eax                  /* physical address extension */
    mov %eax, %cr4
    mov $PAGE_MAP, %eax
    mov %eax, %cr3
    mov $0xc0000080, %ecx           /* EFER */
    rdmsr
    or $0x100, %eax                 /* long mode */
    wrmsr
    mov %cr0, %eax
    or $0x80000000, %eax            /* paging */
    mov %eax, %cr0
    ljmp $CODE64, $ADDRESS(long_mode)

    .code64
long_mode:
    mov $'L', %al
    out %al, $DEBUG_CONSOLE
    mov $INTERRUPT_TABLE, %edi
    mov $(0x2000 / 8), %ecx
    xor %eax, %eax
    rep stosq
    mov $ADDRESS(page_fault), %rax
    mov $(INTERRUPT_TABLE + 14 * 16), %edi
    mov $0x8e00, %edx
    call set_gate
    mov $ADDRESS(system_call), %rax
    mov $(INTERRUPT_TABLE + 0x80 * 16), %edi
    mov $0xee00, %edx               /* callable from user mode */
    call set_gate
    lidt interrupts(%rip)
    movq $SYSTEM_CALL_STACK, (TASK_STATE + 4)
    lea descriptors(%rip), %rsi
    mov $DESCRIPTORS, %edi
    mov $6, %ecx
    rep movsq
    movabs $(0x0000890000000067 | (TASK_STATE << 16)), %rax
    stosq
    movq $0, (%rdi)
    lgdt second_descriptors(%rip)
    mov $TASK, %ax
    ltr %ax
    movb $0x11, MAPPED_ADDRESS
    movb $0x22, MISSING_ADDRESS     /* page fault */
    cmpb $0x22, MISSING_ADDRESS
    jne wrong
    cmpb $0x11, MAPPED_ADDRESS
    jne wrong
    mov $'F', %al
    out %al, $DEBUG_CONSOLE
    mov $RELOADS, %ecx
reload:
    mov %cr3, %rax
    mov %rax, %cr3
    cmpb $0x11, MAPPED_ADDRESS
    jne wrong
    dec %ecx
    jnz reload
    mov $'C', %al
    out %al, $DEBUG_CONSOLE
    pushq $USER_DATA
    pushq $USER_STACK
    pushq $0x2                      /* flags: interrupts off */
    pushq $USER_CODE
    lea user_mode(%rip), %rax
    pushq %rax
    iretq

user_mode:
    int $0x80
    jmp user_mode

set_gate:                           /* rax: handler, edi: gate, dx: kind */
    mov %ax, (%rdi)
    movw $CODE64, 2(%rdi)
    mov %dx, 4(%rdi)
    shr $16, %rax
    mov %ax, 6(%rdi)
    shr $16, %rax
    mov %eax, 8(%rdi)
    ret

page_fault:
    add $8, %rsp                    /* error code */
    push %rax
    movq $(MISSING_ADDRESS + PRESENT_LARGE_USER), (PAGE_DIRECTORY + 8 * MISSING_PAGE)
    mov %cr2, %rax
    invlpg (%rax)
    pop %rax
    iretq

system_call:
    mov $'U', %al
    out %al, $DEBUG_CONSOLE
    mov $EXIT_VALUE, %al
    out %al, $DEBUG_EXIT
wrong:
    mov $'X', %al
    out %al, $DEBUG_CONSOLE
stop:
    hlt
    jmp stop

    .balign 8
descriptors:
    .quad 0
    .quad 0x00209b0000000000        /* CODE64 */
    .quad 0x00cf93000000ffff        /* DATA */
    .quad 0x00cf9b000000ffff        /* CODE32 */
    .quad 0x00cff3000000ffff        /* USER_DATA */
    .quad 0x0020fb0000000000        /* USER_CODE */
first_descriptors:
    .word 6 * 8 - 1
    .long ADDRESS(descriptors)
second_descriptors:                 /* the six and the task's, which takes two */
    .word 8 * 8 - 1
    .quad DESCRIPTORS
interrupts:
    .word 0x81 * 16 - 1
    .quad INTERRUPT_TABLE

    .org 0xfff0                     /* where the processor starts */
    .code16
    .byte 0xea                      /* jump to f000:start */
    .word start - rom, 0xf000
    .org 0x10000
