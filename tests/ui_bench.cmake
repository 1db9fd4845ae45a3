# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(ui_bench_chart_test GUI LABELS gui
  SOURCES ui/bench/bench_chart_test.cpp support/hand_made_campaign.h
  LINKS ui_bench_chart)
