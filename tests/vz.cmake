# SPDX-License-Identifier: Apache-2.0
# The portable part of the macOS backend, on every system.
vitrine_add_test(vz_plan_test
  SOURCES vz/plan/display_policy_test.cpp vz/plan/lifecycle_test.cpp vz/plan/pretended_mac.h vz/plan/share_set_test.cpp
          vz/plan/vz_errors_test.cpp
  LINKS vz_plan LABELS unit)
