# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(core_image_test
  SOURCES core/image/image_reference_test.cpp core/image/image_manifest_test.cpp core/image/apple_lz4_test.cpp
  LINKS core_image LABELS unit)
