// SPDX-License-Identifier: Apache-2.0
//
// The twin of probe_x86.S for an arm64 computer: paging switched on, a page fault handled,
// translations dropped 2000 times, user mode and a system call back from it. Each step prints a
// letter on the serial port: V M F C U, or X when something was not as it should be. It ends with
// PSCI's SYSTEM_OFF, which gives QEMU the exit code 0: the letters are the verdict.
//
// A flat image at address 0 of QEMU's "virt" machine; memory starts at 1 GiB.

#define SERIAL_PORT 0x09000000
#define MEMORY 0x40000000
#define LEVEL1 (MEMORY + 0x1000)    /* 512 entries of 1 GiB */
#define LEVEL2 (MEMORY + 0x2000)    /* the first GiB in blocks of 2 MiB */
#define STACK (MEMORY + 0x8000)
#define ALIAS 0x80000000            /* third GiB: mapped to memory by the fault handler */
#define ALIAS_ENTRY (LEVEL1 + 2 * 8)
#define DROPS 2000
#define SYSTEM_OFF 0x84000008
#define TABLE 0x3
/* Block descriptors: valid, accessed, inner shareable; attribute 0 normal, 1 device. */
#define NORMAL_READ_ONLY_USER 0x7c1 /* AP = 11: user mode may read and execute, nobody writes */
#define NORMAL_KERNEL 0x701
#define DEVICE_KERNEL 0x0060000000000405

    .macro put letter
    mov w1, #\letter
    str w1, [x20]
    .endm

    .section .text
rom:
    ldr x20, =SERIAL_PORT
    put 'V'
    mrs x0, CurrentEL
    cmp x0, #(1 << 2)
    b.ne wrong
    ldr x0, =STACK
    mov sp, x0
    // Both tables empty.
    ldr x0, =LEVEL1
    mov x1, #(0x2000 / 16)
clear:
    stp xzr, xzr, [x0], #16
    subs x1, x1, #1
    b.ne clear
    ldr x0, =LEVEL1
    ldr x1, =(LEVEL2 + TABLE)
    str x1, [x0]
    ldr x1, =(MEMORY + NORMAL_KERNEL)
    str x1, [x0, #8]
    // 128 MiB of flash, then devices.
    ldr x0, =LEVEL2
    ldr x1, =NORMAL_READ_ONLY_USER
    mov x2, #64
flash:
    str x1, [x0], #8
    add x1, x1, #0x200000
    subs x2, x2, #1
    b.ne flash
    ldr x1, =(DEVICE_KERNEL + 0x08000000)
    mov x2, #(512 - 64)
devices:
    str x1, [x0], #8
    add x1, x1, #0x200000
    subs x2, x2, #1
    b.ne devices
    ldr x0, =0x00ff                 // attribute 0: normal, write back; 1: device nGnRnE
    msr mair_el1, x0
    ldr x0, =0x280803519            // 39 bits, 4 KiB pages, cached walks, upper half off, 40 bits out
    msr tcr_el1, x0
    ldr x0, =LEVEL1
    msr ttbr0_el1, x0
    adr x0, vectors
    msr vbar_el1, x0
    dsb sy
    tlbi vmalle1
    dsb sy
    isb
    mrs x0, sctlr_el1
    mov x1, #0x1005                 // paging, both caches
    orr x0, x0, x1
    msr sctlr_el1, x0
    isb
    put 'M'

    ldr x3, =(MEMORY + 0x10000)
    ldr x4, =(ALIAS + 0x10000)
    mov w5, #0x22
    str w5, [x4]                    // page fault
    ldr w6, [x3]
    cmp w5, w6
    b.ne wrong
    put 'F'

    mov x7, #DROPS
drop:
    dsb ishst
    tlbi vmalle1
    dsb ish
    isb
    ldr w6, [x4]
    cmp w5, w6
    b.ne wrong
    subs x7, x7, #1
    b.ne drop
    put 'C'

    adr x0, user_mode
    msr elr_el1, x0
    msr spsr_el1, xzr
    isb
    eret

user_mode:
    svc #0
    b user_mode

page_fault:
    mrs x10, esr_el1
    lsr x10, x10, #26
    cmp x10, #0x25                  // data abort without a change of level
    b.ne wrong
    ldr x10, =ALIAS_ENTRY
    ldr x11, =(MEMORY + NORMAL_KERNEL)
    str x11, [x10]
    dsb ishst
    isb
    eret

system_call:
    mrs x10, esr_el1
    lsr x10, x10, #26
    cmp x10, #0x15
    b.ne wrong
    put 'U'
    b off
wrong:
    put 'X'
off:
    ldr x0, =SYSTEM_OFF
    hvc #0
stop:
    wfi
    b stop
    .ltorg

    .balign 0x800
vectors:
    .balign 0x80
    b wrong                         // current level, its other stack
    .org vectors - rom + 0x200
    b page_fault                    // current level
    .org vectors - rom + 0x280
    b wrong
    .org vectors - rom + 0x300
    b wrong
    .org vectors - rom + 0x380
    b wrong
    .org vectors - rom + 0x400
    b system_call                   // user mode
    .org vectors - rom + 0x480
    b wrong
    .org 0x10000
