// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

#include <functional>

class QWidget;

namespace vitrine::ui {

class Question;

// What becomes of running machines when the program is quit; remembered (menu File).
enum class OnQuit { Ask, KeepRunning, Suspend, ShutDown };
[[nodiscard]] OnQuit onQuit();
void setOnQuit(OnQuit wish);

// Asked when the program is quit while machines run.
struct QuitChoices {
    std::function<void()> keepRunning;
    std::function<void()> shutDown;
    std::function<void()> suspend; // empty: not possible here
    std::function<void()> cancel;
};
[[nodiscard]] Question*
makeQuitQuestion(const QStringList& runningNames, const QuitChoices& choices, QWidget* parent);

// A machine that ends with the program.
struct HostedMachine {
    QString name;
    QString suspendRefusal; // translated; empty when it can be suspended
};
struct HostedQuitChoices {
    std::function<void()> shutDown;
    std::function<void()> suspend; // greyed while one of them cannot be
    std::function<void()> cancel;
};
// Asked when the program is quit while it hosts machines: they cannot go on without it. `others`
// run in processes of their own and do.
[[nodiscard]] Question* makeHostedQuitQuestion(const QList<HostedMachine>& machines,
                                               qsizetype others,
                                               const HostedQuitChoices& choices,
                                               QWidget* parent);

struct ClosingChoices {
    std::function<void(bool doNotTellAgain)> close;
    std::function<void()> cancel;
};

// Told when the window is closed, which ends the program, while machines run: they go on.
[[nodiscard]] Question*
makeClosingNotice(const QStringList& runningNames, const ClosingChoices& choices, QWidget* parent);

} // namespace vitrine::ui
