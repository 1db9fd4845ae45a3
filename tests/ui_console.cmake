# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(ui_console_test GUI
  SOURCES ui/console/fake_display.h ui/console/scan_codes_test.cpp ui/console/frame_scaler_test.cpp
          ui/console/framebuffer_view_test.cpp ui/console/console_page_test.cpp
          ui/console/keyboard_layout_test.cpp ui/console/serial_panel_test.cpp ui/console/clipboard_bridge_test.cpp
          support/fake_machine.h support/fake_machine.cpp
  LINKS ui_console core LABELS gui)
vitrine_add_test(ui_terminal_test GUI SOURCES ui/terminal/terminal_view_test.cpp LINKS ui_terminal LABELS gui)
# The desktop's scale is fixed when a program starts.
vitrine_add_test(ui_refit_test GUI
  SOURCES ui/console/fake_display.h ui/console/refit_test.cpp LINKS ui_console LABELS gui)
vitrine_add_test(ui_refit_scaled_test GUI
  SOURCES ui/console/fake_display.h ui/console/refit_test.cpp LINKS ui_console LABELS gui
  ENVIRONMENT "QT_SCALE_FACTOR=2")
