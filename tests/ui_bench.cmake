# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(ui_bench_chart_test GUI LABELS gui
  SOURCES ui/bench/bench_chart_test.cpp support/hand_made_campaign.h
  LINKS ui_bench_chart)
vitrine_add_test(ui_bench_test GUI LABELS gui perm
  SOURCES ui/bench/bench_page_test.cpp ui/bench/bench_run_test.cpp ui/bench/bench_fixture.h ui/shell/window_fixture.h support/hand_made_campaign.h
          support/layout_misfits.h
  LINKS test_fakes ui_shell)
add_dependencies(ui_bench_test vitrinectl)
target_compile_definitions(ui_bench_test PRIVATE SOURCE_DIR="${PROJECT_SOURCE_DIR}")
