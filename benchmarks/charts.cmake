# SPDX-License-Identifier: Apache-2.0
# Figure: a chart of 10,000 points is drawn first within 150 ms of the window's thread's own time.
if(TARGET ui_bench_chart)
  vitrine_add_program(bench_chart_benchmark SOURCES bench_chart_benchmark.cpp LINKS ui_bench_chart PCH none)
endif()
