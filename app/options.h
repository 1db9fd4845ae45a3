// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "ui/theme/theme.h"

#include <QSize>
#include <QString>
#include <QStringList>

namespace vitrine::app {

// The command line of the window's program.
struct Options {
    QString library;                       // --library, else VITRINE_HOME, TART_HOME, the default
    std::optional<ui::SchemeChoice> theme; // else what was chosen in the window's menu
    QString console;                       // --console NAME: show this machine's screen
    // --start FILE, with --console: what `vitrinectl run` wants this machine started with
    // (core/run/run_request_file.h). Absolute; of no use to people, so not part of the help.
    QString start;
    QString page;         // --page overview|console|settings|snapshots|transfers|image|pull
    QString screenshot;   // --screenshot FILE: write a picture of the window and end
    QSize size;           // --size WIDTHxHEIGHT; empty: as it was left
    QString tour;         // --tour DIR: drive the window by itself and leave pictures in DIR
    QString tourImage;    // --tour-image REFERENCE
    QString insecureHost; // --insecure-registry HOST, for the tour
    bool help = false;
    bool version = false;

    // InvalidInput with a sentence for anything wrong. `arguments` without the program.
    [[nodiscard]] static Result<Options> parse(const QStringList& arguments);
    [[nodiscard]] static QString helpText();
    // Other windows of the same library are left alone and not asked for anything.
    [[nodiscard]] bool isForPictures() const { return !screenshot.isEmpty() || !tour.isEmpty(); }
};

} // namespace vitrine::app
