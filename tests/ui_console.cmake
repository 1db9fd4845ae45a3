# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(ui_console_test GUI
  SOURCES ui/console/fake_display.h ui/console/scan_codes_test.cpp ui/console/frame_scaler_test.cpp
          ui/console/framebuffer_view_test.cpp ui/console/console_page_test.cpp ui/console/native_surface_test.cpp ui/console/fake_native_surface.h
          ui/console/keyboard_layout_test.cpp ui/console/serial_panel_test.cpp ui/console/clipboard_bridge_test.cpp ui/console/console_facts_test.cpp
  LINKS test_fakes ui_console core LABELS gui)
vitrine_add_test(ui_terminal_test GUI SOURCES ui/terminal/terminal_view_test.cpp LINKS ui_terminal LABELS gui)
# The desktop's scale is fixed when a program starts.
vitrine_add_test(ui_refit_test GUI
  SOURCES ui/console/fake_display.h ui/console/refit_test.cpp LINKS ui_console LABELS gui)
vitrine_add_test(ui_refit_scaled_test GUI
  SOURCES ui/console/fake_display.h ui/console/refit_test.cpp LINKS ui_console LABELS gui
  ENVIRONMENT "QT_SCALE_FACTOR=2")

# The console page with a real guest, booted once. The program for the guest's end of the clipboard runs in there and
# has nothing of it but the kernel.
add_custom_command(OUTPUT "${CMAKE_BINARY_DIR}/tests/clipboard_guest"
  COMMAND cc -std=gnu11 -O2 -Wall -Wextra -Werror -static -s -o "${CMAKE_BINARY_DIR}/tests/clipboard_guest"
          "${CMAKE_CURRENT_LIST_DIR}/vm/clipboard_guest.c"
  DEPENDS "${CMAKE_CURRENT_LIST_DIR}/vm/clipboard_guest.c" VERBATIM)
vitrine_add_test(vm_console_guest_test GUI
  SOURCES vm/console_guest_test.cpp "${CMAKE_BINARY_DIR}/tests/clipboard_guest"
  LINKS test_guests ui_console core qemu_rfb LABELS vm TIMEOUT 600)
target_compile_definitions(vm_console_guest_test PRIVATE
  VITRINE_CLIPBOARD_GUEST="${CMAKE_BINARY_DIR}/tests/clipboard_guest")
target_include_directories(vm_console_guest_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
add_dependencies(vm_console_guest_test vitrinectl vitrine-shares)
# Real grabs need a real display.
vitrine_add_test(ui_keyboard_grab_test GUI
  WRAPPER xvfb-run --auto-servernum "--server-args=-screen 0 1280x800x24 -nolisten tcp"
  SOURCES ui/console/keyboard_grab_test.cpp LINKS ui_console LABELS gui
  ENVIRONMENT "QT_QPA_PLATFORM=xcb")

# The window with ten machines at once; their guest is a kernel that halts.
set(idle_kernel "${CMAKE_BINARY_DIR}/tests/idle_kernel")
set(idle_kernel_options -Wl,-Ttext=0x40100000)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64")
  set(idle_kernel_options -m32 -Wl,-Ttext=0x100000)
endif()
add_custom_command(OUTPUT "${idle_kernel}"
  COMMAND cc ${idle_kernel_options} -nostdlib -static -no-pie -Wl,--build-id=none,-e,start -o "${idle_kernel}"
          "${CMAKE_CURRENT_LIST_DIR}/vm/idle_kernel.c"
  DEPENDS "${CMAKE_CURRENT_LIST_DIR}/vm/idle_kernel.c" VERBATIM)
vitrine_add_test(vm_many_machines_test GUI MAIN "${CMAKE_CURRENT_LIST_DIR}/vm/watched_test_main.cpp"
  SOURCES vm/many_machines_test.cpp support/held_machine.h "${idle_kernel}"
  LINKS app_parts qemu qemu_rfb LABELS vm TIMEOUT 600)
target_compile_definitions(vm_many_machines_test PRIVATE VITRINE_IDLE_KERNEL="${idle_kernel}")
target_include_directories(vm_many_machines_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
add_dependencies(vm_many_machines_test vitrinectl)
