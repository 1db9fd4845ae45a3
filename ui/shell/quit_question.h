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

struct ClosingChoices {
    std::function<void(bool doNotTellAgain)> close;
    std::function<void()> cancel;
};

// Told when the window is closed, which ends the program, while machines run: they go on.
[[nodiscard]] Question*
makeClosingNotice(const QStringList& runningNames, const ClosingChoices& choices, QWidget* parent);

} // namespace vitrine::ui
