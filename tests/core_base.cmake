# SPDX-License-Identifier: Apache-2.0
find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
vitrine_add_test(core_value_test
  SOURCES core/result/error_test.cpp core/value/byte_count_test.cpp core/value/display_size_test.cpp
          core/value/mac_address_test.cpp core/value/sha256_test.cpp
  LINKS core_value core_result LABELS unit)
vitrine_add_test(core_job_test
  SOURCES core/job/job_test.cpp core/job/job_list_model_test.cpp
  LINKS core_job Qt6::Test LABELS unit)
vitrine_add_test(core_posix_test
  SOURCES core/posix/posix_test.cpp core/library/short_folder_test.cpp core/guest/apple_network_test.cpp
  LINKS core_posix core_library core_guest LABELS unit perm)
if(SANITIZE AND NOT APPLE)
  add_executable(leak_check_program leak_check/slow_thread_main.cpp)
  _vitrine_common(leak_check_program)
  set_target_properties(leak_check_program PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(leak_check_program PRIVATE vitrine_flags Qt6::Core)
  add_dependencies(tests_unit leak_check_program)
  add_test(NAME leak_check_waits_for_threads COMMAND leak_check_program)
  set_tests_properties(leak_check_waits_for_threads PROPERTIES LABELS unit TIMEOUT 60)
endif()
if(APPLE) # which has no local sockets of packets
  return()
endif()
add_executable(softnet_stand_in core/softnet/stand_in_main.cpp)
_vitrine_common(softnet_stand_in)
set_target_properties(softnet_stand_in PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
target_link_libraries(softnet_stand_in PRIVATE vitrine_flags core_softnet)
vitrine_add_test(core_softnet_test
  SOURCES core/softnet/softnet_client_test.cpp core/softnet/softnet_supervisor_test.cpp core/softnet/softnet_launch_test.cpp
          core/softnet/softnet_rules_test.cpp
  LINKS core_softnet LABELS unit)
target_compile_definitions(core_softnet_test PRIVATE VITRINE_SOFTNET_STAND_IN="$<TARGET_FILE:softnet_stand_in>")
add_dependencies(core_softnet_test softnet_stand_in)
