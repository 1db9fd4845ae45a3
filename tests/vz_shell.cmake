# SPDX-License-Identifier: Apache-2.0
# The macOS backend as far as Linux can tell: scripts/vz-check.sh reads it as a Mac's compiler would.
if(APPLE)
  return()
endif()
add_test(NAME vz_mistakes COMMAND "${PROJECT_SOURCE_DIR}/scripts/vz-check.sh" --mistakes)
set_tests_properties(vz_mistakes PROPERTIES LABELS service TIMEOUT 120)
