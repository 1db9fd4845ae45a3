// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/settings_page.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/job/child_job.h"
#include "ui/machines/host_report.h"
#include "ui/settings/boot_pane.h"
#include "ui/settings/disks_pane.h"
#include "ui/settings/display_pane.h"
#include "ui/settings/general_pane.h"
#include "ui/settings/input_pane.h"
#include "ui/settings/live_settings.h"
#include "ui/settings/network_pane.h"
#include "ui/settings/settings_merge.h"
#include "ui/settings/sharing_pane.h"
#include "ui/settings/system_pane.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/command_row.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/message_bar.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QThreadPool>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace vitrine::ui {

namespace {

bool isRunning(const MachineInfo& info) {
    return phaseOf(info) == MachinePhase::Running;
}

QProcessEnvironment childEnvironment() {
    return withoutSecrets(QProcessEnvironment::systemEnvironment());
}

// The part that vitrine.json holds, on a worker thread.
Result<> storeSidecar(const QString& directory,
                      const MachineSettings& saved,
                      const MachineSettings& edited) {
    if (saved.run == edited.run && saved.notes == edited.notes)
        return {};
    return Sidecar::update(directory, [&](Sidecar& sidecar) { mergeInto(sidecar, saved, edited); });
}

QStringList imageNames(const LibraryModel* library) {
    QStringList names;
    for (int row = 0; library && row < library->rowCount(); ++row)
        if (const MachineInfo* info = library->infoAt(row);
            info && info->isImage && !info->byDigest)
            names << info->name;
    return names;
}

// The ring goes round the whole row, not round its text.
class PaneDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyleOptionViewItem plain = option;
        const bool focused = plain.state.testFlag(QStyle::State_HasFocus);
        plain.state.setFlag(QStyle::State_HasFocus, false);
        plain.rect.adjust(spacing::grid, 0, 0, 0);
        if (plain.state.testFlag(QStyle::State_Selected))
            painter->fillRect(option.rect, Theme::current().selection);
        QStyledItemDelegate::paint(painter, plain, index);
        if (!focused)
            return;
        painter->save();
        painter->setPen(QPen(Theme::current().accent, 2));
        painter->drawRect(option.rect.adjusted(1, 1, -1, -1));
        painter->restore();
    }
};

} // namespace

SettingsPage::SettingsPage(const Services& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_list(new QListWidget(this))
    , m_stack(new QStackedWidget(this))
    , m_changes(new QLabel(this))
    , m_message(new MessageBar(this))
    , m_cancel(normalButton(tr("Cancel"), {}, this))
    , m_apply(primaryButton(tr("Apply"), {}, this))
    , m_showCommand(normalButton(tr("Show Command"), u"terminal", this))
    , m_command(new CommandRow(this))
    , m_system(new SystemPane(this))
    , m_disks(new DisksPane(this))
    , m_live(new LiveSettings(services, this)) {
    m_list->setFixedWidth(168);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setAccessibleName(tr("Settings panes"));
    m_list->setIconSize({16, 16});
    m_list->setItemDelegate(new PaneDelegate(m_list));
    m_changes->setTextFormat(Qt::PlainText);
    m_changes->setWordWrap(true);
    m_showCommand->setCheckable(true);
    m_showCommand->setToolTip(tr("The vitrinectl line that does the same as these settings."));
    m_command->hide();

    // A turn of the event loop each: all at once they take longer than a click may.
    const auto add =
        [this](std::function<SettingsPane*()> make, const QString& title, QStringView icon) {
            auto* item = new QListWidgetItem(themeIcon(icon), title, m_list);
            item->setSizeHint({0, spacing::paneRow});
            auto* scroll = new QScrollArea(m_stack);
            scroll->setWidgetResizable(true);
            scroll->setFrameShape(QFrame::NoFrame);
            scroll->setFocusPolicy(Qt::NoFocus);
            m_stack->addWidget(scroll);
            m_toMake.append([this, scroll, make = std::move(make)] {
                SettingsPane* const pane = make();
                pane->setBackgroundRole(QPalette::Base);
                pane->setAutoFillBackground(true);
                scroll->setWidget(pane);
                pane->show();
                m_panes.append(pane);
                connect(pane, &SettingsPane::edited, this, &SettingsPage::fill);
                connect(pane, &SettingsPane::failed, this, [this](const Error& error) {
                    m_message->showError(error);
                });
            });
        };
    add([this] { return new GeneralPane(this); }, tr("General"), u"info");
    add([this] { return m_system; }, tr("System"), u"chip");
    add([this] { return new DisplayPane(this); }, tr("Display"), u"display");
    add([this] { return m_disks; }, tr("Disks"), u"disk");
    add([this] { return new NetworkPane(this); }, tr("Network"), u"network");
    add(
        [this] {
            auto* sharing = new SharingPane(this);
            connect(sharing, &SharingPane::pageRequested, this, &SettingsPage::sharingRequested);
            return sharing;
        },
        tr("Sharing"),
        u"share-folder");
    add([this] { return new InputPane(this); }, tr("Input and Sound"), u"keyboard");
    add(
        [this] {
            auto* boot = new BootPane(this);
            connect(boot, &BootPane::installRequested, this, &SettingsPage::install);
            return boot;
        },
        tr("Boot"),
        u"start");
    m_system->hide(); // until their turn
    m_disks->hide();
    makeNextPane();
    m_list->setCurrentRow(0);

    auto* right = new QVBoxLayout;
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(0);
    right->addWidget(m_message);
    right->addWidget(m_stack, 1);
    right->addWidget(m_command);
    right->addWidget(new Hairline(Qt::Horizontal, this));
    right->addWidget(barOf());
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_list);
    layout->addWidget(new Hairline(Qt::Vertical, this));
    layout->addLayout(right, 1);
    m_message->hide();
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);

    connect(m_list, &QListWidget::currentRowChanged, m_stack, &QStackedWidget::setCurrentIndex);
    connect(m_apply, &QPushButton::clicked, this, &SettingsPage::apply);
    connect(m_cancel, &QPushButton::clicked, this, &SettingsPage::cancel);
    // The same report as Check This Computer and the greyed verbs.
    connect(m_system, &SystemPane::testAgainRequested, m_services.host, &HostReport::checkAgain);
    connect(m_services.host, &HostReport::changed, this, [this] {
        if (m_ready)
            fill();
    });
    connect(m_live, &LiveSettings::forwardsChanged, this, [this] {
        if (m_ready)
            fill();
    });
    connect(m_live, &LiveSettings::failed, this, [this](const Error& error) {
        m_message->showError(error,
                             tr("The change is stored, but the machine did not take it now."));
    });
    connect(m_showCommand, &QPushButton::toggled, m_command, &CommandRow::setVisible);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        rememberFocus(now);
    });
    updateBar();
}

SettingsPage::~SettingsPage() = default;

void SettingsPage::makeNextPane() {
    m_toMake.takeFirst()();
    if (!m_toMake.isEmpty())
        QTimer::singleShot(0, this, &SettingsPage::makeNextPane);
    else if (const auto show = std::exchange(m_whenMade, {}))
        show();
}

QWidget* SettingsPage::barOf() {
    auto* bar = new QWidget(this);
    bar->setMinimumHeight(spacing::buttonBarHeight);
    m_bar = new QBoxLayout(QBoxLayout::LeftToRight, bar);
    m_bar->setContentsMargins(
        spacing::pageHorizontal, spacing::grid, spacing::block, spacing::grid);
    m_bar->setSpacing(spacing::grid);
    m_bar->addWidget(m_changes, 1);
    m_buttons = new QHBoxLayout;
    m_buttons->setSpacing(spacing::grid);
    m_buttons->addStretch();
    m_buttons->addWidget(m_showCommand);
    m_buttons->addWidget(m_cancel);
    m_buttons->addWidget(m_apply);
    m_bar->addLayout(m_buttons);
    return bar;
}

// What changed stands beside the buttons while two lines are enough, else above them.
void SettingsPage::placeBar() {
    const int room = width() - m_list->width() - spacing::pageHorizontal - spacing::block -
                     spacing::grid - m_buttons->sizeHint().width();
    const bool beside =
        room > 0 && m_changes->heightForWidth(room) <= 2 * m_changes->fontMetrics().lineSpacing();
    m_bar->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void SettingsPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeBar();
}

void SettingsPage::rememberFocus(const QWidget* now) {
    if (!now || now == this)
        return;
    m_focusIsDue = false; // it was taken elsewhere
    if (m_stack->isAncestorOf(now))
        m_edited = const_cast<QWidget*>(now);
}

// The keyboard goes back to the control that had it before the panes or the buttons were greyed.
void SettingsPage::restoreFocus() {
    if (!m_focusIsDue || !m_stack->isEnabled())
        return;
    m_focusIsDue = false;
    QWidget* target =
        m_edited && m_edited->isEnabled() && m_edited->isVisible() ? m_edited : m_list;
    target->setFocus(Qt::OtherFocusReason);
}

void SettingsPage::selectPane(int index) {
    m_list->setCurrentRow(index);
}

int SettingsPage::paneCount() const {
    return m_list->count();
}

bool SettingsPage::hasUnsavedChanges() const {
    return m_ready && m_draft.isDirty();
}

void SettingsPage::showMachine(const MachineInfo& info) {
    const bool same = info.directory == m_info.directory;
    const bool changed = !(info == m_info);
    m_info = info;
    m_live->askForwards(info);
    if (!same) {
        m_ready = false;
        forgetProblems();
        m_message->hide();
        m_stack->setEnabled(false);
    }
    if (!same || (changed && !m_draft.isDirty() && !m_job))
        readSidecar();
    else if (m_ready)
        fill();
}

// Another page may have written to vitrine.json meanwhile.
void SettingsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_live->askForwards(m_info);
    if (m_ready && !m_draft.isDirty() && !m_job)
        readSidecar();
}

void SettingsPage::readSidecar() {
    QThreadPool::globalInstance()->start(
        [self = QPointer<SettingsPage>(this), directory = m_info.directory] {
            auto sidecar = Sidecar::read(directory);
            QMetaObject::invokeMethod(
                qApp,
                [self, directory, sidecar = std::move(sidecar)] {
                    if (!self)
                        return;
                    if (self->m_toMake.isEmpty())
                        self->take(directory, sidecar);
                    else
                        self->m_whenMade = [self, directory, sidecar] {
                            self->take(directory, sidecar);
                        };
                },
                Qt::QueuedConnection);
        });
}

void SettingsPage::take(const QString& directory, const Result<Sidecar>& sidecar) {
    // An edit made while the file was read wins.
    if (m_info.directory != directory || (m_ready && m_draft.isDirty()))
        return;
    m_sidecar = sidecar ? *sidecar : Sidecar{};
    m_draft = Draft<MachineSettings>(settingsOf(m_info, m_sidecar));
    m_ready = true;
    m_stack->setEnabled(true);
    if (!sidecar)
        m_message->showMessage(MessageBar::Kind::Warning, {}, sidecar.error().message);
    fill();
}

// The system asks for consent itself.
void SettingsPage::install(Feature feature) {
    m_services.hypervisor->install(
        feature, [page = QPointer<SettingsPage>(this)](const Result<>& done) {
            if (!page)
                return;
            if (!done)
                page->m_message->showError(done.error(), tr("It was not installed."));
            page->m_services.host->checkAgain();
        });
}

void SettingsPage::fill() {
    const HypervisorInfo* host = m_services.host->info();
    const PaneContext context{m_info,
                              m_draft,
                              m_sidecar,
                              isRunning(m_info),
                              m_services.host->isChecking() ? nullptr : host,
                              m_live->forwards(),
                              m_services.machineHost != nullptr};
    m_disks->setImages(imageNames(m_services.library));
    for (SettingsPane* pane : std::as_const(m_panes))
        pane->display(context);
    updateBar();
}

void SettingsPage::updateBar() {
    const bool dirty = hasUnsavedChanges();
    const bool busy = m_job != nullptr;
    QString unread;
    for (const SettingsPane* pane : std::as_const(m_panes))
        if (unread.isEmpty())
            unread = pane->problem();
    QString problem = unread;
    QString text;
    if (busy) {
        text = tr("Applying…");
    } else if (!unread.isEmpty()) {
        text = unread;
    } else if (dirty) {
        problem = problemWith(m_info, m_draft.saved(), m_draft.value());
        const auto changes = changesBetween(m_draft.saved(), m_draft.value(), phaseOf(m_info));
        QStringList now;
        QStringList later;
        for (const SettingsChange& change : changes)
            (change.effect == SettingsChange::Effect::Now ? now : later) << change.what;
        text = changes.size() == 1 ? tr("1 change.") : tr("%1 changes.").arg(changes.size());
        if (!now.isEmpty() && isRunning(m_info))
            text += QLatin1Char(' ') + tr("Applies now: %1.").arg(now.join(QLatin1String(", ")));
        if (!later.isEmpty())
            text +=
                QLatin1Char(' ') + tr("At next start: %1.").arg(later.join(QLatin1String(", ")));
        if (!problem.isEmpty())
            text = problem;
    } else if (m_ready && !m_sidecar.pending.isEmpty()) {
        text = tr("Changes wait for the next start.");
    } else {
        text = tr("No changes.");
    }
    m_changes->setText(text);
    placeBar();
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    const auto grey = [&](QWidget* widget, bool enabled) {
        // Where Qt would pass the keyboard on depends on the order of the controls.
        if (!enabled && hadFocus && widget->isEnabled() &&
            (widget == QApplication::focusWidget() ||
             widget->isAncestorOf(QApplication::focusWidget()))) {
            setFocus(Qt::OtherFocusReason);
            m_focusIsDue = true;
        }
        widget->setEnabled(enabled);
    };
    grey(m_apply, dirty && !busy && problem.isEmpty());
    grey(m_cancel, (dirty || !unread.isEmpty()) && !busy);
    grey(m_showCommand, m_ready);
    for (QPushButton* verb : {m_apply, m_cancel}) {
        const QString why = verb->isEnabled() ? QString() : text;
        verb->setToolTip(why.toHtmlEscaped());
        verb->setAccessibleDescription(why);
    }
    if (m_ready)
        m_command->setCommand(commandLineOf(m_draft.saved(), m_draft.value()));
    grey(m_list, !busy);
    grey(m_stack, m_ready && !busy);
    restoreFocus();
}

void SettingsPage::apply() {
    m_message->hide();
    const MachineSettings saved = m_draft.saved();
    const MachineSettings edited = m_draft.value();
    QStringList set = setArguments(saved, edited);
    if (!set.isEmpty())
        set = QStringList{QStringLiteral("set"),
                          QStringLiteral("--progress"),
                          QStringLiteral("json")} +
              set + QStringList{QStringLiteral("--"), m_info.name};
    QList<QStringList> forwards;
    if (isRunning(m_info))
        forwards = forwardChanges(saved.run.forwards, edited.run.forwards, m_live->forwards());
    const bool reload = isRunning(m_info) && rulesReload(saved.run.network, edited.run.network);
    m_job = std::make_unique<Job>(
        QStringLiteral("apply"),
        QString(),
        QString(),
        [saved, edited, set, forwards, reload, directory = m_info.directory](
            const JobContext& context) -> Result<> {
            // First what may be refused.
            if (!set.isEmpty())
                if (const auto done = childWork(vitrinectlPath(), set, childEnvironment())(context);
                    !done)
                    return done;
            if (const auto stored = storeSidecar(directory, saved, edited); !stored)
                return stored;
            if (reload)
                if (const auto done = childWork(vitrinectlPath(),
                                                {QStringLiteral("net"),
                                                 QStringLiteral("--progress"),
                                                 QStringLiteral("json"),
                                                 QStringLiteral("--"),
                                                 saved.name,
                                                 QStringLiteral("reload")},
                                                childEnvironment())(context);
                    !done)
                    return done;
            for (const QStringList& call : forwards)
                if (const auto done = childWork(vitrinectlPath(),
                                                QStringList{QStringLiteral("forward"),
                                                            QStringLiteral("--progress"),
                                                            QStringLiteral("json"),
                                                            saved.name} +
                                                    call,
                                                childEnvironment())(context);
                    !done)
                    return done;
            if (saved.name == edited.name)
                return {};
            return childWork(
                vitrinectlPath(),
                {QStringLiteral("rename"), QStringLiteral("--"), saved.name, edited.name},
                childEnvironment())(context);
        });
    connect(m_job.get(), &Job::finished, this, &SettingsPage::applied, Qt::QueuedConnection);
    updateBar();
    m_job->start();
}

void SettingsPage::applied() {
    const std::unique_ptr<Job> job = std::move(m_job);
    if (job->state() != Job::State::Succeeded) {
        m_message->showError(job->error());
        fill();
        m_services.library->refresh();
        return;
    }
    if (isRunning(m_info))
        m_live->apply(m_info, m_draft.saved(), m_draft.value());
    const QString from = m_draft.saved().name;
    const QString to = m_draft.value().name;
    m_draft = Draft<MachineSettings>(m_draft.value());
    m_services.library->refresh();
    m_live->askForwards(m_info);
    readSidecar();
    updateBar();
    if (from != to)
        Q_EMIT renamed(from, to);
}

void SettingsPage::forgetProblems() {
    for (SettingsPane* pane : std::as_const(m_panes))
        pane->forgetProblem();
}

void SettingsPage::cancel() {
    m_draft.revert();
    forgetProblems();
    m_message->hide();
    fill();
}

} // namespace vitrine::ui
