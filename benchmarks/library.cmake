# SPDX-License-Identifier: Apache-2.0
# Figure: a library of 1,000 machines lists in under 100 ms warm.
find_package(benchmark REQUIRED)
vitrine_add_program(library_list_benchmark SOURCES library_list_benchmark.cpp
  LINKS core_library benchmark::benchmark PCH none)
