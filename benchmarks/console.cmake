# SPDX-License-Identifier: Apache-2.0
# The console against another viewer: console_benchmark.py starts both.
if(BUILD_UI)
  vitrine_add_program(console_viewer SOURCES console_viewer.cpp LINKS qemu_rfb ui_console ui_theme PCH ui)
endif()
