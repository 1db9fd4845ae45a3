// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/host/services.h"

namespace vitrine::vz::test {

// A Mac for whole programs: everything of vz/host over machines that are made up. How its guests
// behave is said by the environment, VITRINE_TEST_GUEST:
//   (nothing)  they shut down when they are asked to
//   deaf       they do not
//   fails      the framework does not start them
//   crashes    they stop with an error as soon as they run
//   slow       they run when the file "go" is in VITRINE_HOME
[[nodiscard]] Services pretendedServices();

} // namespace vitrine::vz::test
