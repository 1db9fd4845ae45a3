// SPDX-License-Identifier: Apache-2.0
#include "ui/console/console_facts.h"

#include "core/hypervisor/machine_client.h"
#include "core/value/plain_text.h"

#include <QCoreApplication>
#include <QLocale>

namespace vitrine::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("vitrine::ui::ConsoleFacts", text);
}

QString elapsed(qint64 seconds) {
    return seconds < 60
               ? tr("%1 s").arg(QLocale().toString(seconds))
               : tr("%1 min %2 s")
                     .arg(QLocale().toString(seconds / 60), QLocale().toString(seconds % 60));
}

// What the settings wish now: a change waits for the end of the run to be written, but the console
// can heed it at once.
Refit refitOf(const MachineConfig& config, const MachineClient* client) {
    if (client != nullptr && client->isConnected()) {
        for (const PendingChange& change : client->status().pending) {
            if (change.key == QLatin1String("displayRefit")) {
                return !change.newValue.isBool()  ? Refit::Automatic
                       : change.newValue.toBool() ? Refit::On
                                                  : Refit::Off;
            }
        }
    }
    return config.refit;
}

} // namespace

ConsoleFacts consoleFacts(const MachineInfo& info, const MachineClient* client) {
    ConsoleFacts facts;
    facts.name = info.name;
    facts.directory = info.directory;
    facts.state = info.state;
    facts.reason = info.brokenReason;
    facts.holderPid = info.holderPid;
    facts.responding = info.responding;
    if (info.config) {
        facts.refit = refitOf(*info.config, client);
        // Specification 2.2: automatic is on for every guest but Linux.
        facts.followsWindow =
            facts.refit == Refit::On ||
            (facts.refit == Refit::Automatic && info.config->system != GuestSystem::Linux);
    }
    if (client != nullptr && info.state != MachineState::Broken) {
        facts.answers = client->isConnected();
        if (facts.answers) {
            facts.state = client->status().state;
            facts.responding = info.responding && client->status().responding;
            facts.startedAt = client->status().startedAt;
            facts.reason = client->status().lastError;
            facts.socket = client->displaySocket();
            if (client->supports(QStringLiteral("serial.info"))) {
                facts.serialSocket = client->consoleSocket();
            }
        }
    }
    return facts;
}

ConsoleWords consoleWords(const ConsoleFacts& facts, const QString& failure, qint64 seconds) {
    switch (facts.state) {
    case MachineState::Broken:
        return {QStringLiteral("error"), tr("This machine is broken"), facts.reason, {}};
    case MachineState::Stopped:
        if (!failure.isEmpty()) {
            return {QStringLiteral("error"),
                    tr("\"%1\" could not be started").arg(plainText(facts.name)),
                    failure,
                    tr("Try Again")};
        }
        return {QStringLiteral("display"),
                tr("\"%1\" is not running").arg(plainText(facts.name)),
                tr("Start it to see and use its screen."),
                tr("Start")};
    case MachineState::Suspended:
        return {QStringLiteral("suspend"),
                tr("\"%1\" is suspended").arg(plainText(facts.name)),
                failure.isEmpty() ? tr("It goes on where it was when it is resumed.") : failure,
                tr("Resume")};
    case MachineState::RunningElsewhere:
        return {QStringLiteral("elsewhere"),
                tr("\"%1\" runs elsewhere").arg(plainText(facts.name)),
                facts.holderPid > 0
                    ? tr("Another program, process %1, runs this machine. Its screen can only be "
                         "shown there.")
                          .arg(QLocale().toString(facts.holderPid))
                    : tr("Another computer runs this machine. Its screen can only be shown there."),
                {}};
    case MachineState::Starting:
        return {QStringLiteral("clock"),
                tr("\"%1\" is starting").arg(plainText(facts.name)),
                tr("Since %1. Its screen is shown as soon as there is one.").arg(elapsed(seconds)),
                {}};
    case MachineState::Running:
    case MachineState::Paused:
    case MachineState::ShuttingDown:
    case MachineState::Suspending:
        break;
    }
    if (!facts.answers) {
        return {
            QStringLiteral("clock"),
            tr("Waiting for \"%1\"").arg(plainText(facts.name)),
            tr("The machine runs, but its process has not answered for %1.").arg(elapsed(seconds)),
            {}};
    }
    if (facts.screen == ConsoleFacts::Screen::Elsewhere) {
        return {QStringLiteral("elsewhere"),
                tr("The screen of \"%1\" cannot be shown here").arg(plainText(facts.name)),
                tr("It was started without a window, by \"vitrinectl run --no-graphics\". macOS "
                   "shows a screen only in the program that started the machine. Shut it down and "
                   "start it here to see it; its serial console and ssh work meanwhile."),
                {}};
    }
    return {QStringLiteral("clock"),
            tr("Connecting to the screen"),
            failure.isEmpty() ? tr("Since %1.").arg(elapsed(seconds)) : failure,
            {}};
}

} // namespace vitrine::ui
