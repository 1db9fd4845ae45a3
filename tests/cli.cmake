# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(cli_test
  SOURCES cli/output_test.cpp cli/bench_text_test.cpp cli/arguments_test.cpp core/job/child_job_test.cpp
  LINKS cli LABELS unit)
# The built program on libraries of its own.
vitrine_add_test(cli_program_test
  SOURCES cli/command_line_test.cpp cli/running_machine_test.cpp cli/terminal_test.cpp
          cli/create_test.cpp cli/snapshot_test.cpp cli/run_options_test.cpp cli/damaged_library_test.cpp cli/stored_options_test.cpp cli/on_terminal.h
          cli/first_use_test.cpp cli/hold_command_test.cpp cli/mac_machine_test.cpp support/mac_machine.h
  LINKS core Qt6::Network LABELS unit perm TIMEOUT 600 PARTS 3)
add_dependencies(cli_program_test vitrinectl core_lock_helper)
target_compile_definitions(cli_program_test PRIVATE LOCK_HELPER="$<TARGET_FILE:core_lock_helper>")
if(NOT APPLE)
  # Looking a function up between fork and exec would overrun the stack that QProcess has there.
  add_test(NAME programs_look_functions_up_at_their_start
    COMMAND sh -c "readelf --dynamic \"$1\" | grep BIND_NOW" - "$<TARGET_FILE:vitrinectl>")
  set_tests_properties(programs_look_functions_up_at_their_start PROPERTIES LABELS unit TIMEOUT 60)
endif()
vitrine_add_test(cli_bench_test
  SOURCES cli/bench_test.cpp LINKS core LABELS unit)
add_dependencies(cli_bench_test vitrinectl core_lock_helper)
target_compile_definitions(cli_bench_test PRIVATE LOCK_HELPER="$<TARGET_FILE:core_lock_helper>")
vitrine_add_test(cli_fake_machine_test
  SOURCES cli/fake_machine_test.cpp LINKS test_fakes core LABELS unit perm)
add_dependencies(cli_fake_machine_test vitrinectl)
target_compile_definitions(cli_fake_machine_test PRIVATE LOCK_HELPER="")
vitrine_add_test(cli_tart_agent_test
  SOURCES cli/tart_agent_test.cpp cli/on_terminal.h LINKS test_fakes vz_plan LABELS service)
add_dependencies(cli_tart_agent_test vitrinectl core_lock_helper)
target_compile_definitions(cli_tart_agent_test PRIVATE LOCK_HELPER="$<TARGET_FILE:core_lock_helper>")
vitrine_add_test(cli_registry_test
  SOURCES cli/registry_test.cpp LINKS test_images test_servers LABELS service)
add_dependencies(cli_registry_test vitrinectl)
target_compile_definitions(cli_registry_test PRIVATE LOCK_HELPER="")
vitrine_add_test(cli_guest_test
  SOURCES cli/guest_test.cpp
  LINKS test_guests core qemu_rfb Qt6::Network LABELS vm perm anyone TIMEOUT 600)
target_include_directories(cli_guest_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
add_dependencies(cli_guest_test vitrinectl vitrine-shares)
