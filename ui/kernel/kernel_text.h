// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "ui/kernel/kernel_child.h"

#include <QList>
#include <QString>

namespace vitrine::ui {

// A target of a list, as `vitrinectl kernel list --format json` tells it.
struct KernelTarget {
    QString name;
    QString kernel;
    QString command;
    bool writable = false;
};

// What one target of a list came to.
struct KernelTargetOutcome {
    KernelResult result;
    QByteArray output; // the last part of each
    QByteArray errors;
};

// "Exit code 0 after 3.2 s, over virtiofs." One line.
[[nodiscard]] QString resultText(const KernelResult& result);
// "3.2 s"
[[nodiscard]] QString secondsText(double seconds);
// The line to type, quoted for a shell: "vitrinectl" and `words`.
[[nodiscard]] QString kernelCommandLine(const QStringList& words);

// The newest kernel in a folder such as /boot that this user can read; empty when there is none.
// Reads the disk: any thread but the window's.
[[nodiscard]] QString newestKernel(const QString& folder);
// Integrity when it is not what vitrinectl prints.
[[nodiscard]] Result<QList<KernelTarget>> targetsFromJson(const QByteArray& json);
[[nodiscard]] Result<KernelTargetOutcome> outcomeFromJson(const QByteArray& json);

} // namespace vitrine::ui
