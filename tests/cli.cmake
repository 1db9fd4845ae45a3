# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(cli_test
  SOURCES cli/output_test.cpp cli/arguments_test.cpp core/job/child_job_test.cpp
  LINKS cli LABELS unit)
