# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(ui_console_test GUI
  SOURCES ui/console/fake_display.h ui/console/scan_codes_test.cpp ui/console/frame_scaler_test.cpp
          ui/console/framebuffer_view_test.cpp ui/console/console_page_test.cpp
  LINKS ui_console LABELS gui)
