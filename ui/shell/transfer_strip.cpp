// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/transfer_strip.h"

#include "ui/library/machine_text.h"
#include "ui/pull/pull_job.h"
#include "ui/theme/theme.h"
#include "ui/transfers/transfer_text.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QProgressBar>
#include <QToolButton>

namespace vitrine::ui {

namespace {

constexpr int barWidth = 240;
constexpr int barSteps = 1000;
constexpr const char* dismissedKey = "dismissedInStrip"; // of a job: the end that is not shown

// What is worth a word on every page although the work is over; empty: nothing.
QString problemOf(const Job& job) {
    if (job.property(dismissedKey).toDateTime() == job.finishedAt())
        return {};
    if (job.state() == Job::State::Failed)
        //: A piece of work, such as a pull, that failed.
        return TransferStrip::tr("%1 failed.").arg(job.title());
    if (const auto outcome = pullOutcome(job); outcome && outcome->machineError)
        return TransferStrip::tr("%1 is here, but no machine was made.").arg(job.title());
    return {};
}

} // namespace

TransferStrip::TransferStrip(const Services& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_glyph(new GlyphLabel(Glyph::Fetching, 14, this))
    , m_title(new ElidedLabel({}, Qt::ElideRight, TextSize::BodyStrong, TextTone::Text, this))
    , m_text(new ElidedLabel({}, Qt::ElideRight, TextSize::Body, TextTone::Text, this))
    , m_bar(new QProgressBar(this))
    , m_cancel(iconButton(tr("Cancel this work"), u"close", this))
    , m_dismiss(iconButton(tr("Dismiss"), u"close", this))
    , m_more(linkButton({}, this))
    , m_library(
          new ElidedLabel(tr("Library %1").arg(homeShortened(services.library->library().home())),
                          Qt::ElideMiddle,
                          TextSize::Body,
                          TextTone::Secondary,
                          this)) {
    setMinimumHeight(spacing::stripHeight);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(spacing::block, 0, 12, 0);
    layout->setSpacing(12);
    layout->addWidget(m_glyph);
    layout->addWidget(m_title);
    layout->addWidget(m_text);
    m_bar->setRange(0, barSteps);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(barWidth);
    layout->addWidget(m_bar);
    layout->addWidget(m_cancel);
    layout->addStretch(1);
    layout->addWidget(m_more);
    layout->addWidget(m_dismiss);
    layout->addWidget(m_library);
    connect(m_cancel, &QToolButton::clicked, this, [this] {
        if (m_job)
            m_job->cancel();
    });
    connect(m_dismiss, &QToolButton::clicked, this, [this] {
        if (m_problem)
            m_problem->setProperty(dismissedKey, m_problem->finishedAt());
        refresh();
    });
    m_more->setAccessibleName(tr("Show the transfers"));
    connect(m_more, &QPushButton::clicked, this, &TransferStrip::transfersRequested);
    connect(m_services.jobs, &JobListModel::jobChanged, this, &TransferStrip::refresh);
    connect(m_services.jobs, &QAbstractItemModel::rowsInserted, this, &TransferStrip::refresh);
    connect(m_services.jobs, &QAbstractItemModel::rowsRemoved, this, &TransferStrip::refresh);
    refresh();
}

void TransferStrip::showHint(const QString& hint) {
    m_hint = hint;
    refresh();
}

void TransferStrip::refresh() {
    Job* shown = nullptr;
    Job* failed = nullptr;
    int running = 0;
    for (int row = 0; row < m_services.jobs->rowCount(); ++row) {
        Job* job = m_services.jobs->jobAt(row);
        if (failed == nullptr && !problemOf(*job).isEmpty())
            failed = job;
        if (job->isFinished())
            continue;
        ++running;
        shown = job; // the oldest that still runs
    }
    m_job = shown;
    m_problem = failed;
    const bool works = shown != nullptr && m_hint.isEmpty();
    m_glyph->setVisible(works || (failed != nullptr && m_hint.isEmpty()));
    m_title->setVisible(works);
    m_bar->setVisible(works);
    m_cancel->setVisible(works);
    m_library->setVisible(!works);
    if (works) {
        const Progress& progress = shown->progress();
        m_glyph->setGlyph(Glyph::Fetching, 14);
        m_title->setText(shown->title());
        m_text->setText(statusText(*shown));
        m_text->setTone(TextTone::Text);
        const bool known = progress.total && *progress.total > 0;
        m_bar->setValue(known ? static_cast<int>(static_cast<double>(progress.done) /
                                                 static_cast<double>(*progress.total) * barSteps)
                              : 0);
        m_more->setText(running > 1 ? tr("%1 more").arg(running - 1) : tr("Show"));
    } else if (!m_hint.isEmpty()) {
        m_text->setText(m_hint);
        m_text->setTone(TextTone::Secondary);
    } else if (failed != nullptr) {
        m_glyph->setGlyph(failed->state() == Job::State::Failed ? Glyph::Broken : Glyph::Warning,
                          14);
        m_text->setText(problemOf(*failed));
        m_text->setTone(TextTone::Text);
        m_more->setText(tr("Show"));
    } else {
        m_text->setText(tr("No transfers."));
        m_text->setTone(TextTone::Secondary);
    }
    m_more->setVisible(works || (failed != nullptr && m_hint.isEmpty()));
    m_dismiss->setVisible(failed != nullptr && !works && m_hint.isEmpty());
    setAccessibleName(m_text->text());
}

} // namespace vitrine::ui
