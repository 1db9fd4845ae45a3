// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>
#include <QStringList>

namespace vitrine {

// Softnet as it is installed on a Mac.
struct SoftnetProgram {
    QString path;          // links followed
    bool isRaised = false; // owned by root and set-uid: it can make its network by itself
    bool maySudo = false;  // sudo runs it without a password, which it asks for by itself
    // What its --help names; versions differ and 0.19.0 does not tell its own.
    bool hasControl = false; // rules change while it runs
    bool hasVersion = false;

    // What to type in a terminal, which a window does not have; empty when nothing is missing.
    [[nodiscard]] QString remedy() const;
};

// The first file of that name in `folders` (empty: PATH). NotFound says how to install it. Runs
// `softnet --help` and perhaps sudo for at most 2 s each: not for the window's thread.
[[nodiscard]] Result<SoftnetProgram> findSoftnet(QStringList folders = {});

} // namespace vitrine
