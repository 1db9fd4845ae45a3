# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(ui_transfers_test GUI LABELS gui
  SOURCES ui/transfers/transfer_text_test.cpp ui/transfers/transfers_page_test.cpp
  LINKS ui_transfers)
vitrine_add_test(ui_settings_test GUI LABELS gui
  SOURCES ui/settings/machine_draft_test.cpp ui/settings/settings_page_test.cpp
          ui/settings/settings_fixture.h ui/settings/settings_apply_test.cpp
          ui/settings/settings_running_test.cpp ui/settings/settings_mac_test.cpp ui/settings/settings_layout_test.cpp ui/settings/settings_reasons_test.cpp support/layout_misfits.h ui/console/fake_display.h
  LINKS test_fakes ui_settings)
target_compile_definitions(ui_settings_test PRIVATE SOURCE_DIR="${PROJECT_SOURCE_DIR}")
vitrine_add_test(ui_pull_test GUI LABELS gui
  SOURCES ui/pull/pull_dialog_fixture.h ui/pull/pull_dialog_test.cpp ui/pull/pull_dialog_layout_test.cpp
          ui/pull/pull_choices_test.cpp ui/create/create_dialog_test.cpp support/layout_misfits.h support/held_machine.h
  LINKS ui_pull ui_create test_images)
target_compile_definitions(ui_pull_test PRIVATE LOCK_HELPER="")
vitrine_add_test(ui_pull_service_test GUI LABELS service TIMEOUT 300
  SOURCES service/pull_fixture.h ui/pull/pull_job_test.cpp
  LINKS ui_transfers test_images test_servers)
add_dependencies(ui_pull_service_test vitrinectl)
vitrine_add_test(ui_sharing_test GUI LABELS gui perm
  SOURCES ui/sharing/sharing_page_test.cpp ui/sharing/sharing_fixture.h ui/shell/window_fixture.h
  LINKS test_fakes ui_shell)
add_dependencies(ui_sharing_test vitrinectl vitrine-shares)
vitrine_add_test(ui_network_test GUI LABELS gui perm anyone
  SOURCES ui/network/network_page_test.cpp ui/network/rules_view_test.cpp ui/network/destination_model_test.cpp
          ui/network/network_fixture.h ui/shell/window_fixture.h support/fake_firewall.h
  LINKS test_fakes ui_shell Qt6::Test)
if(TARGET vitrine-softnet)
  vitrine_add_test(ui_real_firewall_test GUI LABELS gui
    SOURCES ui/network/real_firewall_test.cpp ui/network/network_fixture.h ui/shell/window_fixture.h support/fake_firewall.h
    LINKS test_fakes ui_shell qemu)
  target_compile_definitions(ui_real_firewall_test PRIVATE VITRINE_SOFTNET="$<TARGET_FILE:vitrine-softnet>")
  add_dependencies(ui_real_firewall_test vitrine-softnet)
endif()
# Real X events need a real display.
add_executable(drag_source support/drag_source_main.cpp)
target_link_libraries(drag_source PRIVATE vitrine_flags Qt6::Widgets)
set_target_properties(drag_source PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests" CXX_EXTENSIONS OFF)
vitrine_add_test(ui_drag_and_drop_test GUI LABELS gui
  WRAPPER xvfb-run --auto-servernum "--server-args=-screen 0 1600x1000x24 -nolisten tcp"
  SOURCES ui/sharing/drag_and_drop_test.cpp ui/sharing/sharing_fixture.h ui/shell/window_fixture.h
  LINKS test_fakes ui_shell ENVIRONMENT "QT_QPA_PLATFORM=xcb")
target_compile_definitions(ui_drag_and_drop_test PRIVATE VITRINE_DRAG_SOURCE="$<TARGET_FILE:drag_source>")
add_dependencies(ui_drag_and_drop_test drag_source)
