# SPDX-License-Identifier: Apache-2.0
# The test guest of the accelerator probe: assembled for this computer's architecture by the C++
# toolchain and embedded as bytes.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(probe_source "${CMAKE_CURRENT_LIST_DIR}/probe_arm64.S")
else()
  set(probe_source "${CMAKE_CURRENT_LIST_DIR}/probe_x86.S")
endif()
set(probe_folder "${CMAKE_CURRENT_BINARY_DIR}/probe")
file(MAKE_DIRECTORY "${probe_folder}")
add_custom_command(
  OUTPUT "${probe_folder}/probe_rom.cpp"
  COMMAND "${CMAKE_CXX_COMPILER}" -c -x assembler-with-cpp "${probe_source}" -o "${probe_folder}/probe.o"
  COMMAND "${CMAKE_OBJCOPY}" -O binary -j .text "${probe_folder}/probe.o" "${probe_folder}/probe.bin"
  COMMAND "${CMAKE_COMMAND}" -D "INPUT=${probe_folder}/probe.bin" -D "OUTPUT=${probe_folder}/probe_rom.cpp"
          -P "${CMAKE_CURRENT_LIST_DIR}/embed.cmake"
  DEPENDS "${probe_source}" "${CMAKE_CURRENT_LIST_DIR}/embed.cmake"
  COMMENT "Assembling the test guest of the accelerator probe"
  VERBATIM)
set(QEMU_PROBE_SOURCE "${probe_folder}/probe_rom.cpp")
