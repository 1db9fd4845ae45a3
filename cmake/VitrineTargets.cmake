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
  $<$<AND:$<BOOL:${USE_PCH}>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess -Winvalid-pch>)
target_compile_definitions(vitrine_flags INTERFACE
  QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_CAST_FROM_BYTEARRAY
  QT_NO_URL_CAST_FROM_STRING QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_NO_FOREACH
  QT_DISABLE_DEPRECATED_BEFORE=0x060400
  _FILE_OFFSET_BITS=64 VITRINE_VERSION="${PROJECT_VERSION}")
# std::stop_token and std::jthread are in the headers of Apple's C++ library, but only for those who ask. Both are
# templates and inline, so nothing of it is needed when the program runs.
if(APPLE)
  target_compile_definitions(vitrine_flags INTERFACE _LIBCPP_ENABLE_EXPERIMENTAL)
  # Homebrew's Qt is always the newest: what it calls old today is what Qt 6.4 has.
  target_compile_definitions(vitrine_flags INTERFACE QT_WARN_DEPRECATED_UP_TO=0x060400)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  set(CMAKE_REQUIRED_DEFINITIONS -D_LIBCPP_ENABLE_EXPERIMENTAL)
  check_cxx_source_compiles("#include <thread>
    int main() { std::jthread one([](std::stop_token) {}); }" VITRINE_HAS_STOP_TOKEN)
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_DEFINITIONS)
  if(NOT VITRINE_HAS_STOP_TOKEN)
    message(FATAL_ERROR "The compiler's C++ library has no std::stop_token. Xcode 16.3 is the first that has it: install it, "
      "and choose it with xcode-select --switch.")
  endif()
endif()
# What QProcess runs between fork and exec has a stack of 4 KiB, too little for the loader to look up a function at its
# first call. Names are looked up when a program starts, and the table is read-only from then on.
if(NOT APPLE)
  target_link_options(vitrine_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
if(SANITIZE)
  target_compile_definitions(vitrine_flags INTERFACE VITRINE_SANITIZED)
  target_compile_options(vitrine_flags INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer
                         -fno-sanitize-recover=undefined)
  target_link_options(vitrine_flags INTERFACE -fsanitize=address,undefined)
  add_library(vitrine_leak_check OBJECT "${PROJECT_SOURCE_DIR}/tests/leak_check/thread_wait.cpp")
  target_compile_features(vitrine_leak_check PRIVATE cxx_std_20)
  target_include_directories(vitrine_leak_check PRIVATE "${PROJECT_SOURCE_DIR}")
  target_sources(vitrine_flags INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:vitrine_leak_check>>)
endif()

add_library(vitrine_cli_flags INTERFACE)
add_library(vitrine_test_flags INTERFACE)
target_compile_options(vitrine_test_flags INTERFACE -O0)

set_property(GLOBAL PROPERTY VITRINE_LAYERS "")

# Most of the time goes into headers and what they instantiate, once per source: UNITY compiles a dozen sources at a time.
# There a name in an anonymous namespace exists once for all of them; the sources of compiled_alone.txt use one that another
# has too. Warnings about a source alone come from builds without it. On a Mac, whose sources were never put together, it is off.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/compiled_alone.txt" VITRINE_COMPILED_ALONE REGEX "^[^#]")
function(_vitrine_unity target kind)
  if(APPLE OR NOT UNITY STREQUAL "all" AND NOT UNITY STREQUAL kind)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _vitrine_compile_alone ${target})") # target_sources() may add more
endfunction()

function(_vitrine_compile_alone target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path NORMALIZE)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    if(path IN_LIST VITRINE_COMPILED_ALONE)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# moc runs only for targets that have something for it; the first Q_OBJECT of a target needs a new run of cmake.
function(_vitrine_common target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CXX_STANDARD_REQUIRED ON AUTOMOC OFF AUTOMOC_PATH_PREFIX OFF
    POSITION_INDEPENDENT_CODE ON)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(REPLACE_EXTENSION source LAST_ONLY "h" OUTPUT_VARIABLE header)
    foreach(file IN ITEMS "${source}" "${header}")
      if(file MATCHES "\\.(h|cpp)$" AND EXISTS "${file}")
        file(STRINGS "${file}" macros REGEX "Q_(OBJECT|GADGET|NAMESPACE)" LIMIT_COUNT 1)
        if(macros)
          set_target_properties(${target} PROPERTIES AUTOMOC ON)
          return()
        endif()
      endif()
    endforeach()
  endforeach()
endfunction()

# vitrine_add_library(NAME SOURCES file… LINKS target… [FORBIDS target…] [PCH none|core|cli|ui])
# A static library. FORBIDS names targets that must never be reached through its links.
function(vitrine_add_library name)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;LINKS;FORBIDS" ${ARGN})
  set(has_source OFF)
  foreach(source IN LISTS ARG_SOURCES)
    if(source MATCHES "\\.(cpp|mm)$")
      set(has_source ON)
    endif()
  endforeach()
  if(has_source)
    add_library(${name} STATIC ${ARG_SOURCES})
    _vitrine_common(${name})
    target_link_libraries(${name} PUBLIC vitrine_flags ${ARG_LINKS})
    _vitrine_pch(${name} "${ARG_PCH}")
    _vitrine_unity(${name} product)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE vitrine_flags ${ARG_LINKS})
  endif()
  set_property(TARGET ${name} PROPERTY VITRINE_FORBIDS "${ARG_FORBIDS}")
  set_property(GLOBAL APPEND PROPERTY VITRINE_LAYERS ${name})
endfunction()

# Its .mm files are Objective-C++ with ARC, without a precompiled header.
function(vitrine_objective_cxx name)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:OBJCXX>:-fobjc-arc -Wunguarded-availability -Wundeclared-selector>)
  set_target_properties(${name} PROPERTIES OBJCXX_STANDARD 20 OBJCXX_STANDARD_REQUIRED ON OBJCXX_EXTENSIONS OFF)
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.mm$")
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# vitrine_add_program(NAME SOURCES file… LINKS target… [FORBIDS target…] [PCH none|core|cli|ui])
function(vitrine_add_program name)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;LINKS;FORBIDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _vitrine_common(${name})
  target_link_libraries(${name} PRIVATE vitrine_flags ${ARG_LINKS})
  set_property(TARGET ${name} PROPERTY VITRINE_FORBIDS "${ARG_FORBIDS}")
  set_property(GLOBAL APPEND PROPERTY VITRINE_LAYERS ${name})
  _vitrine_pch(${name} "${ARG_PCH}")
  _vitrine_unity(${name} product)
endfunction()

# vitrine_add_test(NAME SOURCES file… LINKS target… LABELS label… [TIMEOUT seconds] [WRAPPER command…] [GUI] [MAIN file] [PARTS number])
# One program, one ctest entry; the target tests_LABEL builds all programs with that label. Its cases are sentences. GUI gives it a QApplication on the offscreen platform.
# WRAPPER is a command that is given the program's path and runs it. PARTS makes that many entries NAME_1, NAME_2, … of it, each
# of which runs its part of the cases: of a long program that would keep one processor busy when all others have ended.
function(vitrine_add_test name)
  cmake_parse_arguments(ARG "GUI" "TIMEOUT;MAIN;PARTS" "SOURCES;LINKS;LABELS;ENVIRONMENT;WRAPPER" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 2")
  endif()
  if(ARG_GUI)
    set(pch test_ui)
  else()
    set(pch test)
  endif()
  if(ARG_MAIN)
    set(main "${ARG_MAIN}")
  else()
    _vitrine_test_main(${pch})
    set(main $<TARGET_OBJECTS:vitrine_main_${pch}>)
  endif()
  add_executable(${name} ${ARG_SOURCES} ${main})
  _vitrine_common(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${name} PRIVATE vitrine_flags vitrine_test_flags ${ARG_LINKS} GTest::gtest)
  target_compile_definitions(${name} PRIVATE
    VITRINE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" VITRINE_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  if(ARG_GUI)
    target_link_libraries(${name} PRIVATE Qt6::Widgets)
  endif()
  _vitrine_pch(${name} ${pch})
  _vitrine_unity(${name} tests)
  foreach(label IN LISTS ARG_LABELS)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${name})
  endforeach()
  if("perm" IN_LIST ARG_LABELS AND NOT SANITIZE AND ("unit" IN_LIST ARG_LABELS OR "service" IN_LIST ARG_LABELS))
    list(APPEND ARG_LABELS anyone) # as root they are run by the sanitizers
  endif()
  if(NOT ARG_PARTS)
    set(ARG_PARTS 1)
  endif()
  foreach(part RANGE 1 ${ARG_PARTS})
    set(test ${name})
    set(environment ${ARG_ENVIRONMENT})
    if(ARG_PARTS GREATER 1)
      math(EXPR index "${part} - 1")
      set(test ${name}_${part})
      list(APPEND environment "GTEST_TOTAL_SHARDS=${ARG_PARTS}" "GTEST_SHARD_INDEX=${index}")
    endif()
    add_test(NAME ${test} COMMAND ${ARG_WRAPPER} $<TARGET_FILE:${name}>)
    set_tests_properties(${test} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
      ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QT_FONT_DPI=96;QT_SCALE_FACTOR=1;UBSAN_OPTIONS=print_stacktrace=1;LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.supp;${environment}")
  endforeach()
endfunction()

# main() of the tests, compiled once for those without windows and once for those with.
function(_vitrine_test_main kind)
  if(TARGET vitrine_main_${kind})
    return()
  endif()
  if(kind STREQUAL "test_ui")
    add_library(vitrine_main_${kind} OBJECT "${PROJECT_SOURCE_DIR}/tests/support/gui_test_main.cpp")
  else()
    add_library(vitrine_main_${kind} OBJECT "${PROJECT_SOURCE_DIR}/tests/support/test_main.cpp")
  endif()
  _vitrine_common(vitrine_main_${kind})
  target_link_libraries(vitrine_main_${kind} PRIVATE vitrine_flags ${_vitrine_pch_${kind}})
  _vitrine_pch(vitrine_main_${kind} ${kind})
endfunction()

# One precompiled header for everything without windows, one for everything with them, one for the command line and two
# for the tests, which are not optimised: they are compiled more often than they run.
set(_vitrine_pch_core Qt6::Core tl::expected)
set(_vitrine_pch_core_headers <algorithm> <memory> <optional> <functional> <chrono> <QString> <QByteArray> <QObject>
    <QJsonArray> <QJsonDocument> <QJsonObject> <QFile> <QFileInfo> <QDir> <QThread> <QTimer> <tl/expected.hpp>)
set(_vitrine_pch_cli ${_vitrine_pch_core} CLI11::CLI11 vitrine_cli_flags)
set(_vitrine_pch_cli_headers ${_vitrine_pch_core_headers} <CLI/App.hpp> <CLI/Config.hpp> <CLI/Formatter.hpp>)
set(_vitrine_pch_ui ${_vitrine_pch_core} Qt6::Gui Qt6::Widgets)
set(_vitrine_pch_ui_headers <algorithm> <memory> <optional> <functional> <QString> <QByteArray> <QObject> <QJsonObject>
    <QTimer> <QLocale> <QPointer> <QWidget> <QApplication> <QLabel> <QPainter> <QLayout> <QLineEdit> <QPushButton> <QComboBox>
    <QCheckBox> <QMenu> <QAbstractItemView> <tl/expected.hpp>)
set(_vitrine_pch_test ${_vitrine_pch_core} GTest::gtest vitrine_test_flags)
set(_vitrine_pch_test_headers ${_vitrine_pch_core_headers} <QCoreApplication> <QElapsedTimer> <QProcess> <QTemporaryDir>
    <gtest/gtest.h>)
set(_vitrine_pch_test_ui ${_vitrine_pch_ui} GTest::gtest vitrine_test_flags)
set(_vitrine_pch_test_ui_headers ${_vitrine_pch_ui_headers} <QElapsedTimer> <QFile> <QProcess> <QTemporaryDir> <gtest/gtest.h>)

function(_vitrine_pch target kind)
  if(NOT USE_PCH OR kind STREQUAL "none")
    return()
  endif()
  if(NOT kind)
    set(kind core)
  endif()
  set(source "${PROJECT_BINARY_DIR}/pch_${kind}.cpp")
  if(NOT TARGET vitrine_pch_${kind})
    file(GENERATE OUTPUT "${source}" CONTENT "")
    add_library(vitrine_pch_${kind} OBJECT "${source}")
    set_target_properties(vitrine_pch_${kind} PROPERTIES CXX_EXTENSIONS OFF CXX_STANDARD_REQUIRED ON
                          POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(vitrine_pch_${kind} PRIVATE vitrine_flags ${_vitrine_pch_${kind}})
    target_precompile_headers(vitrine_pch_${kind} PRIVATE ${_vitrine_pch_${kind}_headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM vitrine_pch_${kind})
endfunction()

# Walks the link graph of each layer and stops configuring when it reaches something it must not depend on. A forbidden
# name stands for its parts too: "vz" for vz_plan and vz_view.
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
      string(REGEX REPLACE "_.*$" "" family "${item}")
      if(item IN_LIST forbidden OR family IN_LIST forbidden)
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
