// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

namespace vitrine::test {

// Moves this process and its later children into a network of their own, in which nothing leaves
// the computer: the loopback interface, on which `addresses` stand for hosts elsewhere (they are no
// addresses of an interface), and a resolver at 127.0.0.1. Before the first thread and child.
// Empty, or what failed.
[[nodiscard]] QString enterPrivateNetwork(const QStringList& addresses);

} // namespace vitrine::test
