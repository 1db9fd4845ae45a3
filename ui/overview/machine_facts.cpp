// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/machine_facts.h"

#include "core/hypervisor/ssh_process.h"
#include "ui/library/machine_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QHash>
#include <QLocale>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <functional>
#include <utility>

namespace vitrine::ui {

namespace {

constexpr int labelWidth = 72;

TextLabel* value(QWidget* parent) {
    auto* label = new TextLabel({}, TextSize::Body, TextTone::Text, parent);
    label->setWordWrap(true);
    label->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    return label;
}

void setHelp(const Form::Row& row, const QString& text) {
    row.help->setText(text);
    row.help->setVisible(!text.isEmpty());
}

} // namespace

namespace {

QString acceleratorText(const QString& accelerator) {
    return accelerator == QLatin1String("TCG") ? Tr::tr("TCG, emulated") : accelerator;
}

QString acceleratorHelp(const QString& accelerator) {
    if (accelerator == QLatin1String("TCG"))
        return Tr::tr("TCG is QEMU's emulation: every instruction of the guest is translated by a "
                      "program, which is many times slower than the processor itself.");
    if (accelerator == QLatin1String("KVM"))
        return Tr::tr("KVM lets the guest run on the processor itself, at nearly full speed.");
    return {};
}

} // namespace

QStringList waitingTexts(const QList<PendingChange>& pending) {
    const auto number = [](const QJsonValue& value) {
        return QLocale().toString(value.toInteger());
    };
    const auto memory = [](const QJsonValue& value) {
        return ByteCount::fromBytes(static_cast<quint64>(value.toInteger())).toMemoryText();
    };
    const auto size = [](const QJsonValue& value) {
        return ByteCount::fromBytes(static_cast<quint64>(value.toInteger())).toText();
    };
    const auto text = [](const QJsonValue& value) { return value.toString(); };
    const auto display = [](const QJsonValue& value) {
        const auto read = DisplaySize::fromText(value.toString());
        if (!read)
            return value.toString();
        const QString unit = read->unit == DisplaySize::Unit::Points   ? QStringLiteral("\u00A0pt")
                             : read->unit == DisplaySize::Unit::Pixels ? QStringLiteral("\u00A0px")
                                                                       : QString();
        return Tr::tr("%1 × %2").arg(read->width).arg(read->height) + unit;
    };
    const auto refit = [](const QJsonValue& value) {
        return !value.isBool()  ? Tr::tr("automatic")
               : value.toBool() ? Tr::tr("on")
                                : Tr::tr("off");
    };
    using Word = std::function<QString(const QJsonValue&)>;
    const QHash<QString, std::pair<QString, Word>> known{
        {QStringLiteral("cpuCount"), {Tr::tr("Processors"), number}},
        {QStringLiteral("memorySize"), {Tr::tr("Memory"), memory}},
        {QStringLiteral("display"), {Tr::tr("Display"), display}},
        {QStringLiteral("displayRefit"), {Tr::tr("Refit"), refit}},
        {QStringLiteral("macAddress"), {Tr::tr("MAC address"), text}},
        {QStringLiteral("diskSize"), {Tr::tr("Disk"), size}}};
    QStringList texts;
    for (const PendingChange& change : pending) {
        const auto entry = known.constFind(change.key);
        if (entry == known.constEnd() || change.oldValue == change.newValue)
            continue;
        const auto& [name, word] = *entry;
        texts << QStringLiteral("%1: %2 → %3")
                     .arg(name, word(change.oldValue), word(change.newValue));
    }
    return texts;
}

QString sshLine(const MachineStatus* status) {
    const auto address = status != nullptr ? status->sshAddress() : MachineStatus::SshAddress();
    if (!address.isKnown())
        return {};
    // The line is pasted into a shell.
    static const QRegularExpression plain(QStringLiteral("\\A[A-Za-z0-9_][A-Za-z0-9_.-]*\\z"));
    const QString user = plain.match(status->sshUser).hasMatch()
                             ? status->sshUser
                             : QString::fromLatin1(usualGuestUser);
    if (address.port == 22)
        return QStringLiteral("ssh %1@%2").arg(user, address.host);
    return QStringLiteral("ssh -p %1 %2@%3").arg(QString::number(address.port), user, address.host);
}

MachineFacts::MachineFacts(QWidget* parent)
    : QWidget(parent)
    , m_form(new Form(labelWidth, this))
    , m_system(value(this))
    , m_processor(value(this))
    , m_memory(value(this))
    , m_disk(value(this))
    , m_display(value(this))
    , m_network(value(this))
    , m_waiting(value(this))
    , m_signIn(new TextLabel({}, TextSize::Fixed, TextTone::Text, this))
    , m_copySignIn(new CopyButton(tr("Copy the ssh line"), this))
    , m_viewer(new TextLabel({}, TextSize::Fixed, TextTone::Text, this))
    , m_copyViewer(new CopyButton(tr("Copy the address with its password"), this))
    , m_image(new ElidedLabel({}, Qt::ElideMiddle, TextSize::Body, TextTone::Text, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);
    layout->addStretch();
    m_form->setDense(true);
    m_systemRow = m_form->addRow(tr("System"), m_system);
    m_form->addRow(tr("Processor"), m_processor);
    m_form->addRow(tr("Memory"), m_memory);
    m_diskRow = m_form->addRow(tr("Disk"), m_disk);
    m_form->addRow(tr("Display"), m_display);
    m_networkRow = m_form->addRow(tr("Network"), m_network);
    // On two lines rather than cut: it is there to be read and typed.
    m_signIn->setWordWrap(true);
    m_signIn->makeSelectable();
    m_signIn->setFocusPolicy(Qt::ClickFocus);
    m_signIn->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_signInRow = m_form->addRow(tr("Sign in"), m_signIn);
    m_signInRow.controls->insertWidget(1, m_copySignIn);
    m_signInRow.controls->setStretchFactor(m_signIn, 1);
    m_viewer->makeSelectable();
    m_viewer->setFocusPolicy(Qt::ClickFocus);
    m_viewerRow = m_form->addRow(tr("VNC"), m_viewer);
    m_viewerRow.controls->insertWidget(1, m_copyViewer);
    setHelp(m_viewerRow,
            tr("Any viewer on this computer opens it. The password is copied with it."));
    showViewer({}, {});
    m_waitingRow = m_form->addRow(tr("Waiting"), m_waiting);
    m_imageRow = m_form->addRow(tr("Image"), m_image);
}

void MachineFacts::showViewer(const QString& address, const QString& url) {
    m_viewer->setText(address);
    m_copyViewer->setTextToCopy(url);
    m_form->setRowVisible(m_viewerRow, !url.isEmpty());
}

void MachineFacts::showNetwork(const MachineStatus* status, NetworkMode stored) {
    // What it runs with, else what it will be started with.
    const NetworkMode mode =
        networkModeFromWord(status != nullptr ? status->network : QString()).value_or(stored);
    const QString address = status != nullptr ? status->address : QString();
    // A Mac has no forwards: it reaches its guests themselves.
    const bool direct = status != nullptr && status->sshPort == 0 && !address.isEmpty();
    QStringList help;
    switch (mode) {
    case NetworkMode::Nat:
        m_network->setText(tr("NAT"));
        if (direct)
            help << tr("The guest has the address %1.").arg(address);
        else if (!address.isEmpty())
            help << tr("The guest sees %1; from here it is reached through the forwarded port.")
                        .arg(address);
        help << tr("The guest reaches what this computer reaches, but not services on its "
                   "127.0.0.1.");
        break;
    case NetworkMode::Bridged:
        m_network->setText(tr("Bridged"));
        help
            << (address.isEmpty()
                    ? tr("The guest is a computer of its own in the network.")
                    : tr("The guest is a computer of its own in the network, at %1.").arg(address));
        break;
    case NetworkMode::HostOnly:
        m_network->setText(tr("Host only"));
        help << (direct ? tr("The guest reaches nothing outside. Its address is %1.").arg(address)
                        : tr("The guest reaches nothing outside. From here it is reached through "
                             "the forwarded port."));
        break;
    case NetworkMode::Softnet:
        m_network->setText(tr("Softnet"));
        help << tr("The guest reaches what its rules allow.");
        break;
    }
    setHelp(m_networkRow, help.join(QLatin1Char(' ')));
}

void MachineFacts::showMachine(const MachineInfo& info,
                               const MachineStatus* status,
                               const Sidecar& sidecar) {
    if (!info.config)
        return;
    const MachineConfig& config = *info.config;
    const QString accelerator = status != nullptr ? status->accelerator : QString();
    m_system->setText(accelerator.isEmpty()
                          ? systemText(info)
                          : tr("%1 · %2").arg(systemText(info), acceleratorText(accelerator)));
    m_system->setToolTip(acceleratorHelp(accelerator).toHtmlEscaped());
    QStringList notes;
    if (status != nullptr) {
        for (const QString& note : {status->acceleratorNote, status->note}) {
            if (!note.isEmpty() && !notes.contains(note))
                notes.append(note);
        }
    }
    setHelp(m_systemRow, notes.join(QLatin1Char(' ')));
    m_processor->setText(coresText(config.cpuCount));
    m_memory->setText(config.memory.toMemoryText());
    m_disk->setText(info.diskSize.toText());
    setHelp(m_diskRow, tr("%1 used on this computer.").arg(info.allocated.toText()));
    const int width = status != nullptr && status->width > 0 ? status->width : config.display.width;
    const int height =
        status != nullptr && status->height > 0 ? status->height : config.display.height;
    m_display->setText(tr("%1 × %2").arg(width).arg(height));

    showNetwork(status, sidecar.run.network.mode);

    const QString line = sshLine(status);
    m_signIn->setText(line);
    // As wide as the line where there is room, with the button beside it.
    m_signIn->setMaximumWidth(QFontMetrics(Theme::fixed()).horizontalAdvance(line) + 2);
    m_copySignIn->setTextToCopy(line);
    m_form->setRowVisible(m_signInRow, !line.isEmpty());
    const QStringList waiting = waitingTexts(status != nullptr ? status->pending : sidecar.pending);
    m_waiting->setText(waiting.join(QLatin1Char('\n')));
    setHelp(m_waitingRow,
            info.state == MachineState::Suspended
                ? tr("These settings count when the machine was shut down and starts anew, not "
                     "when it resumes.")
                : tr("These settings count from the next start."));
    m_form->setRowVisible(m_waitingRow, !waiting.isEmpty());
    m_image->setText(sidecar.sourceImage);
    m_form->setRowVisible(m_imageRow, !sidecar.sourceImage.isEmpty());
}

} // namespace vitrine::ui
