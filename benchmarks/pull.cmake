# SPDX-License-Identifier: Apache-2.0
# pull_benchmark.py needs these, vitrinectl, and vitrine-push-image of the tests.
vitrine_add_program(make_disk SOURCES make_disk_main.cpp LINKS PCH none)
set_target_properties(make_disk PROPERTIES OUTPUT_NAME vitrine-make-disk)
