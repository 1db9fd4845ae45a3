# SPDX-License-Identifier: Apache-2.0
# The macOS backend as far as Linux can tell: scripts/vz-check.sh reads vz/ as a Mac's compiler would, and the shell is
# run against a stand-in for Apple's frameworks on GNUstep's Foundation. Both need clang.
if(APPLE)
  return()
endif()
# What reads sources has nothing for the sanitizers.
if(NOT SANITIZE)
  add_test(NAME vz_check COMMAND "${PROJECT_SOURCE_DIR}/scripts/vz-check.sh")
  add_test(NAME vz_mistakes COMMAND "${PROJECT_SOURCE_DIR}/scripts/vz-check.sh" --mistakes)
  set_tests_properties(vz_check vz_mistakes PROPERTIES LABELS service TIMEOUT 600)
  # The same for the C++ that a Mac compiles: core, cli, ui, app.
  add_test(NAME mac_check COMMAND "${PROJECT_SOURCE_DIR}/scripts/mac-check.sh")
  add_test(NAME mac_mistakes COMMAND "${PROJECT_SOURCE_DIR}/scripts/mac-check.sh" --mistakes)
  set_tests_properties(mac_check mac_mistakes PROPERTIES LABELS service TIMEOUT 600)
  add_test(NAME packaging_macos COMMAND "${PROJECT_SOURCE_DIR}/tests/packaging/macos_bundle.sh")
  set_tests_properties(packaging_macos PROPERTIES LABELS service TIMEOUT 120)
endif()

if(NOT BUILD_UI)
  return()
endif()
# Not looked for: whoever builds this has installed scripts/packages-test.txt, perhaps after this was configured.
set(VZ_CLANG clang++-14 CACHE STRING "Compiler of the Objective-C++ that is run on Linux")
set(VZ_GNUSTEP /usr/include/GNUstep CACHE PATH "Headers of GNUstep's Foundation")
execute_process(COMMAND g++ -print-file-name=include OUTPUT_VARIABLE VZ_OBJC OUTPUT_STRIP_TRAILING_WHITESPACE)

# Without ARC, which GNUstep's runtime in Debian does not have: nothing is released there, so leaks say nothing.
set(vz_fake_flags -x objective-c++ -std=c++20 -g1 -O0 -fPIC -pthread -fblocks -fobjc-runtime=gcc -fobjc-exceptions -fexceptions
  -fconstant-string-class=NSConstantString -DGNUSTEP -DGNUSTEP_BASE_LIBRARY=1 -DGNU_RUNTIME=1 -D_NATIVE_OBJC_EXCEPTIONS
  -DVZ_FAKE_RUN -D__arm64__=1 -Wall -Wextra -Werror -DQT_NO_KEYWORDS -DQT_NO_CAST_FROM_ASCII -DQT_NO_CAST_TO_ASCII -D_FILE_OFFSET_BITS=64)
set(vz_stand_in_flags -Wno-missing-field-initializers -Wno-incomplete-implementation -Wno-protocol -Wno-objc-property-implementation
  -Wno-objc-designated-initializers -Wno-deprecated-declarations -Wno-objc-property-synthesis -Wno-objc-protocol-method-implementation)
set(vz_includes -isystem "${PROJECT_SOURCE_DIR}/vz/check/fake" -isystem "${PROJECT_SOURCE_DIR}/vz/check/stubs/apple"
  -isystem "${VZ_OBJC}" -isystem "${VZ_GNUSTEP}" -isystem "${PROJECT_SOURCE_DIR}/vz/check/stubs/sys" -I "${PROJECT_SOURCE_DIR}")
foreach(module Core Gui Network Widgets)
  get_target_property(folders Qt6::${module} INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS folders)
    list(APPEND vz_includes -isystem "${folder}")
  endforeach()
endforeach()
if(CCACHE_PROGRAM)
  set(vz_launcher "${CCACHE_PROGRAM}")
endif()

set(vz_shell_sources configuration_factory convert disk_configuration guest_configuration host_probe installer mac_files machine machine_delegate restore_images rosetta screen_configuration)
list(TRANSFORM vz_shell_sources PREPEND "${PROJECT_SOURCE_DIR}/vz/shell/")
set(vz_stand_in_sources fake_appkit fake_control fake_devices fake_machine)
list(TRANSFORM vz_stand_in_sources PREPEND "${PROJECT_SOURCE_DIR}/vz/check/fake/")
set(vz_test_sources configuration_test host_test machine_test services_test shell_run view_test)
list(TRANSFORM vz_test_sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/vz/")
set(vz_objects "")
foreach(source IN LISTS vz_shell_sources vz_stand_in_sources vz_test_sources ITEMS "${PROJECT_SOURCE_DIR}/vz/view/view_host")
  string(APPEND source ".mm")
  set(more "")
  if(NOT source MATCHES "/vz/(shell|view)/")
    set(more ${vz_stand_in_flags})
  endif()
  cmake_path(GET source FILENAME name)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/vz/${name}.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND ${vz_launcher} "${VZ_CLANG}" ${vz_fake_flags} ${more} ${vz_includes} -MD -MF "${object}.d" -c "${source}" -o "${object}"
    DEPENDS "${source}" DEPFILE "${object}.d" COMMENT "Objective-C++ ${name}" VERBATIM)
  list(APPEND vz_objects "${object}")
endforeach()
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/vz")
set_source_files_properties(${vz_objects} PROPERTIES GENERATED ON EXTERNAL_OBJECT ON)
# GNUstep carries an older runtime for blocks: with it first a copied block crashes.
vitrine_add_test(vz_shell_test SOURCES ${vz_objects} "${PROJECT_SOURCE_DIR}/vz/native/native_services.cpp"
  LINKS vz_host Qt6::Gui BlocksRuntime gnustep-base objc m LABELS service
  ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
set_target_properties(vz_shell_test PROPERTIES LINKER_LANGUAGE CXX)
# Read only: the command line's own part for a Mac.
add_library(cli_backend_vz OBJECT "${PROJECT_SOURCE_DIR}/cli/backend_vz.cpp")
target_link_libraries(cli_backend_vz PRIVATE vitrine_flags vitrine_cli_flags vz_host CLI11::CLI11)
set_target_properties(cli_backend_vz PROPERTIES CXX_EXTENSIONS OFF)
add_dependencies(vz_shell_test cli_backend_vz)

vitrine_add_test(vz_embedded_surface_test
  SOURCES vz/embedded_surface_test.cpp vz/hosted_surface_test.cpp vz/fake_view_host.h vz/plan/fake_vz_machine.h
  LINKS vz_view LABELS gui GUI)
