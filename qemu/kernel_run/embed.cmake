# SPDX-License-Identifier: Apache-2.0
# Writes the scripts of kernel runs as C++ functions; again whenever they change.
function(vitrine_embed_kernel_run_scripts output)
  set(content "// Made from init.sh and run.sh; do not edit.
#include \"qemu/kernel_run/kernel_run_scripts.h\"

namespace vitrine::qemu {
")
  foreach(pair IN ITEMS "init.sh kernelInitScript" "run.sh kernelRunScript")
    string(REPLACE " " ";" pair "${pair}")
    list(GET pair 0 file)
    list(GET pair 1 function)
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/kernel_run/${file}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(READ "${source}" text)
    string(APPEND content "
QByteArray ${function}() {
    return QByteArrayLiteral(R\"script(${text})script\");
}
")
  endforeach()
  string(APPEND content "
} // namespace vitrine::qemu
")
  file(CONFIGURE OUTPUT "${output}" CONTENT "${content}" @ONLY)
endfunction()
