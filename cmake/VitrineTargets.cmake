# SPDX-License-Identifier: Apache-2.0
# Flags, layers and tests. Every target of the project is made by one of the functions below.
include_guard(GLOBAL)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${CCACHE_PROGRAM}")
endif()

add_library(vitrine_flags INTERFACE)
target_compile_features(vitrine_flags INTERFACE cxx_std_20)
target_include_directories(vitrine_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(vitrine_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
  $<$<BOOL:${WARNINGS_AS_ERRORS}>:-Werror>
  $<$<BOOL:${USE_PCH}>:-fpch-preprocess -Winvalid-pch>)
target_compile_definitions(vitrine_flags INTERFACE
  QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_CAST_FROM_BYTEARRAY
  QT_NO_URL_CAST_FROM_STRING QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_NO_FOREACH
  QT_DISABLE_DEPRECATED_BEFORE=0x060400
  _FILE_OFFSET_BITS=64 VITRINE_VERSION="${PROJECT_VERSION}")
if(SANITIZE)
  target_compile_options(vitrine_flags INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer
                         -fno-sanitize-recover=undefined)
  target_link_options(vitrine_flags INTERFACE -fsanitize=address,undefined)
endif()

set_property(GLOBAL PROPERTY VITRINE_LAYERS "")

function(_vitrine_common target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CXX_STANDARD_REQUIRED ON AUTOMOC ON AUTOMOC_PATH_PREFIX OFF
    POSITION_INDEPENDENT_CODE ON)
endfunction()

# vitrine_add_library(NAME SOURCES file… LINKS target… [FORBIDS target…] [PCH none|core|ui])
# A static library. FORBIDS names targets that must never be reached through its links.
function(vitrine_add_library name)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;LINKS;FORBIDS" ${ARGN})
  set(has_source OFF)
  foreach(source IN LISTS ARG_SOURCES)
    if(source MATCHES "\\.cpp$")
      set(has_source ON)
    endif()
  endforeach()
  if(has_source)
    add_library(${name} STATIC ${ARG_SOURCES})
    _vitrine_common(${name})
    target_link_libraries(${name} PUBLIC vitrine_flags ${ARG_LINKS})
    _vitrine_pch(${name} "${ARG_PCH}")
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE vitrine_flags ${ARG_LINKS})
  endif()
  set_property(TARGET ${name} PROPERTY VITRINE_FORBIDS "${ARG_FORBIDS}")
  set_property(GLOBAL APPEND PROPERTY VITRINE_LAYERS ${name})
endfunction()

# vitrine_add_program(NAME SOURCES file… LINKS target… [FORBIDS target…] [PCH none|core|ui])
function(vitrine_add_program name)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;LINKS;FORBIDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _vitrine_common(${name})
  target_link_libraries(${name} PRIVATE vitrine_flags ${ARG_LINKS})
  set_property(TARGET ${name} PROPERTY VITRINE_FORBIDS "${ARG_FORBIDS}")
  set_property(GLOBAL APPEND PROPERTY VITRINE_LAYERS ${name})
  _vitrine_pch(${name} "${ARG_PCH}")
endfunction()

# vitrine_add_test(NAME SOURCES file… LINKS target… LABELS label… [TIMEOUT seconds] [WRAPPER command…] [GUI] [MAIN file])
# One program, one ctest entry; the target tests_LABEL builds all programs with that label. Its cases are sentences. GUI gives it a QApplication on the offscreen platform.
# WRAPPER is a command that is given the program's path and runs it.
function(vitrine_add_test name)
  cmake_parse_arguments(ARG "GUI" "TIMEOUT;MAIN" "SOURCES;LINKS;LABELS;ENVIRONMENT;WRAPPER" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(ARG_GUI)
    set(main "${PROJECT_SOURCE_DIR}/tests/support/gui_test_main.cpp")
    set(pch ui)
  else()
    set(main "${PROJECT_SOURCE_DIR}/tests/support/test_main.cpp")
    set(pch core)
  endif()
  if(ARG_MAIN)
    set(main "${ARG_MAIN}")
  endif()
  add_executable(${name} ${ARG_SOURCES} ${main})
  _vitrine_common(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${name} PRIVATE vitrine_flags ${ARG_LINKS} GTest::gtest)
  target_compile_definitions(${name} PRIVATE
    VITRINE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" VITRINE_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  if(ARG_GUI)
    target_link_libraries(${name} PRIVATE Qt6::Widgets)
  endif()
  _vitrine_pch(${name} ${pch})
  foreach(label IN LISTS ARG_LABELS)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${name})
  endforeach()
  add_test(NAME ${name} COMMAND ${ARG_WRAPPER} $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QT_FONT_DPI=96;QT_SCALE_FACTOR=1;UBSAN_OPTIONS=print_stacktrace=1;LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.supp;${ARG_ENVIRONMENT}")
endfunction()

# One precompiled header for everything without windows and one for everything with them.
function(_vitrine_pch target kind)
  if(NOT USE_PCH OR kind STREQUAL "none")
    return()
  endif()
  if(NOT kind STREQUAL "ui")
    set(kind core)
  endif()
  set(source "${PROJECT_BINARY_DIR}/pch_${kind}.cpp")
  if(NOT TARGET vitrine_pch_${kind})
    file(GENERATE OUTPUT "${source}" CONTENT "")
    add_library(vitrine_pch_${kind} OBJECT "${source}")
    set_target_properties(vitrine_pch_${kind} PROPERTIES CXX_EXTENSIONS OFF CXX_STANDARD_REQUIRED ON
                          POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(vitrine_pch_${kind} PRIVATE vitrine_flags Qt6::Core tl::expected)
    if(kind STREQUAL "ui")
      target_link_libraries(vitrine_pch_${kind} PRIVATE Qt6::Gui Qt6::Widgets)
      target_precompile_headers(vitrine_pch_${kind} PRIVATE
        <memory> <optional> <functional> <QString> <QByteArray> <QObject> <QJsonObject> <QWidget> <QApplication>
        <QLabel> <QPainter> <QLayout> <QAbstractItemView> <tl/expected.hpp>)
    else()
      target_precompile_headers(vitrine_pch_${kind} PRIVATE
        <memory> <optional> <functional> <chrono> <QString> <QByteArray> <QObject> <QJsonObject> <QFile> <QDir>
        <QThread> <tl/expected.hpp>)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM vitrine_pch_${kind})
endfunction()

# Walks the link graph of each layer and stops configuring when it reaches something it must not depend on.
function(vitrine_check_layers)
  get_property(layers GLOBAL PROPERTY VITRINE_LAYERS)
  foreach(layer IN LISTS layers)
    get_property(forbidden TARGET ${layer} PROPERTY VITRINE_FORBIDS)
    set(queue "")
    foreach(property INTERFACE_LINK_LIBRARIES LINK_LIBRARIES)
      get_target_property(links ${layer} ${property})
      if(links)
        list(APPEND queue ${links})
      endif()
    endforeach()
    set(seen "")
    while(queue)
      list(POP_FRONT queue item)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" item "${item}")
      if(item IN_LIST forbidden)
        message(FATAL_ERROR "Layer '${layer}' must not depend on '${item}'. See docs/ARCHITECTURE.md.")
      endif()
      if(NOT TARGET ${item} OR item IN_LIST seen)
        continue()
      endif()
      list(APPEND seen ${item})
      get_target_property(links ${item} INTERFACE_LINK_LIBRARIES)
      if(links)
        list(APPEND queue ${links})
      endif()
    endwhile()
  endforeach()
endfunction()
