# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(ui_theme_test GUI LABELS gui
  SOURCES ui/theme/theme_test.cpp ui/theme/vitrine_style_test.cpp
  LINKS ui_theme)
vitrine_add_test(ui_widgets_test GUI LABELS gui
  SOURCES ui/widgets/message_bar_test.cpp ui/widgets/small_widgets_test.cpp ui/widgets/value_list_test.cpp
  LINKS ui_widgets Qt6::Test)
vitrine_add_test(ui_machines_test GUI LABELS gui perm anyone
  SOURCES ui/machines/machine_abilities_test.cpp ui/machines/machine_clients_test.cpp
          ui/machines/hosted_machines_test.cpp ui/machines/asked_starts_test.cpp support/fake_machine_host.h
  LINKS test_fakes ui_machines core)
vitrine_add_test(ui_shell_test GUI LABELS gui perm anyone
  SOURCES ui/shell/window_fixture.h ui/shell/main_window_test.cpp ui/shell/desktop_test.cpp ui/shell/verbs_test.cpp ui/shell/quit_test.cpp ui/shell/hosted_quit_test.cpp ui/shell/hosted_window_test.cpp ui/console/fake_native_surface.h support/fake_machine_host.h
          ui/shell/accessibility_test.cpp ui/shell/menus_test.cpp ui/shell/snapshots_test.cpp ui/shell/start_failure_test.cpp
          ui/shell/create_test.cpp ui/shell/name_dialog_test.cpp ui/shell/transfer_strip_test.cpp
          ui/library/machine_text_test.cpp ui/overview/overview_page_test.cpp
          ui/library/side_list_model_test.cpp ui/overview/notes_editor_test.cpp
  LINKS test_fakes ui_shell)
# Verbs that are done by a child.
add_dependencies(ui_shell_test vitrinectl core_lock_helper)
target_compile_definitions(ui_shell_test PRIVATE SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                           LOCK_HELPER="$<TARGET_FILE:core_lock_helper>")
vitrine_add_test(app_test GUI LABELS gui
  SOURCES app/options_test.cpp app/watchdog_test.cpp app/single_window_test.cpp app/tour_test.cpp
  LINKS app_parts)
add_dependencies(app_test vitrine)

# A window that is killed: it and the next one are programs of their own.
add_executable(window_stand_in vm/window_stand_in.cpp)
target_link_libraries(window_stand_in PRIVATE vitrine_flags ui_shell qemu qemu_rfb)
set_target_properties(window_stand_in PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests" CXX_EXTENSIONS OFF)
vitrine_add_test(window_killed_test GUI LABELS vm SOURCES vm/window_killed_test.cpp LINKS core)
target_compile_definitions(window_killed_test PRIVATE WINDOW_STAND_IN="$<TARGET_FILE:window_stand_in>")
add_dependencies(window_killed_test window_stand_in vitrine vitrinectl)

# A Mac's command line, and what of its window runs machines, over a framework that is made up.
vitrine_add_library(pretended_services SOURCES vz/mac/pretended_services.h vz/mac/pretended_services.cpp LINKS vz_host PCH none)
vitrine_add_program(mac_vitrinectl SOURCES "${PROJECT_SOURCE_DIR}/cli/main.cpp" vz/mac/cli_backend.cpp
  LINKS cli vitrine_cli_flags pretended_services PCH cli)
vitrine_add_program(mac_window SOURCES vz/mac/window_main.cpp "${PROJECT_SOURCE_DIR}/app/single_window.h"
  "${PROJECT_SOURCE_DIR}/app/single_window.cpp" LINKS ui_machines pretended_services PCH none)
set(mac_programs "${CMAKE_BINARY_DIR}/tests/mac")
set_target_properties(mac_vitrinectl PROPERTIES OUTPUT_NAME vitrinectl RUNTIME_OUTPUT_DIRECTORY "${mac_programs}")
set_target_properties(mac_window PROPERTIES OUTPUT_NAME vitrine RUNTIME_OUTPUT_DIRECTORY "${mac_programs}")
vitrine_add_test(run_with_window_test SOURCES vz/mac/run_with_window_test.cpp LINKS core LABELS service)
target_compile_definitions(run_with_window_test PRIVATE MAC_PROGRAMS="${mac_programs}" LOCK_HELPER="")
add_dependencies(run_with_window_test mac_vitrinectl mac_window)
