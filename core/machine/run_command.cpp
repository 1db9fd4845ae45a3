// SPDX-License-Identifier: Apache-2.0
#include "core/machine/run_command.h"

#include "core/machine/mac_options.h"

#include <QRegularExpression>

namespace vitrine {

namespace {

void addNetwork(const NetworkOptions& network, QStringList& words) {
    switch (network.mode) {
    case NetworkMode::Nat:
        break;
    case NetworkMode::Bridged:
        for (const QString& interface : network.interfaces)
            words << QStringLiteral("--net-bridged=") + interface;
        break;
    case NetworkMode::HostOnly:
        words << QStringLiteral("--net-host");
        break;
    case NetworkMode::Softnet:
        words << QStringLiteral("--net-softnet");
        break;
    }
    if (network.mode != NetworkMode::Softnet)
        return;
    for (const auto& [option, list] : {std::pair("--net-softnet-allow=", network.allow),
                                       std::pair("--net-softnet-block=", network.block),
                                       std::pair("--net-softnet-expose=", network.expose)})
        if (!list.isEmpty())
            words << QLatin1String(option) + list;
}

void addBoot(const RunOptions& options, QStringList& words) {
    if (!options.bootOrder.isEmpty())
        words << QStringLiteral("--boot=") + toText(options.bootOrder);
    if (!options.kernel)
        return;
    words << QStringLiteral("--kernel=") + options.kernel->kernel;
    if (!options.kernel->initrd.isEmpty())
        words << QStringLiteral("--initrd=") + options.kernel->initrd;
    if (!options.kernel->commandLine.isEmpty())
        words << QStringLiteral("--kernel-args=") + options.kernel->commandLine;
}

} // namespace

QStringList runArguments(const RunOptions& options) {
    QStringList words;
    if (const QString root = options.rootDisk.toText(); !root.isEmpty())
        words << QStringLiteral("--root-disk-opts=") + root;
    for (const ExtraDisk& disk : options.disks)
        words << QStringLiteral("--disk=") + disk.toText();
    addNetwork(options.network, words);
    for (const PortForward& forward : options.forwards)
        words << (forward.hostPort == 0 ? QStringLiteral("--forward=%1").arg(forward.guestPort)
                                        : QStringLiteral("--forward=%1:%2")
                                              .arg(forward.hostPort)
                                              .arg(forward.guestPort));
    for (const ShareSpec& share : options.shares)
        words << QStringLiteral("--dir=") + share.toText();
    addBoot(options, words);
    if (options.accelerator == AcceleratorChoice::Kvm)
        words << QStringLiteral("--accelerator=kvm");
    else if (options.accelerator == AcceleratorChoice::Tcg)
        words << QStringLiteral("--accelerator=tcg");
    if (options.nested)
        words << QStringLiteral("--nested");
    if (options.vncServer)
        words << QStringLiteral("--vnc");
    if (options.serial.kind == SerialLine::Kind::NewTerminal)
        words << QStringLiteral("--serial");
    else if (options.serial.kind == SerialLine::Kind::Device)
        words << QStringLiteral("--serial-path=") + options.serial.path;
    const MacOptions mac = MacOptions::of(options);
    if (!mac.rosetta.isEmpty())
        words << QStringLiteral("--rosetta=") + mac.rosetta;
    if (mac.suspendable)
        words << QStringLiteral("--suspendable");
    if (mac.captureSystemKeys)
        words << QStringLiteral("--capture-system-keys");
    for (const auto& [option, wanted] : {std::pair("--no-trackpad", mac.trackpad),
                                         std::pair("--no-audio", options.audio),
                                         std::pair("--no-clipboard", options.clipboard),
                                         std::pair("--no-pointer", options.pointer),
                                         std::pair("--no-keyboard", options.keyboard)})
        if (!wanted)
            words << QLatin1String(option);
    return words;
}

QString runCommandLine(const QString& machineName, const RunOptions& options) {
    return quotedForShell(QStringList{QStringLiteral("vitrinectl"),
                                      QStringLiteral("run"),
                                      machineName,
                                      QStringLiteral("--plain")} +
                          runArguments(options));
}

QString shareCommandLine(const QString& machineName, const QList<ShareSpec>& shares) {
    const QStringList verb{QStringLiteral("vitrinectl"), QStringLiteral("share"), machineName};
    QStringList lines;
    for (const ShareSpec& share : shares) {
        if (share.isArchive())
            continue;
        QStringList words = verb;
        words << QStringLiteral("add") << share.toText();
        if (!share.readOnly)
            words << QStringLiteral("--writable");
        lines << quotedForShell(words);
    }
    if (lines.isEmpty())
        return quotedForShell(verb + QStringList{QStringLiteral("list")});
    return lines.join(QStringLiteral(" && "));
}

QString quotedForShell(const QString& word) {
    static const QRegularExpression harmless(QStringLiteral("^[A-Za-z0-9_@%+=:,./-]+$"));
    if (harmless.match(word).hasMatch())
        return word;
    QString inside = word;
    inside.replace(QLatin1Char('\''), QLatin1String("'\\''"));
    return QLatin1Char('\'') + inside + QLatin1Char('\'');
}

QString quotedForShell(const QStringList& words) {
    QStringList quoted;
    for (const QString& word : words)
        quoted << quotedForShell(word);
    return quoted.join(QLatin1Char(' '));
}

} // namespace vitrine
