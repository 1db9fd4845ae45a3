# SPDX-License-Identifier: Apache-2.0
# The portable part of the macOS backend, on every system.
vitrine_add_test(vz_plan_test
  SOURCES vz/plan/disk_plans_test.cpp vz/plan/display_policy_test.cpp vz/plan/host_features_test.cpp
          vz/plan/install_flow_test.cpp vz/plan/lifecycle_test.cpp vz/plan/plan_builder_test.cpp vz/plan/plan_rules_test.cpp
          vz/plan/fake_vz_machine.h vz/plan/pretended_mac.h vz/plan/saved_state_test.cpp vz/plan/share_set_test.cpp
          vz/plan/vz_errors_test.cpp
  LINKS vz_plan LABELS unit perm)
if(APPLE)
  return()
endif()
target_sources(vz_plan_test PRIVATE vz/plan/control_pipe_test.cpp vz/plan/fake_creation_services.h vz/plan/mac_creation_test.cpp
                                    vz/plan/machine_run_test.cpp vz/plan/softnet_session_test.cpp)
target_link_libraries(vz_plan_test PRIVATE test_servers)
target_compile_definitions(vz_plan_test PRIVATE VITRINE_SOFTNET_STAND_IN="$<TARGET_FILE:softnet_stand_in>")
add_dependencies(vz_plan_test softnet_stand_in)
# Machines of this process on fakes of the framework; `vitrinectl hold` is the real one.
vitrine_add_test(vz_host_test
  SOURCES vz/host/guest_services_test.cpp vz/host/hosted_machine_test.cpp vz/host/machine_process_test.cpp vz/host/stored_options_test.cpp vz/host/vz_hypervisor_test.cpp vz/host/hosted_mac_test.cpp
          vz/host/vz_machine_host_test.cpp vz/host/vz_library.h vz/host/hosted_machine_fixture.h vz/host/fake_services.h
  LINKS vz_host LABELS unit perm)
target_compile_definitions(vz_host_test PRIVATE VITRINE_SOFTNET_STAND_IN="$<TARGET_FILE:softnet_stand_in>")
add_dependencies(vz_host_test softnet_stand_in vitrinectl)
# The guest's agent is gRPC's own server.
vitrine_add_test(vz_agent_test
  SOURCES vz/host/agent_requests_test.cpp vz/host/vz_library.h vz/host/hosted_machine_fixture.h support/tart_agent_server.h
  LINKS vz_host LABELS service)
# The contract of running machines over one that a window hosts.
vitrine_add_test(machine_contract_vz_test
  SOURCES contract/machine_contract_test.cpp contract/contract_machine.h contract/contract_fixture.h contract/contract_vz.cpp
          support/protocol_methods.h support/tart_agent_server.h
  LINKS vz_host LABELS service)
add_dependencies(machine_contract_vz_test vitrinectl)
