# SPDX-License-Identifier: Apache-2.0
# The macOS files of core/posix, run on Linux over stand-ins of what it lacks. They are objects of the program, so everything in it that
# is linked from libraries uses them and not those of Linux.
add_library(posix_of_mac OBJECT
  "${PROJECT_SOURCE_DIR}/core/posix/descriptors_mac.cpp" "${PROJECT_SOURCE_DIR}/core/posix/files_mac.cpp"
  "${PROJECT_SOURCE_DIR}/core/posix/host_mac.cpp" "${PROJECT_SOURCE_DIR}/core/posix/processes_mac.cpp")
_vitrine_common(posix_of_mac)
target_include_directories(posix_of_mac SYSTEM PRIVATE "${PROJECT_SOURCE_DIR}/vz/check/darwin" "${PROJECT_SOURCE_DIR}/vz/check/stubs/sys")
target_compile_options(posix_of_mac PRIVATE "SHELL:-include \"${PROJECT_SOURCE_DIR}/tests/core/posix_mac/mac_calls.h\"")
target_link_libraries(posix_of_mac PRIVATE vitrine_flags vitrine_test_flags Qt6::Core)
add_library(calls_of_mac OBJECT core/posix_mac/mac_calls.cpp core/posix_mac/mac_kqueue.cpp core/posix_mac/mac_sockets.cpp
                                core/posix_mac/mac_volumes.cpp)
_vitrine_common(calls_of_mac)
target_link_libraries(calls_of_mac PRIVATE vitrine_flags vitrine_test_flags)

vitrine_add_test(core_posix_mac_test
  SOURCES core/posix/posix_test.cpp core/posix_mac/posix_mac_test.cpp core/posix_mac/mac_faults.h core/library/short_folder_test.cpp
          $<TARGET_OBJECTS:posix_of_mac> $<TARGET_OBJECTS:calls_of_mac>
  LINKS core_library core_credentials vz_plan LABELS unit perm)

# The same cases as Linux's, in another program. The sanitizers have seen everything in it by then.
if(SANITIZE)
  return()
endif()
function(vitrine_add_mac_variant test)
  set(name mac_${test})
  add_executable(${name} $<TARGET_OBJECTS:${test}> $<TARGET_OBJECTS:vitrine_main_test> $<TARGET_OBJECTS:posix_of_mac>
                         $<TARGET_OBJECTS:calls_of_mac>)
  get_target_property(links ${test} LINK_LIBRARIES)
  target_link_libraries(${name} PRIVATE ${links})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX AUTOMOC OFF RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_dependencies(${name} ${test})
  add_dependencies(tests_service ${name})
  # Pretended clones are copies where the volume has none, so what they take is not compared.
  add_test(NAME ${name} COMMAND ${name}
    --gtest_filter=-Reflink.ACopyTakesNoSpaceAndIsItsOwn_NeedsRootAndXfs:MachineClone.AFullDiskIsToldBeforehandAndLeavesNothing_NeedsRootForATmpfs)
  set_tests_properties(${name} PROPERTIES LABELS service TIMEOUT 300 ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
endfunction()
foreach(test core_disk_test core_library_test core_library_model_test core_snapshot_test core_channel_test core_softnet_test
             core_hypervisor_test core_run_test vz_plan_test vz_host_test)
  vitrine_add_mac_variant(${test})
endforeach()
