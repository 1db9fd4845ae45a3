# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(qemu_host_test
  SOURCES qemu/command_line_test.cpp qemu/accelerator_probe_test.cpp qemu/firmware_test.cpp qemu/launch_planner_test.cpp
          qemu/pretended_host.h
  LINKS qemu_host LABELS unit perm)
# Needs the QEMU of both architectures and their firmware; boots nothing.
vitrine_add_test(qemu_real_test SOURCES qemu/real_qemu_test.cpp LINKS qemu_host Qt6::Network LABELS vm perm)

# The machine's process without the command line, for the tests below.
add_executable(machine_process_program qemu/machine_main.cpp)
target_link_libraries(machine_process_program PRIVATE vitrine_flags qemu)
set_target_properties(machine_process_program PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests" OUTPUT_NAME machine_process CXX_EXTENSIONS OFF)

vitrine_add_test(core_channel_test
  SOURCES core/channel/line_buffer_test.cpp core/channel/json_channel_test.cpp support/event_wait.h
  LINKS core_channel LABELS unit)
vitrine_add_test(core_guest_test
  SOURCES core/guest/guest_agent_test.cpp core/guest/guest_agent_reply_test.cpp support/fake_guest_agent.h
  LINKS core_guest LABELS unit)
vitrine_add_test(core_hypervisor_test
  SOURCES core/hypervisor/control_message_test.cpp core/hypervisor/control_server_test.cpp
          core/hypervisor/machine_client_test.cpp core/hypervisor/machine_values_test.cpp support/held_machine.h
  LINKS core_hypervisor LABELS unit perm)
vitrine_add_test(qemu_machine_parts_test
  SOURCES qemu/qmp_client_test.cpp qemu/run_state_test.cpp qemu/start_failure_test.cpp qemu/port_forwards_test.cpp
          qemu/shutdown_sequence_test.cpp qemu/address_finder_test.cpp support/fake_qmp_server.h
  LINKS qemu LABELS unit)
