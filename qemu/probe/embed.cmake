# SPDX-License-Identifier: Apache-2.0
# cmake -D INPUT=probe.bin -D OUTPUT=probe_rom.cpp -P embed.cmake
# Writes the bytes of a file as a C++ function.
get_filename_component(name "${INPUT}" NAME)
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Made from ${name}; do not edit.
#include \"qemu/accelerator_probe.h\"

namespace vitrine::qemu {
namespace {

constexpr unsigned char bytes[] = {
${bytes}};

} // namespace

QByteArray probeRom() {
    return QByteArray(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

} // namespace vitrine::qemu
")
