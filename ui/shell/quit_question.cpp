// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/quit_question.h"

#include "core/result/error.h"
#include "core/value/plain_text.h"
#include "ui/shell/question.h"

#include <QCheckBox>
#include <QSettings>

#include <array>
#include <memory>
#include <utility>

namespace vitrine::ui {

namespace {

constexpr int namedMachines = 8;

QStringList shownNames(const QStringList& names) {
    QStringList lines = names.mid(0, namedMachines);
    if (names.size() > namedMachines)
        lines.append(Tr::tr("and %1 more").arg(names.size() - namedMachines));
    return lines;
}

QString onQuitKey() {
    return QStringLiteral("window/onQuit");
}

constexpr std::array<std::pair<OnQuit, const char*>, 4> onQuitWords{
    {{OnQuit::Ask, "ask"},
     {OnQuit::KeepRunning, "keep"},
     {OnQuit::Suspend, "suspend"},
     {OnQuit::ShutDown, "shutDown"}}};

} // namespace

OnQuit onQuit() {
    const QString word = QSettings().value(onQuitKey()).toString();
    for (const auto& [wish, known] : onQuitWords)
        if (word == QLatin1String(known))
            return wish;
    return OnQuit::Ask;
}

void setOnQuit(OnQuit wish) {
    for (const auto& [known, word] : onQuitWords)
        if (known == wish)
            QSettings().setValue(onQuitKey(), QLatin1String(word));
}

Question* makeHostedQuitQuestion(const QList<HostedMachine>& machines,
                                 qsizetype others,
                                 const HostedQuitChoices& choices,
                                 QWidget* parent) {
    QStringList lines;
    QStringList refusals;
    for (const HostedMachine& machine : machines) {
        const QString name = plainText(machine.name);
        if (!machine.suspendRefusal.isEmpty())
            refusals.append(
                Tr::tr("\"%1\" cannot be suspended. %2").arg(name, machine.suspendRefusal));
        lines.append(name);
    }
    QString text = Tr::tr("Their screens are part of Vitrine, so they end with it. Suspended ones "
                          "go on where they were at the next start.");
    if (others > 0)
        text += QLatin1Char(' ') +
                Tr::tr("%n more run(s) without a window and go(es) on.", nullptr, int(others));
    if (!refusals.isEmpty())
        text += QStringLiteral("\n\n") + shownNames(refusals).join(QLatin1Char('\n'));
    return new Question(machines.size() == 1
                            ? Tr::tr("Quit Vitrine while \"%1\" runs?").arg(lines.first())
                            : Tr::tr("Quit Vitrine while %1 machines run?").arg(machines.size()),
                        text,
                        machines.size() == 1 ? QStringList() : shownNames(lines),
                        {{Tr::tr("Shut Down"), Question::Look::Destructive, choices.shutDown},
                         {Tr::tr("Cancel"), Question::Look::Normal, choices.cancel, true},
                         {Tr::tr("Suspend"),
                          refusals.isEmpty() ? Question::Look::Primary : Question::Look::Normal,
                          choices.suspend,
                          false,
                          refusals.join(QLatin1Char('\n'))}},
                        parent);
}

Question*
makeClosingNotice(const QStringList& runningNames, const ClosingChoices& choices, QWidget* parent) {
    // The answer runs after the question is gone; the box is read when it is ticked.
    const auto again = std::make_shared<bool>(false);
    auto* question = new Question(
        Tr::tr("Close the window? Machines go on running."),
        Tr::tr("They run in processes of their own; opening Vitrine again shows them. To shut them "
               "down as well, quit instead (Ctrl+Q)."),
        shownNames(runningNames),
        {{Tr::tr("Cancel"), Question::Look::Normal, choices.cancel, true},
         {Tr::tr("Close Window"),
          Question::Look::Primary,
          [close = choices.close, again] { close(*again); },
          false}},
        parent);
    const QCheckBox* box = question->addCheckBox(Tr::tr("Do not tell this again"));
    QObject::connect(box, &QCheckBox::toggled, question, [again](bool ticked) { *again = ticked; });
    return question;
}

Question*
makeQuitQuestion(const QStringList& runningNames, const QuitChoices& choices, QWidget* parent) {
    QList<Question::Answer> answers{
        {Tr::tr("Shut Down"), Question::Look::Destructive, choices.shutDown, false}};
    if (choices.suspend)
        answers.append({Tr::tr("Suspend"), Question::Look::Normal, choices.suspend, false});
    answers.append({Tr::tr("Cancel"), Question::Look::Normal, choices.cancel, true});
    answers.append({Tr::tr("Keep Running"), Question::Look::Primary, choices.keepRunning, false});
    return new Question(
        Tr::tr("Quit Vitrine while machines run?"),
        Tr::tr(
            "Machines run in processes of their own. They can go on without this window; opening "
            "Vitrine again shows them."),
        shownNames(runningNames),
        answers,
        parent);
}

} // namespace vitrine::ui
