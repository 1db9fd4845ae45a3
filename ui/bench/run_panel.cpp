// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/run_panel.h"

#include "core/bench/bench_host.h"
#include "core/bench/campaign_run.h"
#include "core/bench/campaign_store.h"
#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/job/child_job.h"
#include "ui/library/machine_text.h"
#include "ui/machines/background.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labelled.h"
#include "ui/widgets/reason_label.h"
#include "ui/widgets/text_label.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <QWidgetAction>

#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace vitrine::ui {

namespace {

constexpr int usualRounds = 3;
constexpr int mostRounds = 100;
constexpr int barSteps = 1000;
const char* const campaignKey = "vitrineCampaign"; // of a job
const char* const stoppingKey = "vitrineStopping";

const QString usualSuite = QStringLiteral("tart-fio");
const QString hostWord = QStringLiteral("host");
const QString runningWord = QStringLiteral("running");
const QString plan9Start = QStringLiteral("share:9p");

QString wordOf(const QCheckBox* box) {
    return box->property("executor").toString();
}

const QString campaignWord = QStringLiteral("campaign "); // of vitrinectl's log

QStringList resumeArguments(const QString& campaign) {
    return {QStringLiteral("bench"),
            QStringLiteral("run"),
            QStringLiteral("--progress"),
            QStringLiteral("json"),
            QStringLiteral("--resume=") + campaign};
}

// Tried again, it goes on with the campaign that it had begun.
Job::Work benchWork(const QStringList& words, const QProcessEnvironment& environment) {
    const auto campaign = std::make_shared<QString>(); // of the job's thread
    return [words, environment, campaign](JobContext context) {
        const QStringList now = campaign->isEmpty() ? words : resumeArguments(*campaign);
        context.log = [campaign, log = context.log](const QString& line) {
            if (line.startsWith(campaignWord))
                *campaign = line.mid(campaignWord.size()).trimmed();
            log(line);
        };
        return childWork(vitrinectlPath(), now, environment)(context);
    };
}

} // namespace

RunPanel::RunPanel(const Services& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_offers(executorOffers())
    , m_choices(new QWidget(this))
    , m_suite(new QComboBox(this))
    , m_where(normalButton({}, {}, this))
    , m_rounds(new QSpinBox(this))
    , m_short(new QCheckBox(tr("Short"), this))
    , m_estimate(new TextLabel({}, TextSize::Body, TextTone::Secondary, this))
    , m_run(primaryButton(tr("Run Benchmark"), u"start", this))
    , m_reason(new ReasonLabel(this))
    , m_progress(new QWidget(this))
    , m_bar(new QProgressBar(this))
    , m_title(new ElidedLabel({}, Qt::ElideRight, TextSize::BodyStrong, TextTone::Text, this))
    , m_step(new ElidedLabel({}, Qt::ElideRight, TextSize::Body, TextTone::Secondary, this))
    , m_cancel(normalButton(tr("Cancel Benchmark"), {}, this)) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::tight);
    buildChoices();
    buildProgress();
    layout->addWidget(m_choices);
    layout->addWidget(m_reason);
    layout->addWidget(m_progress);
    connect(m_services.jobs, &JobListModel::jobChanged, this, [this](Job* job) {
        if (job->kind() != jobKind)
            return;
        if (job->isFinished())
            job->setProperty(stoppingKey, {});
        update();
    });
    connect(m_services.jobs, &QAbstractItemModel::rowsInserted, this, &RunPanel::update);
    connect(m_services.jobs, &QAbstractItemModel::rowsRemoved, this, &RunPanel::update);
    update();
}

void RunPanel::buildChoices() {
    auto* const flow = new FlowLayout(m_choices);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->setSpacing(spacing::grid);
    m_suite->setAccessibleName(tr("Suite"));
    m_suite->setMinimumContentsLength(12);
    m_suite->view()->setAccessibleName(tr("Suites"));
    m_suite->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    flow->addWidget(labelled(tr("Suite"), m_suite, m_choices));
    addExecutors();
    m_whereField = labelled(tr("Root disk"), m_where, m_choices);
    m_whereLabel = m_whereField->findChild<TextLabel*>();
    flow->addWidget(m_whereField);
    m_rounds->setRange(1, mostRounds);
    m_rounds->setValue(usualRounds);
    m_rounds->setAccessibleName(tr("Runs"));
    flow->addWidget(labelled(tr("Runs"), m_rounds, m_choices));
    m_short->setAccessibleName(tr("Short trial"));
    m_short->setToolTip(tr("A trial of seconds. Its figures are no result to quote."));
    m_short->setAccessibleDescription(m_short->toolTip());
    flow->addWidget(m_short);
    m_estimate->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    flow->addWidget(m_estimate);
    flow->addWidget(m_run);
    connect(m_suite, &QComboBox::currentIndexChanged, this, [this] {
        tickUsual();
        update();
    });
    connect(m_rounds, &QSpinBox::valueChanged, this, &RunPanel::update);
    connect(m_short, &QCheckBox::toggled, this, &RunPanel::update);
    connect(m_run, &QPushButton::clicked, this, &RunPanel::start);
}

void RunPanel::buildProgress() {
    auto* const layout = new QHBoxLayout(m_progress);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    auto* const words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_step);
    words->addWidget(m_bar);
    layout->addLayout(words, 1);
    layout->addWidget(m_cancel);
    m_bar->setRange(0, barSteps);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the benchmark"));
    m_progress->hide();
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (Job* const job = runningJob()) {
            job->setProperty(stoppingKey, true);
            job->cancel();
            update();
        }
    });
}

void RunPanel::addExecutors() {
    auto* const menu = new QMenu(m_where);
    auto* const list = new QWidget(menu);
    list->setAccessibleName(tr("Where to measure"));
    auto* const layout = new QVBoxLayout(list);
    layout->setContentsMargins(spacing::block, spacing::grid, spacing::block, spacing::grid);
    for (const ExecutorOffer& offer : m_offers) {
        auto* const box = new QCheckBox(offer.text, list);
        box->setProperty("executor", offer.word);
        layout->addWidget(box);
        m_executors.append(box);
        connect(box, &QCheckBox::toggled, this, &RunPanel::update);
    }
    m_list = new QWidgetAction(menu);
    m_list->setDefaultWidget(list);
    menu->addAction(m_list);
    m_where->setMenu(menu);
}

QCheckBox* RunPanel::executorBox(const QString& word) const {
    for (QCheckBox* const box : m_executors)
        if (wordOf(box) == word)
            return box;
    return nullptr;
}

void RunPanel::readSuites() {
    struct Found {
        QList<bench::Suite> suites;
        QStringList problems;
        quint64 memory = 0;
    };
    inBackground(
        this,
        [home = m_services.library->library().home()] {
            Found found;
            const QString folder = bench::CampaignStore(home).folder() + QStringLiteral("/suites");
            for (const bench::SuiteEntry& entry : bench::allSuites(folder)) {
                if (entry.suite)
                    found.suites.append(*entry.suite);
                else
                    found.problems.append(entry.suite.error().message);
            }
            found.memory = static_cast<quint64>(
                bench::hostInfo().value(QLatin1String("memory_bytes")).toDouble());
            return found;
        },
        [this](const Found& found) {
            m_memory = found.memory;
            if (found.suites != m_suites) {
                const QString before = suite() ? suite()->id : QString();
                m_suites = found.suites;
                const QSignalBlocker blocker(m_suite);
                m_suite->clear();
                for (const bench::Suite& one : std::as_const(m_suites)) {
                    m_suite->addItem(one.title, one.id);
                    m_suite->setItemData(
                        m_suite->count() - 1, one.description.toHtmlEscaped(), Qt::ToolTipRole);
                }
                m_suite->setCurrentIndex(
                    std::max(0, m_suite->findData(before.isEmpty() ? usualSuite : before)));
                if (!suite() || suite()->id != before)
                    tickUsual();
            }
            update();
            Q_EMIT suitesRead(found.problems);
        });
}

const bench::Suite* RunPanel::suite() const {
    const int index = m_suite->currentIndex();
    return index >= 0 && index < m_suites.size() ? &m_suites.at(index) : nullptr;
}

bool RunPanel::isMachineRunning() const {
    return m_machine &&
           (m_machine->state == MachineState::Running || m_machine->state == MachineState::Paused);
}

void RunPanel::showHost() {
    m_machine.reset();
    tickUsual();
    update();
}

void RunPanel::showMachine(const MachineInfo& info) {
    const bool other =
        !m_machine || m_machine->directory != info.directory || m_machine->state != info.state;
    m_machine = info;
    if (other)
        tickUsual();
    update();
}

// Why the state of things does not allow it; empty if it does.
QString RunPanel::whyNot(const ExecutorOffer& offer) const {
    if (offer.needsMachine() && !m_machine)
        return tr("Belongs to a machine.");
    if (offer.kind == ExecutorOffer::Kind::Running && !isMachineRunning())
        return tr("The machine does not run.");
    if (offer.word.startsWith(plan9Start) && ::geteuid() == 0)
        return tr("Not for root: the file server of 9P is QEMU itself, and the guest's root would "
                  "be root here. Measure it as an ordinary user.");
    if (offer.needsClone() && m_machine->state != MachineState::Stopped)
        return tr("Shut the machine down first: throw-away clones of it are measured.");
    return {};
}

// What suits the suite is shown, what is not possible now greyed; ticks of both are taken away.
void RunPanel::tickUsual() {
    const bench::Suite* const chosen = suite();
    for (qsizetype i = 0; i < m_offers.size(); ++i) {
        const ExecutorOffer& offer = m_offers.at(i);
        QCheckBox* const box = m_executors.at(i);
        const bool shown =
            chosen != nullptr && isOffered(offer, *chosen) && (m_machine || !offer.needsMachine());
        const QString reason = whyNot(offer);
        box->setVisible(shown);
        box->setEnabled(shown && reason.isEmpty());
        box->setToolTip(reason.toHtmlEscaped());
        box->setAccessibleDescription(reason);
        const bool usual =
            shown && (isUsual(offer, *chosen) || offer.kind == ExecutorOffer::Kind::Running ||
                      (!m_machine && offer.kind == ExecutorOffer::Kind::Host && !offersKernels()));
        const QSignalBlocker blocker(box);
        box->setChecked(reason.isEmpty() && usual);
    }
    // The menu asks for its size again.
    m_list->setText(chosen != nullptr ? chosen->id : QString());
}

bool RunPanel::offersKernels() const {
    const bench::Suite* const chosen = suite();
    return chosen != nullptr &&
           std::any_of(m_offers.begin(), m_offers.end(), [chosen](const ExecutorOffer& offer) {
               return offer.kind == ExecutorOffer::Kind::Kernel && isOffered(offer, *chosen);
           });
}

QStringList RunPanel::executors() const {
    QStringList words;
    for (const QCheckBox* const box : m_executors)
        if (box->isChecked() && box->isEnabled())
            words.append(wordOf(box));
    return words;
}

QStringList RunPanel::arguments() const {
    QStringList words{QStringLiteral("bench"),
                      QStringLiteral("run"),
                      QStringLiteral("--progress"),
                      QStringLiteral("json")};
    if (const bench::Suite* const chosen = suite())
        words << QStringLiteral("--suite") << chosen->id;
    words << QStringLiteral("--rounds") << QString::number(m_rounds->value());
    if (m_short->isChecked())
        words << QStringLiteral("--short");
    const QStringList where = executors();
    if (m_machine && std::any_of(m_offers.begin(), m_offers.end(), [&where](const auto& offer) {
            return offer.needsMachine() && where.contains(offer.word);
        }))
        words << QStringLiteral("--machine=") + m_machine->name;
    if (where != QStringList{hostWord}) // which is measured unless something else is named
        for (const QString& word : where)
            words << QStringLiteral("--executor=") + word;
    return words;
}

QString RunPanel::whyNot() const {
    if (suite() == nullptr)
        return tr("The suites are being read.");
    if (executors().isEmpty())
        return tr("Choose under %1 where to measure.").arg(m_whereLabel->text());
    if (const Job* const job = runningJob())
        return tr("\"%1\" is being measured: two benchmarks at once would disturb each other.")
            .arg(job->title());
    if (m_isForeign)
        return m_foreign.isEmpty()
                   ? tr("Another program measures just now: two benchmarks at once would disturb "
                        "each other.")
                   : tr("Another program measures \"%1\" just now: two benchmarks at once would "
                        "disturb each other.")
                         .arg(m_foreign);
    return {};
}

void RunPanel::setForeign(bool isMeasured, const QString& title) {
    if (m_isForeign == isMeasured && m_foreign == title)
        return;
    m_isForeign = isMeasured;
    m_foreign = title;
    update();
}

QString RunPanel::estimateText() const {
    const bench::Suite* const chosen = suite();
    if (chosen == nullptr || executors().isEmpty())
        return {};
    const bench::RunPlan plan =
        bench::planOf(*chosen, executors(), m_rounds->value(), m_short->isChecked(), m_memory);
    return durationText(static_cast<qint64>(std::ceil(bench::estimatedSeconds(plan))));
}

void RunPanel::update() {
    const QStringList words = executors();
    int sets = 0;
    int kernels = 0;
    for (const ExecutorOffer& offer : m_offers) {
        const bool ticked = words.contains(offer.word);
        sets += ticked && offer.needsClone() ? 1 : 0;
        kernels += ticked && offer.kind == ExecutorOffer::Kind::Kernel ? 1 : 0;
    }
    QStringList parts;
    if (sets > 0)
        parts.append(sets == 1 ? tr("1 option set") : tr("%1 option sets").arg(sets));
    if (kernels > 0)
        parts.append(kernels == 1 ? tr("1 kernel run") : tr("%1 kernel runs").arg(kernels));
    if (words.contains(runningWord))
        parts.append(tr("running machine"));
    if (words.contains(hostWord))
        parts.append(tr("host"));
    m_where->setText(parts.isEmpty() ? tr("nothing chosen") : parts.join(tr(" and ")));
    const bool ofRootDisk = suite() == nullptr || isOfRootDisk(*suite());
    m_whereLabel->setText(ofRootDisk ? tr("Root disk") : tr("Where"));
    m_where->setAccessibleName(QStringLiteral("%1: %2").arg(m_whereLabel->text(), m_where->text()));
    m_whereField->setVisible(m_machine.has_value() || offersKernels());
    const QString time = estimateText();
    //: about that time
    m_estimate->setText(time.isEmpty() ? QString() : tr("\u2248 %1").arg(time));
    m_estimate->setAccessibleName(time.isEmpty() ? QString() : tr("Takes about %1").arg(time));
    const QString reason = whyNot();
    const bool busy = runningJob() != nullptr;
    m_choices->setVisible(!busy);
    m_progress->setVisible(busy);
    m_run->setEnabled(reason.isEmpty());
    m_run->setAccessibleDescription(reason);
    m_run->setToolTip(reason.toHtmlEscaped());
    m_reason->setReason(busy || suite() == nullptr ? QString() : reason);
    updateProgress();
}

Job* RunPanel::runningJob() const {
    for (int row = 0; row < m_services.jobs->rowCount(); ++row) {
        Job* const job = m_services.jobs->jobAt(row);
        if (job->kind() == jobKind && !job->isFinished())
            return job;
    }
    return nullptr;
}

QString RunPanel::runningCampaign() const {
    const Job* const job = runningJob();
    return job != nullptr ? job->property(campaignKey).toString() : QString();
}

void RunPanel::updateProgress() {
    const Job* const job = runningJob();
    if (job == nullptr)
        return;
    const Progress& progress = job->progress();
    const double total = static_cast<double>(progress.total.value_or(0));
    m_bar->setValue(
        total > 0 ? static_cast<int>(barSteps * static_cast<double>(progress.done) / total) : 0);
    m_title->setText(QStringLiteral("%1 \u00B7 %2").arg(job->title(), job->subtitle()));
    const bool stopping = job->property(stoppingKey).toBool();
    m_cancel->setEnabled(!stopping);
    if (stopping) { // a guest that starts takes a while to end
        m_step->setText(tr("Stopping\u2026 What was measured is kept."));
        m_bar->setAccessibleDescription(m_step->text());
        return;
    }
    QString step = progress.step.isEmpty() ? tr("Starting") : progress.step;
    if (progress.total)
        step = tr("%1 of %2 measurements \u00B7 %3")
                   .arg(QString::number(progress.done), QString::number(*progress.total), step);
    m_step->setText(step);
    m_bar->setAccessibleDescription(step);
}

void RunPanel::start() {
    if (!m_run->isEnabled())
        return;
    begin(m_machine ? m_machine->name : tr("This computer"), suite()->title, arguments());
}

void RunPanel::resume(const QString& campaign, const QString& title) {
    if (runningJob() != nullptr)
        return;
    // What it became last time is not so any more.
    for (int row = m_services.jobs->rowCount() - 1; row >= 0; --row) {
        const Job* const job = m_services.jobs->jobAt(row);
        if (job->kind() == jobKind && job->property(campaignKey).toString() == campaign)
            m_services.jobs->removeFinished(job);
    }
    begin(m_machine ? m_machine->name : tr("This computer"), title, resumeArguments(campaign));
}

void RunPanel::begin(const QString& title, const QString& subtitle, const QStringList& words) {
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), m_services.library->library().home());
    auto job = std::make_unique<Job>(jobKind, title, subtitle, benchWork(words, environment));
    Job* const record = job.get();
    connect(record, &Job::logged, this, [this, record](const QString& line) {
        const qsizetype at = line.indexOf(campaignWord); // behind the time
        if (at < 0 || record->property(campaignKey).isValid())
            return;
        const QString id = line.mid(at + campaignWord.size()).trimmed();
        record->setProperty(campaignKey, id);
        Q_EMIT campaignKnown(id);
    });
    connect(record, &Job::finished, this, [this, record] {
        if (record->state() == Job::State::Failed)
            Q_EMIT failed(record->error());
        update();
        Q_EMIT ended();
    });
    m_services.jobs->add(std::move(job));
    update();
}

} // namespace vitrine::ui
