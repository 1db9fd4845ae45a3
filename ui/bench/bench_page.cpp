// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/bench_page.h"

#include "core/bench/campaign_import.h"
#include "core/bench/campaign_store.h"
#include "core/disk/small_file.h"
#include "ui/bench/campaign_book.h"
#include "ui/bench/campaign_text.h"
#include "ui/bench/result_export.h"
#include "ui/bench/result_view.h"
#include "ui/bench/run_panel.h"
#include "ui/bench/winner_bar.h"
#include "ui/library/machine_text.h"
#include "ui/machines/background.h"
#include "ui/theme/theme.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/message_bar.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

// The identifier of the last campaign that was made.
Result<QString> importAll(const QString& home, const QStringList& paths) {
    QList<bench::Campaign> campaigns;
    for (const QString& path : paths) {
        const auto bytes = readSmallFile(path, bench::maximumCampaign);
        if (!bytes)
            return fail(bytes.error());
        auto campaign = bench::importCampaign(*bytes, QFileInfo(path).fileName());
        if (!campaign)
            return fail(campaign.error().kind,
                        Tr::tr("\"%1\" was not imported. %2").arg(path, campaign.error().message));
        if (bench::isFioResult(*campaign) && !campaigns.isEmpty() &&
            bench::isFioResult(campaigns.last()))
            bench::addRounds(campaigns.last(), *campaign);
        else
            campaigns.append(std::move(*campaign));
    }
    const bench::CampaignStore store(home);
    QString last;
    for (const bench::Campaign& campaign : std::as_const(campaigns)) {
        const auto added = store.add(campaign, QDateTime::currentDateTimeUtc());
        if (!added)
            return fail(added.error());
        last = added->id;
    }
    return last;
}

} // namespace

BenchPage::BenchPage(const Services& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_book(new CampaignBook(services.library->library().home(), this))
    , m_message(new MessageBar(this))
    , m_cutOff(new MessageBar(this))
    , m_run(nullptr)
    , m_results(nullptr)
    , m_winner(nullptr) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_message);
    auto* const area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setBackgroundRole(QPalette::Base);
    auto* const content = new QWidget(area);
    content->setBackgroundRole(QPalette::Base);
    auto* const column = new QVBoxLayout(content);
    column->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical - spacing::tight,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    column->setSpacing(spacing::grid);
    m_run = new RunPanel(services, content);
    m_results = new ResultView(m_book, content);
    m_winner = new WinnerBar(services, content);
    column->addWidget(m_run);
    column->addWidget(new Hairline(Qt::Horizontal, content));
    column->addWidget(m_cutOff);
    column->addWidget(m_results, 1);
    column->addWidget(m_winner);
    area->setWidget(content);
    m_scrollBar = area->verticalScrollBar();
    layout->addWidget(area, 1);

    connect(m_run, &RunPanel::campaignKnown, this, [this](const QString& id) {
        m_results->showCampaign(id);
        m_book->read();
        tellState();
    });
    connect(m_run, &RunPanel::failed, this, [this](const Error& error) {
        m_message->showError(error, tr("The benchmark ended early."));
    });
    connect(m_run, &RunPanel::ended, this, [this] { // the claim has ended with it
        m_book->read();
        tellState();
    });
    connect(m_run, &RunPanel::suitesRead, this, [this](const QStringList& problems) {
        if (problems.isEmpty() || problems == m_toldProblems)
            return;
        m_toldProblems = problems;
        m_message->showMessage(MessageBar::Kind::Warning,
                               tr("A suite of yours cannot be used."),
                               problems.join(QLatin1Char('\n')));
    });
    connect(m_book, &CampaignBook::changed, this, &BenchPage::tellForeign);
    connect(m_book, &CampaignBook::changed, this, [this] {
        if (m_book->problems().isEmpty() || m_book->problems() == m_toldProblems)
            return;
        m_toldProblems = m_book->problems();
        m_message->showMessage(
            MessageBar::Kind::Warning, {}, m_book->problems().join(QLatin1Char('\n')));
    });
    connect(m_results, &ResultView::campaignChanged, this, &BenchPage::tellState);
    connect(m_results, &ResultView::shown, this, &BenchPage::updateWinner);
    connect(m_results, &ResultView::importRequested, this, &BenchPage::chooseFiles);
    connect(m_results, &ResultView::deleteRequested, this, &BenchPage::askToDelete);
    connect(m_results->exporter(), &ResultExport::failed, this, [this](const Error& error) {
        m_message->showError(error);
    });
    connect(m_results->exporter(), &ResultExport::written, this, [this](const QString& path) {
        m_message->showMessage(
            MessageBar::Kind::Info, {}, tr("Written to \"%1\".").arg(homeShortened(path)));
    });
    for (QWidget* const choice : content->findChildren<QWidget*>())
        if (qobject_cast<QComboBox*>(choice) || qobject_cast<QAbstractSpinBox*>(choice)) {
            choice->setFocusPolicy(Qt::StrongFocus); // not by the wheel
            choice->installEventFilter(this);
        }
    m_run->showHost();
}

bool BenchPage::eventFilter(QObject* watched, QEvent* event) {
    const auto* const choice = qobject_cast<QWidget*>(watched);
    if (event->type() != QEvent::Wheel || choice == nullptr || choice->hasFocus())
        return QWidget::eventFilter(watched, event);
    QCoreApplication::sendEvent(m_scrollBar, event);
    return true;
}

void BenchPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_book->setActive(true);
    m_book->read();
    m_run->readSuites();
}

void BenchPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_book->setActive(false);
}

void BenchPage::showMachine(const MachineInfo& info) {
    const bool other = !m_machine || m_machine->name != info.name;
    m_machine = info;
    if (other) {
        m_message->clear();
        m_results->setMachine(info.name);
    }
    m_run->showMachine(info);
    updateWinner();
}

void BenchPage::tellState() {
    const auto source = m_results->source();
    const QString text = source ? cutOffText(source->campaign()) : QString();
    // A campaign is on the disk before its job has told which it is.
    const QString running = m_run->runningCampaign();
    const bool isBeginning = m_run->runningJob() != nullptr && running.isEmpty() && source &&
                             source->campaign().state == bench::Campaign::State::Running;
    const bool isUnderWay = source && (isBeginning || running == source->campaign().id);
    if (source && !isUnderWay && m_isForeign && m_book->claimed() == source->campaign().id) {
        m_cutOff->showMessage(MessageBar::Kind::Info,
                              tr("Another program measures this campaign just now."),
                              text + QLatin1Char(' ') + tr("Results show as they arrive."));
        m_cutOff->setDismissible(false);
        return;
    }
    if (text.isEmpty() || isUnderWay) {
        m_cutOff->clear();
        return;
    }
    m_cutOff->showMessage(MessageBar::Kind::Info,
                          source->campaign().state == bench::Campaign::State::Cancelled
                              ? tr("This campaign was cancelled.")
                              : tr("This campaign did not come to its end."),
                          text);
    m_cutOff->setDismissible(false);
    QPushButton* const on = m_cutOff->addAction(
        tr("Go On"), [this, id = source->campaign().id, title = source->campaign().title] {
            m_message->clear();
            m_run->resume(id, title);
            tellState();
        });
    on->setEnabled(m_run->runningJob() == nullptr && !m_isForeign);
}

void BenchPage::tellForeign() {
    const auto& claimed = m_book->claimed();
    m_isForeign = claimed && m_run->runningJob() == nullptr;
    const auto source = m_isForeign ? m_book->find(*claimed) : nullptr;
    m_run->setForeign(m_isForeign, source ? titleOf(source->campaign()) : QString());
    tellState();
}

void BenchPage::askToDelete() {
    const auto source = m_results->source();
    if (!source)
        return;
    const QString id = source->campaign().id;
    m_message->showMessage(
        MessageBar::Kind::Warning,
        tr("Delete \"%1\"?").arg(titleOf(source->campaign())),
        tr("Its %1 measurements are gone then, and this cannot be undone. To keep "
           "them elsewhere, export all data first.")
            .arg(source->campaign().runs.size()));
    m_message->addAction(tr("Delete"), [this, id] { deleteCampaign(id); });
    m_message->addAction(tr("Keep"), [this] { m_message->clear(); });
    m_message->findChild<QPushButton*>()->setFocus();
}

void BenchPage::deleteCampaign(const QString& id) {
    m_message->clear();
    inBackground(
        this,
        [home = m_book->home(), id] { return bench::CampaignStore(home).discard(id); },
        [this](const Result<>& deleted) {
            if (!deleted)
                m_message->showError(deleted.error(), tr("The campaign was not deleted."));
            m_book->read();
        });
}

// Options can win for the machine that they were measured with.
void BenchPage::updateWinner() {
    const auto source = m_results->source();
    if (!m_machine || !source || !m_results->winner() ||
        machineOf(source->campaign()) != m_machine->name) {
        m_winner->clear();
        return;
    }
    m_winner->show(*m_machine, *m_results->winner());
}

void BenchPage::chooseFiles() {
    auto* const dialog = new QFileDialog(this, tr("Import Results"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters(
        {tr("Results of fio, tables of Tart's benchmark, campaigns (*.json *.txt)"),
         tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, &BenchPage::importFiles);
    dialog->open();
}

void BenchPage::importFiles(const QStringList& paths) {
    inBackground(
        this,
        [home = m_book->home(), paths] { return importAll(home, paths); },
        [this](const Result<QString>& imported) {
            if (!imported) {
                m_message->showError(imported.error());
                return;
            }
            m_results->showCampaign(*imported);
            m_book->read();
        });
}

} // namespace vitrine::ui
