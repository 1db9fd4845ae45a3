# SPDX-License-Identifier: Apache-2.0
find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
# A second process for the tests of locks.
vitrine_add_program(core_lock_helper SOURCES core/disk/lock_helper.cpp LINKS core_disk PCH none)
set_target_properties(core_lock_helper PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
vitrine_add_test(core_disk_test
  SOURCES core/disk/file_lock_test.cpp core/disk/config_file_test.cpp core/disk/file_copy_test.cpp
          core/disk/disk_space_test.cpp core/disk/directory_tree_test.cpp core/disk/small_file_test.cpp core/disk/trash_test.cpp
  LINKS core_disk LABELS unit perm)
vitrine_add_test(core_sharing_test
  SOURCES core/sharing/share_options_test.cpp core/sharing/share_spec_test.cpp core/sharing/share_safety_test.cpp
  LINKS core_sharing LABELS unit perm)
vitrine_add_test(core_machine_test
  SOURCES core/machine/machine_config_test.cpp core/machine/machine_name_test.cpp
          core/machine/run_options_test.cpp core/machine/sidecar_test.cpp core/machine/machine_identifier_test.cpp
          core/machine/start_options_test.cpp core/machine/stored_shares_test.cpp
  LINKS core_machine LABELS unit)
# Changes machines all the time until it is killed.
vitrine_add_program(core_library_worker SOURCES core/library/library_worker.cpp LINKS core_library PCH none)
set_target_properties(core_library_worker PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
vitrine_add_test(core_library_kill_test
  SOURCES core/library/machine_kill_test.cpp LINKS core_library LABELS unit)
add_dependencies(core_library_kill_test core_library_worker)
target_compile_definitions(core_library_kill_test PRIVATE LIBRARY_WORKER="$<TARGET_FILE:core_library_worker>")
vitrine_add_test(core_library_test
  SOURCES core/library/library_test.cpp core/library/library_collection_test.cpp
          core/library/machine_clone_test.cpp core/library/machine_operations_test.cpp
          core/library/machine_disk_test.cpp core/library/memory_commitment_test.cpp
          core/library/linux_machine_test.cpp core/library/machine_change_test.cpp core/library/foreign_volume_test.cpp core/library/runtime_directory_test.cpp
          core/library/saved_state_test.cpp support/loop_device.h
  LINKS core_library LABELS unit perm)
vitrine_add_test(core_library_model_test
  SOURCES core/library/library_model_test.cpp LINKS core_library Qt6::Test LABELS unit perm)
vitrine_add_test(core_snapshot_test
  SOURCES core/snapshot/snapshot_operations_test.cpp core/snapshot/snapshot_tree_test.cpp LINKS core_snapshot LABELS unit perm)
foreach(test core_disk_test core_library_test core_library_model_test)
  add_dependencies(${test} core_lock_helper)
  target_compile_definitions(${test} PRIVATE LOCK_HELPER="$<TARGET_FILE:core_lock_helper>")
endforeach()
