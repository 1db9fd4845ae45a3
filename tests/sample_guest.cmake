# SPDX-License-Identifier: Apache-2.0
# The guest that tests labelled vm start. It is made once for all build folders; a test finds it through the environment
# variable VITRINE_SAMPLE_GUEST: $VITRINE_SAMPLE_GUEST/{amd64,arm64}/{machine,boot} (packaging/sample-guest/README.md).
set(sample_guests "${PROJECT_SOURCE_DIR}/build/sample-guest")
foreach(arch amd64 arm64)
  add_test(NAME sample_guest_${arch}_build
           COMMAND "${PROJECT_SOURCE_DIR}/packaging/sample-guest/build.sh" "${sample_guests}/${arch}" ${arch})
  add_test(NAME sample_guest_${arch}_layout
           COMMAND "${PROJECT_SOURCE_DIR}/tests/packaging/sample_guest_layout.sh" "${sample_guests}/${arch}")
  set_tests_properties(sample_guest_${arch}_build PROPERTIES LABELS vm TIMEOUT 600 FIXTURES_SETUP sample_guest_${arch})
  set_tests_properties(sample_guest_${arch}_layout PROPERTIES LABELS vm TIMEOUT 120)
endforeach()
add_test(NAME sample_guest_system
         COMMAND "${PROJECT_SOURCE_DIR}/tests/packaging/sample_guest_system.sh" $<TARGET_FILE:vitrinectl>
                 "${sample_guests}")
set_tests_properties(sample_guest_system PROPERTIES LABELS "vm;perm" TIMEOUT 300)
add_dependencies(tests_vm vitrinectl)
add_dependencies(tests_perm vitrinectl)

get_property(all_tests DIRECTORY PROPERTY TESTS)
foreach(test IN LISTS all_tests)
  get_test_property(${test} LABELS labels)
  if("vm" IN_LIST labels AND NOT test MATCHES "^sample_guest_.*_build$")
    set_property(TEST ${test} APPEND PROPERTY FIXTURES_REQUIRED sample_guest_amd64 sample_guest_arm64)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "VITRINE_SAMPLE_GUEST=${sample_guests}")
  endif()
endforeach()
