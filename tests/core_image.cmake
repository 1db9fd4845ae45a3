# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(core_image_test
  SOURCES core/image/image_reference_test.cpp core/image/image_manifest_test.cpp core/image/apple_lz4_test.cpp
  LINKS core_image LABELS unit)
vitrine_add_test(core_credentials_test
  SOURCES core/credentials/docker_config_test.cpp core/credentials/credential_store_test.cpp
  LINKS core_credentials LABELS unit)
vitrine_add_test(core_secret_store_test
  SOURCES core/credentials/secret_store_test.cpp
  LINKS core_credentials LABELS service WRAPPER "${CMAKE_CURRENT_LIST_DIR}/support/with_keyring.sh")

# libFuzzer targets, built by clang: cmake -DCMAKE_CXX_COMPILER=clang++ -DBUILD_FUZZERS=ON -DUSE_PCH=OFF; tests/data/fuzz has
# inputs to begin with.
if(BUILD_FUZZERS)
  foreach(fuzzer apple_lz4_fuzzer image_manifest_fuzzer)
    vitrine_add_program(${fuzzer} SOURCES fuzz/${fuzzer}.cpp LINKS core_image PCH none)
    target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()
