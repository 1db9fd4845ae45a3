// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/quit_question.h"

#include "core/result/error.h"
#include "ui/shell/question.h"

namespace vitrine::ui {

namespace {

constexpr int namedMachines = 8;

} // namespace

Question*
makeQuitQuestion(const QStringList& runningNames, const QuitChoices& choices, QWidget* parent) {
    QStringList lines = runningNames.mid(0, namedMachines);
    if (runningNames.size() > namedMachines)
        lines.append(Tr::tr("and %1 more").arg(runningNames.size() - namedMachines));
    return new Question(
        Tr::tr("Quit Vitrine while machines run?"),
        Tr::tr(
            "Machines run in processes of their own. They can go on without this window; opening "
            "Vitrine again shows them."),
        lines,
        {{Tr::tr("Shut Down"), Question::Look::Destructive, choices.shutDown, false},
         {Tr::tr("Cancel"), Question::Look::Normal, choices.cancel, true},
         {Tr::tr("Keep Running"), Question::Look::Primary, choices.keepRunning, false}},
        parent);
}

} // namespace vitrine::ui
