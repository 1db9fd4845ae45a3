# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(qemu_host_test
  SOURCES qemu/command_line_test.cpp qemu/accelerator_probe_test.cpp qemu/firmware_test.cpp qemu/launch_planner_test.cpp
          qemu/network_planner_test.cpp
          qemu/pretended_host.h
  LINKS qemu_host LABELS unit perm)
# Needs the QEMU of both architectures and their firmware; boots nothing.
vitrine_add_test(qemu_real_test SOURCES qemu/real_qemu_test.cpp LINKS qemu_host Qt6::Network LABELS vm perm anyone)

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
          core/guest/spice_agent_test.cpp core/guest/arp_table_test.cpp core/guest/partition_growth_test.cpp
          core/guest/tart_agent_message_test.cpp core/guest/grpc_call_test.cpp
  LINKS core_guest LABELS unit)
vitrine_add_test(core_tart_agent_test
  SOURCES service/tart_agent_test.cpp support/tart_agent_server.h LINKS vz_plan LABELS service)
if(BUILD_FUZZERS) # as in core_image.cmake
  vitrine_add_program(tart_agent_fuzzer SOURCES fuzz/tart_agent_fuzzer.cpp LINKS core_guest PCH none)
  target_compile_options(tart_agent_fuzzer PRIVATE -fsanitize=fuzzer)
  target_link_options(tart_agent_fuzzer PRIVATE -fsanitize=fuzzer)
endif()
vitrine_add_test(core_terminal_test SOURCES core/terminal/terminal_surface_test.cpp LINKS core_terminal LABELS unit)
vitrine_add_test(core_hypervisor_test
  SOURCES core/hypervisor/control_message_test.cpp core/hypervisor/create_machine_test.cpp core/hypervisor/control_server_test.cpp
          core/hypervisor/machine_client_test.cpp core/hypervisor/machine_launcher_test.cpp
          core/hypervisor/machine_values_test.cpp support/held_machine.h
  LINKS core_hypervisor LABELS unit perm)
vitrine_add_test(core_run_test
  SOURCES core/run/event_log_test.cpp core/run/machine_hold_test.cpp core/run/run_request_file_test.cpp core/run/serial_hub_test.cpp core/run/window_run_test.cpp support/held_machine.h
  LINKS core_run LABELS unit perm)
vitrine_add_test(qemu_machine_parts_test
  SOURCES qemu/qmp_client_test.cpp qemu/watched_disks_test.cpp qemu/block_devices_test.cpp qemu/partition_watch_test.cpp qemu/run_state_test.cpp
          qemu/start_failure_test.cpp qemu/port_forwards_test.cpp support/event_wait.h
          qemu/shutdown_sequence_test.cpp qemu/address_finder_test.cpp qemu/child_process_test.cpp
          qemu/root_ports_test.cpp qemu/screen_capture_test.cpp
          qemu/clipboard_port_test.cpp support/fake_qmp_server.h
  LINKS qemu LABELS unit perm)

vitrine_add_test(qemu_softnet_test SOURCES qemu/softnet/softnet_network_test.cpp qemu/softnet/softnet_requests_test.cpp LINKS qemu LABELS unit)
target_compile_definitions(qemu_softnet_test PRIVATE VITRINE_SOFTNET_STAND_IN="$<TARGET_FILE:softnet_stand_in>")
add_dependencies(qemu_softnet_test softnet_stand_in)

vitrine_add_test(qemu_sharing_test SOURCES qemu/sharing/share_daemon_test.cpp qemu/sharing/guest_mounts_test.cpp LINKS qemu LABELS unit perm)
add_dependencies(qemu_sharing_test vitrine-shares)

# Pretends to be QEMU, so that every failure can be had in milliseconds.
add_executable(fake_qemu_program qemu/fake_qemu_main.cpp support/fake_qmp_server.h support/fake_guest_agent.h)
target_link_libraries(fake_qemu_program PRIVATE vitrine_flags core_channel)
set_target_properties(fake_qemu_program PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests" OUTPUT_NAME fake_qemu CXX_EXTENSIONS OFF)
vitrine_add_test(qemu_machine_process_test
  SOURCES qemu/machine_process_test.cpp qemu/machine_disks_test.cpp qemu/snapshot_process_test.cpp qemu/process_wishes_test.cpp
          qemu/machine_process_fixture.h
          support/machine_program.h support/held_machine.h
  LINKS core Qt6::Network LABELS unit perm)
target_compile_definitions(qemu_machine_process_test PRIVATE
  VITRINE_MACHINE_PROGRAM="$<TARGET_FILE:machine_process_program>" VITRINE_FAKE_QEMU_PROGRAM="$<TARGET_FILE:fake_qemu_program>")
add_dependencies(qemu_machine_process_test machine_process_program fake_qemu_program vitrinectl)

# Real guests (tests/sample_guest.cmake makes them), each booted once, started by vitrinectl. Those labelled perm must
# also pass as an ordinary user.
vitrine_add_test(qemu_kernel_run_test
  SOURCES qemu/kernel_run/kernel_files_test.cpp qemu/kernel_run/kernel_targets_test.cpp LINKS qemu_kernel_plan LABELS unit perm)
vitrine_add_test(vm_kernel_run_test SOURCES vm/kernel_run_test.cpp support/event_wait.h LINKS core_machine LABELS vm perm)
target_include_directories(vm_kernel_run_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
add_dependencies(vm_kernel_run_test vitrinectl vitrine-shares)
foreach(suite firmware_guest kernel_guest share_guest plan9_guest disks_guest machine_process arm64_guest bench_guest bench_share_guest)
  set(suite_labels vm perm anyone)
  if(suite STREQUAL "arm64_guest")
    set(suite_labels vm)
  elseif(suite MATCHES "share|plan9|disks")
    set(suite_labels vm perm)
  endif()
  vitrine_add_test(vm_${suite}_test
    SOURCES vm/${suite}_test.cpp
    LINKS test_guests core qemu_rfb LABELS ${suite_labels} TIMEOUT 600)
  target_include_directories(vm_${suite}_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  add_dependencies(vm_${suite}_test vitrinectl vitrine-shares)
endforeach()
target_link_libraries(vm_bench_guest_test PRIVATE core_bench)
target_sources(vm_share_guest_test PRIVATE vm/share_guest_support.h)
foreach(suite firmware_guest arm64_guest)
  target_sources(vm_${suite}_test PRIVATE vm/state_comes_back.h vm/state_comes_back.cpp)
endforeach()
target_sources(vm_disks_guest_test PRIVATE vm/vnc_password.h vm/vnc_password.cpp support/nbd_server.h support/loop_device.h)
target_link_libraries(vm_disks_guest_test PRIVATE test_servers OpenSSL::Crypto)

# One contract for running machines: the fake has to keep it too.
vitrine_add_test(machine_contract_fake_test
  SOURCES contract/machine_contract_test.cpp contract/contract_machine.h contract/contract_fixture.h contract/contract_fake.cpp
  LINKS test_fakes core LABELS unit)
vitrine_add_test(machine_contract_qemu_test
  SOURCES contract/machine_contract_test.cpp contract/contract_machine.h contract/contract_fixture.h contract/contract_qemu.cpp support/sample_guest.h
  LINKS core LABELS vm perm anyone TIMEOUT 600)
target_compile_definitions(machine_contract_qemu_test PRIVATE VITRINE_MACHINE_PROGRAM="$<TARGET_FILE:machine_process_program>")
add_dependencies(machine_contract_qemu_test machine_process_program vitrine-shares)
vitrine_add_test(machine_faults_test
  SOURCES vm/machine_faults_test.cpp support/machine_program.h support/sample_guest.h support/held_machine.h
  LINKS core LABELS vm perm anyone TIMEOUT 600)
target_compile_definitions(machine_faults_test PRIVATE VITRINE_MACHINE_PROGRAM="$<TARGET_FILE:machine_process_program>")
add_dependencies(machine_faults_test machine_process_program)
foreach(suite suspend_guest snapshot_guest)
  vitrine_add_test(vm_${suite}_test
    SOURCES vm/${suite}_test.cpp support/machine_program.h support/sample_guest.h
    LINKS core LABELS vm TIMEOUT 900)
  target_compile_definitions(vm_${suite}_test PRIVATE VITRINE_MACHINE_PROGRAM="$<TARGET_FILE:machine_process_program>")
  add_dependencies(vm_${suite}_test machine_process_program)
endforeach()
vitrine_add_test(vm_bridged_guest_test
  SOURCES vm/bridged_guest_test.cpp vm/private_network.h vm/private_network.cpp
  LINKS test_guests core Qt6::Network LABELS vm TIMEOUT 600)
target_include_directories(vm_bridged_guest_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
add_dependencies(vm_bridged_guest_test vitrinectl)
if(TARGET vitrine-softnet)
  vitrine_add_test(vm_softnet_guest_test
    SOURCES vm/softnet_guest_test.cpp vm/private_network.h vm/private_network.cpp
    LINKS test_guests core Qt6::Network LABELS vm perm TIMEOUT 600)
  target_include_directories(vm_softnet_guest_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  add_dependencies(vm_softnet_guest_test vitrinectl vitrine-shares vitrine-softnet)
endif()
