# SPDX-License-Identifier: Apache-2.0
# Softnet 0.19.0's own decisions and lease snooping: for the tests only, never part of the shipped program.
vitrine_add_library(softnet_strict SOURCES softnet/strict_softnet.h softnet/strict_softnet.cpp
  LINKS softnet_policy PCH none)
target_include_directories(softnet_strict PUBLIC "${CMAKE_CURRENT_LIST_DIR}")
vitrine_add_library(softnet_trial SOURCES softnet/filter_trial.h softnet/filter_trial.cpp
  LINKS softnet_answers PCH none)
target_include_directories(softnet_trial PUBLIC "${CMAKE_CURRENT_LIST_DIR}")
vitrine_add_test(softnet_policy_test
  SOURCES softnet/frames.h softnet/global_addresses.h softnet/policy/filter_test.cpp softnet/policy/flow_table_test.cpp
          softnet/policy/options_test.cpp softnet/policy/random_frames_test.cpp softnet/policy/rule_table_test.cpp
          softnet/policy/special_addresses_test.cpp softnet/policy/vectors_test.cpp
  LINKS softnet_policy softnet_strict softnet_trial Qt6::Core LABELS unit)
vitrine_add_test(softnet_answers_test
  SOURCES softnet/frames.h softnet/answers/arp_responder_test.cpp softnet/answers/dhcp_server_test.cpp
  LINKS softnet_answers softnet_trial Qt6::Core LABELS unit)
vitrine_add_test(softnet_control_test
  SOURCES softnet/frames.h softnet/control/control_channel_test.cpp softnet/control/control_support.h softnet/control/json_test.cpp
          softnet/control/policy_methods_test.cpp softnet/control/vitrine_methods_test.cpp
          softnet/record/destination_table_test.cpp softnet/record/dns_names_test.cpp
  LINKS softnet_control softnet_trial Qt6::Core LABELS unit)
# g++ 12 warns about sums of strings where nothing overlaps or overflows (gcc.gnu.org/PR105651).
target_compile_options(softnet_control_test PRIVATE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow>)

if(TARGET vitrine-softnet)
  # The built program in a network namespace of its own. As root it becomes nobody.
  vitrine_add_test(softnet_program_test
    SOURCES softnet/frames.h softnet/service/softnet_control_test.cpp softnet/service/softnet_frames_test.cpp
            softnet/service/softnet_program.h softnet/service/softnet_program_test.cpp
            softnet/service/softnet_sandbox_test.cpp "${PROJECT_SOURCE_DIR}/softnet/program/sandbox.cpp"
    LINKS softnet_control softnet_trial Qt6::Core LABELS service perm TIMEOUT 600)
  add_dependencies(softnet_program_test vitrine-softnet)
  # ctest --test-dir BUILD -C nightly -L nightly
  add_test(NAME softnet_million_frames CONFIGURATIONS nightly
    COMMAND softnet_program_test --gtest_filter=SoftnetFramesTest.*)
  set_tests_properties(softnet_million_frames PROPERTIES LABELS nightly TIMEOUT 3600
    ENVIRONMENT VITRINE_SOFTNET_FRAMES=1000000)
endif()

# All 2^32 addresses takes a minute or more, so it is not in a normal run:
# cmake --build BUILD --target softnet_global_addresses && ctest --test-dir BUILD -C nightly -L nightly
vitrine_add_program(softnet_global_addresses SOURCES softnet/policy/global_addresses_main.cpp
  LINKS softnet_policy PCH none)
target_include_directories(softnet_global_addresses PRIVATE "${CMAKE_CURRENT_LIST_DIR}")
set_target_properties(softnet_global_addresses PROPERTIES EXCLUDE_FROM_ALL ON
  RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
add_test(NAME softnet_global_addresses CONFIGURATIONS nightly COMMAND softnet_global_addresses)
set_tests_properties(softnet_global_addresses PROPERTIES LABELS nightly TIMEOUT 3600)

if(BUILD_FUZZERS)
  # What is under test is instrumented, so it is compiled in instead of linked.
  file(GLOB softnet_sources "${PROJECT_SOURCE_DIR}/softnet/policy/*.cpp" "${PROJECT_SOURCE_DIR}/softnet/answers/*.cpp"
    "${PROJECT_SOURCE_DIR}/softnet/record/*.cpp" "${PROJECT_SOURCE_DIR}/softnet/control/*.cpp")
  add_library(softnet_fuzzed OBJECT softnet/filter_trial.cpp ${softnet_sources})
  _vitrine_common(softnet_fuzzed)
  target_link_libraries(softnet_fuzzed PUBLIC vitrine_flags tl::expected)
  target_include_directories(softnet_fuzzed PUBLIC "${CMAKE_CURRENT_LIST_DIR}")
  target_compile_options(softnet_fuzzed PUBLIC -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  foreach(fuzzer softnet_fuzzer softnet_control_fuzzer softnet_dhcp_fuzzer softnet_dns_fuzzer)
    add_executable(${fuzzer} fuzz/${fuzzer}.cpp)
    _vitrine_common(${fuzzer})
    target_link_libraries(${fuzzer} PRIVATE softnet_fuzzed)
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer,address,undefined)
  endforeach()
endif()
