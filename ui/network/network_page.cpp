// SPDX-License-Identifier: Apache-2.0
#include "ui/network/network_page.h"

#include "core/softnet/softnet_export.h"
#include "ui/machines/background.h"
#include "ui/machines/machine_clients.h"
#include "ui/network/firewall_link.h"
#include "ui/network/learn_dialog.h"
#include "ui/network/rule_change.h"
#include "ui/network/rules_view.h"
#include "ui/network/traffic_view.h"
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/command_row.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QSaveFile>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

QPushButton* segmentButton(const QString& text, Segment segment, QWidget* parent) {
    QPushButton* button = normalButton(text, {}, parent);
    button->setCheckable(true);
    button->setProperty(property::segment, static_cast<int>(segment));
    return button;
}

Result<> writeFile(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return fail(Error::Kind::Internal,
                Tr::tr("The list was not written to \"%1\": %2. Choose another place.")
                    .arg(path, file.errorString()));
}

} // namespace

NetworkPage::NetworkPage(const Services& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_link(new FirewallLink(services, this))
    , m_showTraffic(segmentButton(tr("Traffic"), Segment::First, this))
    , m_showRules(segmentButton(tr("Rules and Ports"), Segment::Last, this))
    , m_keep(new QComboBox(this))
    , m_learn(normalButton(tr("Learn…"), {}, this))
    , m_export(iconButton(tr("Export the list"), u"export", this))
    , m_message(new MessageBar(this))
    , m_learning(new MessageBar(this))
    , m_trouble(new MessageBar(this))
    , m_stack(new QStackedWidget(this))
    , m_traffic(new TrafficView(m_link, m_stack))
    , m_rules(new RulesView(m_link, m_stack))
    , m_state(new QWidget(m_stack))
    , m_stateTitle(sectionHeading({}, m_state))
    , m_stateText(helpLabel({}, m_state))
    , m_start(normalButton(tr("Start"), u"start", m_state))
    , m_settings(normalButton(tr("Network Settings"), u"settings", m_state))
    , m_command(new CommandRow(this))
    , m_change(new RuleChange(m_link, m_message, this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_keep->addItem(tr("Rules hold from now on"), true);
    m_keep->addItem(tr("Rules hold until it stops"), false);
    m_keep->setAccessibleName(tr("How long rules that are made here hold"));
    m_learn->setToolTip(
        tr("Let everything pass for a while and propose the tightest rules for what "
           "was seen."));
    auto* menu = new QMenu(m_export);
    connect(menu->addAction(tr("As a Table (CSV)…")), &QAction::triggered, this, [this] {
        chooseExport(Format::Csv);
    });
    connect(menu->addAction(tr("As JSON…")), &QAction::triggered, this, [this] {
        chooseExport(Format::Json);
    });
    giveMenu(m_export, menu);
    m_export->setPopupMode(QToolButton::InstantPopup);
    m_learning->setDismissible(false);
    m_trouble->setDismissible(false);

    auto* views = new QButtonGroup(this);
    views->addButton(m_showTraffic);
    views->addButton(m_showRules);
    m_showTraffic->setChecked(true);
    auto* segments = new QHBoxLayout;
    segments->setSpacing(0);
    segments->addWidget(m_showTraffic);
    segments->addWidget(m_showRules);
    auto* top = new QHBoxLayout;
    top->setSpacing(spacing::grid);
    top->addLayout(segments);
    top->addStretch();
    top->addWidget(m_keep);
    top->addWidget(m_learn);
    top->addWidget(m_export);

    auto* words = new QVBoxLayout(m_state);
    words->setContentsMargins(0, spacing::block, 0, 0);
    words->setSpacing(spacing::grid);
    words->addWidget(m_stateTitle);
    words->addWidget(m_stateText);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(spacing::grid);
    buttons->addWidget(m_start);
    buttons->addWidget(m_settings);
    buttons->addStretch();
    words->addLayout(buttons);
    words->addStretch();
    m_stack->addWidget(m_traffic);
    m_stack->addWidget(m_rules);
    m_stack->addWidget(m_state);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical - spacing::tight,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    layout->setSpacing(spacing::grid);
    layout->addLayout(top);
    layout->addWidget(m_learning);
    layout->addWidget(m_trouble);
    layout->addWidget(m_message);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_command);

    connect(m_showTraffic, &QPushButton::clicked, this, [this] { showView(View::Traffic); });
    connect(m_showRules, &QPushButton::clicked, this, [this] { showView(View::Rules); });
    connect(m_keep, &QComboBox::currentIndexChanged, this, [this] {
        m_rules->setKeep(keeps());
        updateCommand();
    });
    connect(m_learn, &QPushButton::clicked, this, &NetworkPage::offerLearning);
    connect(m_start, &QPushButton::clicked, this, &NetworkPage::startRequested);
    connect(m_settings, &QPushButton::clicked, this, &NetworkPage::settingsRequested);
    connect(m_link, &FirewallLink::stateChanged, this, &NetworkPage::updateState);
    connect(m_link, &FirewallLink::statusChanged, this, [this] {
        updateLearning();
        updateState();
    });
    connect(
        m_link, &FirewallLink::happened, this, [this](const QString& kind, const QString& text) {
            if (kind == QLatin1String("network-restarted"))
                m_message->showMessage(
                    MessageBar::Kind::Warning,
                    tr("The network of the machine was started again."),
                    tr("%1 What was seen before is gone from the list.").arg(text).trimmed());
            else if (kind == QLatin1String("network-failed"))
                m_message->showMessage(
                    MessageBar::Kind::Error, tr("The network of the machine stays off."), text);
        });
    connect(m_traffic, &TrafficView::commandChanged, this, &NetworkPage::updateCommand);
    connect(m_traffic, &TrafficView::pressed, this, [this](const SoftnetDestination& destination) {
        m_change->make(destination,
                       destination.passesNow() ? SoftnetList::Block : SoftnetList::Allow,
                       SoftnetScope::Port,
                       keeps());
    });
    connect(m_traffic,
            &TrafficView::ruleWanted,
            this,
            [this](const SoftnetDestination& destination, SoftnetScope scope, bool keep) {
                m_change->make(destination,
                               destination.passesNow() ? SoftnetList::Block : SoftnetList::Allow,
                               scope,
                               keep);
            });
    connect(m_change, &RuleChange::made, this, [this](const QStringList& done) {
        m_command->setCommand(netCommandLine(m_link->machine().name, done));
    });
    connect(m_rules, &RulesView::changed, this, [this](const QStringList& done) {
        m_lastWords = done;
        updateCommand();
    });
    connect(m_rules, &RulesView::failed, this, [this](const Error& error, const QString& title) {
        m_message->showError(error, title);
    });
    updateState();
}

void NetworkPage::showMachine(const MachineInfo& info) {
    const bool other = info.directory != m_link->machine().directory;
    m_link->setMachine(info);
    if (other) {
        m_message->clear();
        m_lastWords.clear();
        m_traffic->showMachine();
        m_rules->showStatus();
        updateLearning();
    }
    updateState();
    updateCommand();
}

void NetworkPage::showView(View view) {
    (view == View::Traffic ? m_showTraffic : m_showRules)->setChecked(true);
    updateState();
    updateCommand();
}

bool NetworkPage::keeps() const {
    return m_keep->currentData().toBool();
}

void NetworkPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_link->setWatched(true);
}

void NetworkPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_link->setWatched(false);
}

NetworkPage::StateWords NetworkPage::stateWords() const {
    const QString name = m_link->machine().name;
    using State = FirewallLink::State;
    const auto attachment = m_link->attachment();
    QString attached;
    if (attachment && *attachment != NetworkMode::Softnet)
        attached = *attachment == NetworkMode::Nat
                       ? tr("\"%1\" is attached by NAT: the guest reaches what this computer "
                            "reaches, but for services on its 127.0.0.1, and nothing is noted.")
                   : *attachment == NetworkMode::Bridged
                       ? tr("\"%1\" is bridged: it is part of a network of this computer, which "
                            "nothing here filters or notes.")
                       : tr("\"%1\" is attached host only: the guest reaches nothing by itself.");
    switch (m_link->state()) {
    case State::Off:
        if (!attached.isEmpty())
            return {tr("No firewall"),
                    attached.arg(name) + QLatin1Char(' ') +
                        tr("Choose Softnet in its settings to have a firewall."),
                    false,
                    true};
        return {tr("The machine is stopped"),
                tr("Start \"%1\" to see what it talks to, what the firewall lets through and what "
                   "it blocks. Its rules can be changed in its settings meanwhile.")
                    .arg(name),
                true,
                true};
    case State::Elsewhere:
        return {tr("Run by another program"),
                tr("\"%1\" is run by another program, which cannot be asked about its network.")
                    .arg(name),
                false,
                false};
    case State::TooOld:
        return {tr("Started by an older version"),
                tr("The process of \"%1\" was started by an older version that cannot tell what it "
                   "lets through. Start the machine again to see it.")
                    .arg(name),
                false,
                false};
    case State::Refused:
        return {tr("The firewall cannot be asked"), m_link->refusal(), false, true};
    case State::None:
        return {tr("No firewall in this run"),
                (attached.isEmpty() ? tr("\"%1\" runs without Softnet.") : attached).arg(name) +
                    QLatin1Char(' ') +
                    tr("Choose Softnet in its settings and start it again to have a firewall."),
                false,
                true};
    case State::Connecting:
        return {tr("The machine starts"),
                tr("As soon as the network of \"%1\" is there, this page shows what it talks to.")
                    .arg(name),
                false,
                false};
    case State::Restarting:
    case State::Silent:
    case State::Live:
        break;
    }
    return {};
}

QString NetworkPage::stateText() const {
    return m_stack->currentWidget() == m_state
               ? m_stateTitle->text() + QLatin1Char('\n') + m_stateText->text()
               : QString();
}

void NetworkPage::updateState() {
    const StateWords words = stateWords();
    const bool live = words.title.isEmpty();
    m_stateTitle->setText(words.title);
    m_stateText->setText(words.text);
    m_start->setVisible(words.start);
    m_settings->setVisible(words.settings);
    QWidget* page = !live                      ? m_state
                    : m_showRules->isChecked() ? static_cast<QWidget*>(m_rules)
                                               : m_traffic;
    if (m_stack->currentWidget() != page)
        m_stack->setCurrentWidget(page);
    for (QWidget* control :
         std::initializer_list<QWidget*>{m_showTraffic, m_showRules, m_keep, m_learn, m_command})
        control->setVisible(live);
    m_learn->setEnabled(live && !m_link->status().learning);
    m_export->setVisible(live && m_showTraffic->isChecked());
    switch (m_link->state()) {
    case FirewallLink::State::Restarting:
        m_trouble->showMessage(MessageBar::Kind::Warning,
                               tr("The network of the machine does not run now."),
                               m_link->problem());
        break;
    case FirewallLink::State::Silent:
        m_trouble->showMessage(
            MessageBar::Kind::Warning, tr("The firewall does not answer."), m_link->problem());
        break;
    default:
        m_trouble->clear();
        break;
    }
    if (!live)
        m_learning->clear();
}

void NetworkPage::updateCommand() {
    QStringList words;
    if (m_showRules->isChecked())
        words = m_lastWords.isEmpty() ? QStringList{QStringLiteral("rules")} : m_lastWords;
    else
        words = m_traffic->commandWords(keeps());
    m_command->setCommand(netCommandLine(m_link->machine().name, words));
}

void NetworkPage::updateLearning() {
    if (!m_link->status().learning) {
        m_learning->clear();
        return;
    }
    if (m_learning->isShown())
        return;
    m_learning->showMessage(
        MessageBar::Kind::Warning,
        tr("Learning: everything passes."),
        tr("Let the guest do what it is to do later. Then stop, and the tightest rules for what it "
           "opened are proposed. Its own rules hold again when learning stops."));
    m_learning->addAction(tr("Stop and Propose Rules…"), [this] { stopLearning(true); });
    m_learning->addAction(tr("Stop"), [this] { stopLearning(false); });
}

void NetworkPage::offerLearning() {
    m_message->showMessage(
        MessageBar::Kind::Info,
        tr("Let everything pass for a while?"),
        tr("While \"%1\" learns, its rules do not hold: the guest reaches public and private "
           "addresses, though not the services of this computer. What it opens is noted.")
            .arg(m_link->machine().name));
    m_message->addAction(tr("Start Learning"), [this] { startLearning(); });
}

void NetworkPage::startLearning() {
    m_message->clear();
    m_command->setCommand(
        netCommandLine(m_link->machine().name, {QStringLiteral("learn"), QStringLiteral("start")}));
    m_link->setLearning(true, [this](const Result<>& done) {
        if (!done)
            m_message->showError(done.error(), tr("Learning did not begin."));
    });
}

void NetworkPage::stopLearning(bool wanted) {
    m_command->setCommand(
        netCommandLine(m_link->machine().name, {QStringLiteral("learn"), QStringLiteral("stop")}));
    const auto stop = [this](std::function<void()> then) {
        m_link->setLearning(false, [this, then = std::move(then)](const Result<>& done) {
            if (!done)
                m_message->showError(done.error(), tr("The machine still learns."));
            else if (then)
                then();
        });
    };
    if (!wanted) {
        stop({});
        return;
    }
    m_link->seenSince(
        m_link->status().learnedSince, [this, stop](const Result<QList<SoftnetDestination>>& seen) {
            if (!seen) {
                m_message->showError(seen.error(), tr("What was seen could not be asked for."));
                return;
            }
            stop([this, seen = *seen] { propose(seen, m_link->status().policy); });
        });
}

void NetworkPage::propose(const QList<SoftnetDestination>& seen, const SoftnetPolicy& inForce) {
    auto* dialog = new LearnDialog({m_link->machine().name, seen, inForce, keeps()}, this);
    connect(dialog,
            &LearnDialog::applied,
            this,
            [this, directory = m_link->machine().directory](const SoftnetPolicy& policy) {
                if (directory == m_link->machine().directory)
                    applyProposal(policy);
            });
    dialog->open();
}

void NetworkPage::applyProposal(const SoftnetPolicy& policy) {
    const bool keep = keeps();
    const auto all = [](const SoftnetPolicy& wanted) {
        return FirewallLink::Edit([wanted](SoftnetPolicy& rules) { rules = wanted; });
    };
    m_link->change(
        all(policy),
        keep ? all(policy) : FirewallLink::Edit(),
        [this, policy, keep, all](const Result<FirewallLink::Before>& before) {
            if (!before) {
                m_message->showError(before.error(), tr("The learned rules do not hold."));
                return;
            }
            m_message->showMessage(
                MessageBar::Kind::Info,
                tr("The learned rules hold."),
                tr("%1 allow, %2 block.").arg(policy.allow.size()).arg(policy.block.size()));
            m_message->addAction(tr("Undo"), [this, before = *before, keep, all] {
                m_link->change(
                    all(before.inForce),
                    keep ? all(before.stored) : FirewallLink::Edit(),
                    [this](const Result<FirewallLink::Before>& done) {
                        if (done)
                            m_message->showMessage(
                                MessageBar::Kind::Info, {}, tr("The rules are as before."));
                        else
                            m_message->showError(done.error(), tr("The learned rules still hold."));
                    });
            });
        });
}

void NetworkPage::chooseExport(Format format) {
    const bool csv = format == Format::Csv;
    auto* dialog =
        new QFileDialog(this, tr("Export What %1 Talked To").arg(m_link->machine().name));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(csv ? tr("Tables (*.csv)") : tr("JSON (*.json)"));
    dialog->setDefaultSuffix(csv ? QStringLiteral("csv") : QStringLiteral("json"));
    dialog->selectFile(m_link->machine().name + QLatin1String("-network"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) {
        exportTo(path, format);
    });
    dialog->open();
}

void NetworkPage::exportTo(const QString& path, Format format) {
    inBackground(
        this,
        [path,
         format,
         seen = m_traffic->model()->shown(),
         machine = m_link->machine().name,
         began = m_link->clockBegan()] {
            return writeFile(path,
                             format == Format::Csv
                                 ? softnetCsv(seen, began)
                                 : softnetJson(machine, seen, began, QDateTime::currentDateTime()));
        },
        [this, path, count = m_traffic->model()->rowCount()](const Result<>& written) {
            if (!written) {
                m_message->showError(written.error());
                return;
            }
            m_message->showMessage(
                MessageBar::Kind::Info,
                {},
                tr("%1 destinations were written to \"%2\".").arg(count).arg(path));
            Q_EMIT exported(path);
        });
}

} // namespace vitrine::ui
