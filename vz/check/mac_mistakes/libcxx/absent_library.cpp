// |no template named 'move_only_function'
// SPDX-License-Identifier: Apache-2.0
#include <functional>

std::move_only_function<void()> wish;
