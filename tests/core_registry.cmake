# SPDX-License-Identifier: Apache-2.0
vitrine_add_library(test_images
  SOURCES support/test_image.h support/test_image.cpp support/image_push.h support/image_push.cpp
  LINKS core_registry)
vitrine_add_program(push_image SOURCES support/push_image_main.cpp LINKS test_images)
set_target_properties(push_image PROPERTIES OUTPUT_NAME vitrine-push-image)
vitrine_add_program(pull_image SOURCES support/pull_image_main.cpp LINKS core_registry)
set_target_properties(pull_image PROPERTIES OUTPUT_NAME vitrine-pull-image)
vitrine_add_test(core_registry_test
  SOURCES core/registry/http_challenge_test.cpp core/registry/retry_policy_test.cpp
          core/registry/token_cache_test.cpp core/registry/sparse_writer_test.cpp
          core/registry/partial_store_test.cpp core/registry/layer_plan_test.cpp
          core/registry/image_publisher_test.cpp core/registry/registry_settings_test.cpp
          core/registry/failure_text_test.cpp core/registry/interrupted_pulls_test.cpp
          core/registry/http_client_test.cpp
  LINKS test_images test_servers LABELS unit)
vitrine_add_library(test_servers
  SOURCES support/http_stub.h support/http_stub.cpp support/fault_proxy.h support/fault_proxy.cpp
          support/registry_server.h support/registry_server.cpp
  LINKS Qt6::Core Qt6::Network OpenSSL::Crypto)
vitrine_add_test(core_archive_test
  SOURCES core/archive/archive_unpacker_test.cpp core/archive/archive_download_test.cpp
          core/archive/restore_image_fetch_test.cpp support/archive_maker.h
  LINKS core_archive test_servers LABELS unit perm)
vitrine_add_test(registry_service_test
  SOURCES service/pull_fixture.h service/registry_auth_test.cpp service/registry_client_test.cpp
  LINKS test_images test_servers LABELS service TIMEOUT 300)
vitrine_add_test(registry_pull_test
  SOURCES service/pull_fixture.h service/pull_test.cpp service/pull_fault_test.cpp
  LINKS test_images test_servers LABELS service TIMEOUT 300)
vitrine_add_test(registry_pull_kill_test
  SOURCES service/pull_fixture.h service/pull_kill_test.cpp
  LINKS test_images test_servers LABELS service TIMEOUT 300)
add_dependencies(registry_pull_kill_test pull_image)
vitrine_add_test(registry_disk_full_test
  SOURCES service/pull_fixture.h service/pull_disk_full_test.cpp service/pull_reflink_test.cpp
  LINKS test_images test_servers LABELS service TIMEOUT 300)
# In a network of its own, with a name that has two addresses.
vitrine_add_test(registry_dual_stack_test
  SOURCES service/dual_stack_test.cpp
  LINKS core_registry test_servers LABELS service WRAPPER "${CMAKE_CURRENT_LIST_DIR}/support/with_two_addresses.sh")
