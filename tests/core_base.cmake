# SPDX-License-Identifier: Apache-2.0
find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
vitrine_add_test(core_value_test
  SOURCES core/result/error_test.cpp core/value/byte_count_test.cpp core/value/display_size_test.cpp
          core/value/mac_address_test.cpp core/value/sha256_test.cpp
  LINKS core_value core_result LABELS unit)
vitrine_add_test(core_job_test
  SOURCES core/job/job_test.cpp core/job/job_list_model_test.cpp
  LINKS core_job Qt6::Test LABELS unit)
