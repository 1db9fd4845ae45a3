// SPDX-License-Identifier: Apache-2.0
#include "ui/sharing/sharing_page.h"

#include "core/hypervisor/ssh_process.h"
#include "core/machine/run_command.h"
#include "ui/machines/machine_clients.h"
#include "ui/sharing/path_drop.h"
#include "ui/sharing/share_actions.h"
#include "ui/sharing/share_table.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/command_row.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/reason_label.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace vitrine::ui {

SharingPage::SharingPage(const Services& services, ShareActions* actions, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_actions(actions)
    , m_hint(new TextLabel({}, TextSize::Body, TextTone::Secondary, this))
    , m_add(normalButton(tr("Share Folder…"), u"plus", this))
    , m_own(normalButton(tr("Take Ownership"), {}, this))
    , m_remove(normalButton(tr("Stop Sharing"), {}, this))
    , m_reason(new ReasonLabel(this))
    , m_transport(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_table(new ShareTable(this))
    , m_stack(new QStackedWidget(this))
    , m_message(new MessageBar(this))
    , m_problem(new MessageBar(this))
    , m_drop(new PathDrop(this))
    , m_command(new CommandRow(this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_hint->setWordWrap(true);
    m_transport->setWordWrap(true);
    m_problem->setDismissible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical - spacing::tight,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    layout->setSpacing(spacing::grid);
    auto* top = new QHBoxLayout;
    top->setSpacing(spacing::tight);
    top->addWidget(m_add);
    top->addWidget(m_own);
    top->addWidget(m_remove);
    top->addStretch();
    layout->addWidget(m_hint);
    layout->addLayout(top);
    layout->addWidget(m_reason);
    layout->addWidget(m_transport);
    layout->addWidget(m_message);
    auto* empty = new QWidget(m_stack);
    auto* words = new QVBoxLayout(empty);
    words->setContentsMargins(0, spacing::block, 0, 0);
    words->addWidget(sectionHeading(tr("No shared folders yet"), empty));
    words->addWidget(helpLabel(
        tr("Drop folders here, on the console or on the machine in the list. The guest's user sees "
           "them under /mnt/vitrine and cannot change them unless you allow it."),
        empty));
    words->addStretch();
    m_stack->addWidget(m_table);
    m_stack->addWidget(empty);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_command);

    m_drop->setOffer([this](const QStringList& paths) {
        const QString refused = m_actions->refusal(m_info);
        if (!refused.isEmpty())
            return PathDrop::Offer{false, tr("Nothing can be shared here now."), refused, {}};
        return shareOffer(paths, m_info.name);
    });
    m_drop->setArea([this] {
        QRect area = m_stack->geometry();
        const int rows = int(m_table->shares().size()) + 1;
        const int used = std::min(rows * (spacing::tableRow + 1) + spacing::grid,
                                  std::max(0, area.height() - 160));
        area.setTop(area.top() + (m_table->shares().isEmpty() ? 0 : used));
        area.setBottom(m_command->y() - spacing::grid);
        return area;
    });
    connect(m_drop, &PathDrop::dropped, this, &SharingPage::pathsDropped);
    connect(m_add, &QPushButton::clicked, this, &SharingPage::chooseFolder);
    connect(m_remove, &QPushButton::clicked, this, [this] { removeSelected(false); });
    connect(m_own, &QPushButton::clicked, this, &SharingPage::takeOwnership);
    connect(m_table, &ShareTable::removeWanted, this, [this] { removeSelected(false); });
    connect(m_table, &ShareTable::readOnlyWanted, this, &SharingPage::setReadOnly);
    connect(m_table,
            &ShareTable::nameWanted,
            this,
            [this](const ShareSpec& share, const QString& name) {
                m_actions->rename(m_info,
                                  share,
                                  name,
                                  answer(tr("\"%1\" was not renamed.").arg(share.displayName())));
            });
    connect(m_table, &ShareTable::selectedChanged, this, [this] {
        updateControls();
        updateProblem();
    });
    connect(m_services.clients,
            &MachineClients::eventHappened,
            this,
            [this](const QString& name, const QString& kind) {
                if (name == m_info.name && kind == QLatin1String("shares-changed"))
                    reload();
            });
    connect(m_services.clients, &MachineClients::clientChanged, this, [this](const QString& name) {
        if (name == m_info.name)
            reload();
    });
    connect(m_services.clients, &MachineClients::statusChanged, this, [this](const QString& name) {
        if (name == m_info.name && m_actions->isRunning(m_info) != m_wasRunning)
            reload();
    });
}

void SharingPage::showMachine(const MachineInfo& info) {
    const bool other = info.directory != m_info.directory;
    const bool reloads =
        other || info.state != m_info.state || m_actions->isRunning(info) != m_wasRunning;
    m_info = info;
    if (other) {
        m_message->clear();
        m_typedUser.reset();
        showList({});
    }
    if (reloads)
        reload();
    updateControls();
}

void SharingPage::reload() {
    m_wasRunning = m_actions->isRunning(m_info);
    const int question = ++m_asked;
    m_actions->list(m_info, [this, question](const Result<ShareList>& list) {
        if (question != m_asked)
            return;
        if (list)
            showList(*list);
        else if (list.error().kind != Error::Kind::NotRunning)
            m_message->showError(list.error());
    });
}

void SharingPage::showList(const ShareList& list) {
    m_list = list;
    m_table->setShares(list.shares, m_actions->isRunning(m_info));
    m_stack->setCurrentIndex(list.shares.isEmpty() ? 1 : 0);
    QList<ShareSpec> specs;
    for (const ShareStatus& share : list.shares)
        specs.append(share.spec);
    m_command->setCommand(shareCommandLine(m_info.name, specs));
    updateControls();
    updateProblem();
}

void SharingPage::updateControls() {
    const bool running = m_actions->isRunning(m_info);
    m_hint->setText(!running ? tr("Folders of this computer inside the guest. Changes count at the "
                                  "next start.")
                    : m_list.transport == QLatin1String("9p")
                        ? tr("Folders of this computer inside the guest, over 9P. Changes apply at "
                             "once.")
                        : tr("Folders of this computer inside the guest, over virtiofs. Changes "
                             "apply at once."));
    m_transport->setText(m_list.refusal.isEmpty() ? m_list.transportNote : QString());
    m_transport->setVisible(!m_transport->text().isEmpty());
    const QString refused = m_actions->refusal(m_info);
    const QString reason = refused.isEmpty() ? m_list.refusal : refused;
    setAvailable(m_add, m_reason, reason.isEmpty(), reason);
    const auto share = m_table->selected();
    const bool chosen = share.has_value();
    const QString notOwned =
        !chosen                   ? tr("Select a share first.")
        : share->spec.isArchive() ? tr("What a guest writes into an archive goes with the run.")
        : m_list.transport == QLatin1String("9p") ? tr("Over 9P all that a guest makes is yours.")
                                                  : QString();
    m_own->setEnabled(notOwned.isEmpty());
    m_own->setToolTip(notOwned.isEmpty() ? tr("Makes yours what root and other users of the guest "
                                              "left in the folder.")
                                         : notOwned);
    m_own->setAccessibleDescription(m_own->toolTip());
    m_remove->setEnabled(chosen && refused.isEmpty());
    m_remove->setToolTip(!chosen ? tr("Select a share first.") : refused.toHtmlEscaped());
    m_remove->setAccessibleDescription(chosen ? refused : tr("Select a share first."));
    m_table->setChangeable(reason.isEmpty(), reason);
}

void SharingPage::updateProblem() {
    const auto share = m_table->selected();
    const bool running = m_actions->isRunning(m_info);
    // Nothing is taken away under somebody who types or presses a button.
    if (running && share && m_problem->isShown() && m_toldProblem == share &&
        m_toldUser == m_list.sshUser)
        return;
    m_toldProblem = share;
    m_toldUser = m_list.sshUser;
    if (share && running && share->state == ShareState::Waiting && !share->mountLine.isEmpty()) {
        tellWaiting(*share);
        return;
    }
    const bool bad = share && running &&
                     (share->state == ShareState::NotMounted ||
                      share->state == ShareState::Broken || share->state == ShareState::Failed);
    if (!bad) {
        m_problem->clear();
        return;
    }
    const QString name = share->spec.displayName();
    const bool byHand = share->state == ShareState::NotMounted && !share->mountLine.isEmpty();
    QString text = share->message;
    if (byHand)
        text += QLatin1Char('\n') + tr("By hand, in the guest: %1").arg(share->mountLine);
    m_problem->showMessage(MessageBar::Kind::Error,
                           share->state == ShareState::Broken ? tr("\"%1\" is broken.").arg(name)
                           : share->state == ShareState::Failed
                               ? tr("\"%1\" is not shared.").arg(name)
                               : tr("\"%1\" is not mounted in the "
                                    "guest.")
                                     .arg(name),
                           text);
    const MachineStatus* status = m_services.clients->status(m_info.name);
    if (byHand && (status == nullptr || !status->agentAnswers))
        addSshUser(share->spec);
    if (share->state != ShareState::Broken)
        m_problem->addAction(tr("Mount Again"), [this, spec = share->spec] { mountAgain(spec); });
    if (byHand)
        m_problem->addAction(tr("Copy Command"), [line = share->mountLine] {
            QGuiApplication::clipboard()->setText(line);
        });
    if (const MachineClient* client = m_services.clients->client(m_info.name))
        m_problem->addAction(tr("Show Log"),
                             [this, path = client->logFile()] { Q_EMIT showLogRequested(path); });
}

void SharingPage::tellWaiting(const ShareStatus& share) {
    m_problem->showMessage(
        MessageBar::Kind::Info,
        tr("\"%1\" waits for the guest's agent.").arg(share.spec.displayName()),
        tr("It is mounted once that answers. By hand, in the guest: %1").arg(share.mountLine));
    addSshUser(share.spec);
    m_problem->addAction(tr("Mount over SSH"), [this, spec = share.spec] { mountAgain(spec); });
    m_problem->addAction(tr("Copy Command"),
                         [line = share.mountLine] { QGuiApplication::clipboard()->setText(line); });
}

void SharingPage::addSshUser(const ShareSpec& share) {
    QLineEdit* field = m_problem->addField(tr("User:"), m_typedUser.value_or(m_list.sshUser));
    field->setAccessibleName(tr("User for SSH"));
    field->setPlaceholderText(QLatin1String(usualGuestUser));
    field->setToolTip(tr("Who logs in to the guest over SSH, with your keys. There sudo must ask "
                         "for nothing, unless it is root. Whoever gets in is remembered for this "
                         "machine."));
    field->setAccessibleDescription(field->toolTip());
    connect(field, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_typedUser = text.trimmed();
    });
    connect(field, &QLineEdit::returnPressed, this, [this, share] { mountAgain(share); });
}

void SharingPage::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Share a Folder with %1").arg(m_info.name));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &SharingPage::addFolder);
    dialog->open();
}

void SharingPage::addFolder(const QString& folder) {
    Q_EMIT pathsDropped({folder}, false);
}

std::function<void(Result<>)> SharingPage::answer(const QString& title) {
    return [this, title, machine = m_info.directory](const Result<>& done) {
        if (machine != m_info.directory)
            return;
        if (done)
            m_message->clear();
        else
            m_message->showError(done.error(), title);
        reload();
    };
}

void SharingPage::removeSelected(bool force) {
    const auto share = m_table->selected();
    if (!share)
        return;
    const QString title = tr("\"%1\" is still shared.").arg(share->spec.displayName());
    m_actions->remove(m_info,
                      share->spec,
                      force,
                      [this, title, force, machine = m_info.directory](const Result<>& done) {
                          answer(title)(done);
                          if (machine != m_info.directory || done || force ||
                              done.error().kind != Error::Kind::Busy ||
                              m_list.transport != QLatin1String("virtiofs"))
                              return;
                          m_message->addAction(tr("Stop Sharing Anyway"),
                                               [this] { removeSelected(true); });
                      });
}

void SharingPage::setReadOnly(const ShareSpec& share, bool readOnly) {
    m_actions->setReadOnly(m_info,
                           share,
                           readOnly,
                           answer(readOnly
                                      ? tr("\"%1\" is still writable.").arg(share.displayName())
                                      : tr("\"%1\" is still read-only.").arg(share.displayName())));
}

void SharingPage::takeOwnership() {
    const auto share = m_table->selected();
    if (!share || !m_own->isEnabled())
        return;
    m_own->setEnabled(false); // until it is done
    const QString name = share->spec.displayName();
    m_actions->takeOwnership(
        m_info, share->spec, [this, name, machine = m_info.directory](const Result<>& done) {
            updateControls();
            if (machine != m_info.directory)
                return;
            if (done)
                m_message->showMessage(
                    MessageBar::Kind::Info,
                    {},
                    tr("What users of the guest left in \"%1\" is yours now.").arg(name));
            else
                m_message->showError(done.error(),
                                     tr("Not everything in \"%1\" is yours.").arg(name));
        });
}

void SharingPage::mountAgain(const ShareSpec& share) {
    QString user;
    if (m_typedUser)
        user = m_typedUser->isEmpty() ? QString::fromLatin1(usualGuestUser) : *m_typedUser;
    m_actions->mountAgain(
        m_info, share, user, answer(tr("\"%1\" was not mounted.").arg(share.displayName())));
}

} // namespace vitrine::ui
