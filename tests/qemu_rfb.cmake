# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(qemu_rfb_test
  SOURCES qemu/rfb/rfb_bytes.h qemu/rfb/rfb_recorder.h qemu/rfb/rfb_protocol_test.cpp qemu/rfb/shared_frame_test.cpp
          qemu/rfb/fake_rfb_server.h qemu/rfb/rfb_display_test.cpp
  LINKS qemu_rfb LABELS unit)
vitrine_add_test(qemu_rfb_qemu_test
  SOURCES qemu/rfb/rfb_qemu_test.cpp
  LINKS qemu_rfb LABELS vm)
if(BUILD_FUZZERS)
  # The parser itself is instrumented, so it is compiled in instead of linked.
  add_executable(rfb_fuzzer fuzz/rfb_fuzzer.cpp "${PROJECT_SOURCE_DIR}/qemu/rfb/rfb_protocol.cpp"
    "${PROJECT_SOURCE_DIR}/qemu/rfb/rfb_messages.cpp" "${PROJECT_SOURCE_DIR}/qemu/rfb/shared_frame.cpp"
    "${PROJECT_SOURCE_DIR}/qemu/rfb/damage_bands.cpp")
  _vitrine_common(rfb_fuzzer)
  target_link_libraries(rfb_fuzzer PRIVATE vitrine_flags core_result core_hypervisor Qt6::Core)
  target_compile_options(rfb_fuzzer PRIVATE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(rfb_fuzzer PRIVATE -fsanitize=fuzzer,address,undefined)
endif()
