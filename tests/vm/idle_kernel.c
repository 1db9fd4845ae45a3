// SPDX-License-Identifier: Apache-2.0
// The smallest guest: a kernel that says "!" on its serial line and halts for good. It needs no
// memory to speak of and no processor time, so that many run at once. ELF for QEMU's -kernel: with
// a PVH entry on x86, as it is on arm64.
#if defined(__i386__)
__asm__(".section .note.Xen, \"a\", @note\n"
        ".long 4, 4, 18\n" // XEN_ELFNOTE_PHYS32_ENTRY
        ".asciz \"Xen\"\n"
        ".long start\n"
        ".text\n"
        ".globl start\n"
        "start: mov $0x3f8, %dx\n"
        "mov $0x21, %al\n"
        "out %al, %dx\n"
        "cli\n"
        "1: hlt\n"
        "jmp 1b\n");
#else
__asm__(".text\n"
        ".globl start\n"
        "start: mov x0, #0x09000000\n" // the PL011 of QEMU's "virt"
        "mov w1, #0x21\n"
        "str w1, [x0]\n"
        "1: wfi\n"
        "b 1b\n");
#endif
