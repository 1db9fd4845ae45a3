# SPDX-License-Identifier: Apache-2.0
vitrine_add_test(core_bench_test
  SOURCES core/bench/statistics_test.cpp
            core/bench/fio_report_test.cpp
            core/bench/tart_table_test.cpp
            core/bench/campaign_test.cpp
            core/bench/campaign_store_test.cpp
            core/bench/suite_test.cpp
            core/bench/suspicion_test.cpp
            core/bench/comparison_test.cpp
            core/bench/campaign_run_test.cpp
            core/bench/reported_time_test.cpp
            core/bench/page_cache_test.cpp
            core/bench/executor_spec_test.cpp
            core/bench/guest_executor_test.cpp
            core/bench/guest_shell_test.cpp
  LINKS core_bench LABELS unit)
target_compile_definitions(core_bench_test PRIVATE VITRINE_SOURCE="${PROJECT_SOURCE_DIR}")
if(EXISTS /usr/bin/apt-get AND EXISTS /usr/bin/dpkg-deb) # which it uses
  vitrine_add_test(core_bench_install_test SOURCES core/bench/install_fio_test.cpp LINKS core_bench LABELS service)
endif()
# It waits for a real fio and a real disk.
vitrine_add_test(core_bench_cache_test SOURCES core/bench/cache_check_test.cpp LINKS core_bench LABELS service)
vitrine_add_test(core_bench_charts_test
  SOURCES core/bench/charts/charts_test.cpp support/hand_made_campaign.h
  LINKS core_bench_charts LABELS unit)
