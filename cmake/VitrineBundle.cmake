# SPDX-License-Identifier: Apache-2.0
# Vitrine.app: the targets "bundle" (complete and signed) and "dmg".
include_guard(GLOBAL)

set(VITRINE_SIGNING_IDENTITY "-" CACHE STRING "Identity that codesign signs with; - is ad hoc")
option(VITRINE_BRIDGED "Sign with com.apple.vm.networking (needs an identity and a provisioning profile)" OFF)

# vitrine_bundle(WINDOW COMMAND_LINE): WINDOW becomes Vitrine.app, with COMMAND_LINE beside it.
function(vitrine_bundle window command_line)
  set(packaging "${PROJECT_SOURCE_DIR}/packaging/macos")
  set(icon "${CMAKE_BINARY_DIR}/Vitrine.icns")
  add_custom_command(OUTPUT "${icon}"
    COMMAND "${packaging}/icon.sh" "${PROJECT_SOURCE_DIR}/resources/vitrine.svg" "${icon}"
    DEPENDS "${packaging}/icon.sh" "${PROJECT_SOURCE_DIR}/resources/vitrine.svg" VERBATIM)
  set_source_files_properties("${icon}" PROPERTIES MACOSX_PACKAGE_LOCATION Resources)
  target_sources(${window} PRIVATE "${icon}")
  set_target_properties(${window} PROPERTIES OUTPUT_NAME Vitrine MACOSX_BUNDLE ON
    MACOSX_BUNDLE_INFO_PLIST "${packaging}/Info.plist.in" MACOSX_BUNDLE_GUI_IDENTIFIER org.vitrine.Vitrine)

  find_program(MACDEPLOYQT macdeployqt HINTS "${Qt6_DIR}/../../../bin" REQUIRED)
  set(app "$<TARGET_BUNDLE_DIR:${window}>")
  set(sign "${packaging}/sign.sh" "${app}" --identity "${VITRINE_SIGNING_IDENTITY}")
  if(VITRINE_BRIDGED)
    list(APPEND sign --bridged)
  endif()
  # macdeployqt looks for what plugins need only after it copied them, from where they then are: Homebrew's look four folders
  # above, which is lib/ beside the application.
  find_path(VITRINE_QT_FRAMEWORKS QtSvg.framework HINTS "${Qt6_DIR}/../.." NO_CMAKE_FIND_ROOT_PATH)
  if(VITRINE_QT_FRAMEWORKS)
    set(beside COMMAND "${CMAKE_COMMAND}" -E create_symlink "${VITRINE_QT_FRAMEWORKS}" "${app}/../lib")
  endif()
  add_custom_target(bundle
    ${beside}
    COMMAND "${CMAKE_COMMAND}" -E copy "$<TARGET_FILE:${command_line}>" "${app}/Contents/MacOS/"
    COMMAND "${MACDEPLOYQT}" "${app}" "-executable=${app}/Contents/MacOS/$<TARGET_FILE_NAME:${command_line}>"
    COMMAND ${sign}
    DEPENDS ${window} ${command_line} VERBATIM)
  set(dmg "${CMAKE_BINARY_DIR}/Vitrine-${PROJECT_VERSION}.dmg")
  set(stage "${CMAKE_BINARY_DIR}/dmg")
  add_custom_target(dmg
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${stage}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${stage}"
    COMMAND ditto "${app}" "${stage}/Vitrine.app"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink /Applications "${stage}/Applications"
    COMMAND hdiutil create -ov -format UDZO -volname Vitrine -srcfolder "${stage}" "${dmg}"
    DEPENDS bundle VERBATIM)
endfunction()
