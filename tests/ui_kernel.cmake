# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(ui_kernel_test GUI LABELS gui perm anyone
  SOURCES ui/kernel/kernel_page_test.cpp ui/shell/window_fixture.h support/layout_misfits.h
  LINKS test_fakes ui_shell)
add_dependencies(ui_kernel_test vitrinectl)
vitrine_add_test(vm_kernel_page_test GUI SOURCES vm/kernel_page_test.cpp ui/shell/window_fixture.h
  LINKS test_fakes ui_shell LABELS vm)
add_dependencies(vm_kernel_page_test vitrinectl vitrine-shares)
