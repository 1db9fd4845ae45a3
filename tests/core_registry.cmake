# SPDX-License-Identifier: Apache-2.0
vitrine_add_library(test_images
  SOURCES support/test_image.h support/test_image.cpp support/image_push.h support/image_push.cpp
  LINKS core_registry)
vitrine_add_program(push_image SOURCES support/push_image_main.cpp LINKS test_images)
set_target_properties(push_image PROPERTIES OUTPUT_NAME vitrine-push-image)
vitrine_add_program(pull_image SOURCES support/pull_image_main.cpp LINKS core_registry)
set_target_properties(pull_image PROPERTIES OUTPUT_NAME vitrine-pull-image)
