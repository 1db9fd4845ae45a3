// SPDX-License-Identifier: Apache-2.0
#include "ui/transfers/transfer_row.h"

#include "ui/pull/pull_job.h"
#include "ui/theme/theme.h"
#include "ui/transfers/layer_list.h"
#include "ui/transfers/progress_line.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/message_bar.h"

#include <QBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace vitrine::ui {

TransferRow::TransferRow(Job* job, QWidget* parent)
    : QWidget(parent)
    , m_job(job)
    , m_expand(iconButton(tr("Show the parts of %1").arg(job->title()), u"chevron-right", this))
    , m_status(new ElidedLabel({}, Qt::ElideRight, TextSize::Small, TextTone::Text, this))
    , m_line(new ProgressLine(this))
    , m_cancel(iconButton(tr("Stop %1").arg(job->title()), u"close", this))
    , m_retry(iconButton(tr("Try %1 again").arg(job->title()), u"retry", this))
    , m_log(iconButton(tr("Log of %1").arg(job->title()), u"note", this))
    , m_layers(new LayerList(this)) {
    setAccessibleName(job->title());
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* icon = new GlyphLabel(this);
    icon->setIcon(job->kind() == QLatin1String("pull")     ? u"pull"
                  : job->kind() == QLatin1String("create") ? u"plus"
                                                           : u"copy",
                  20,
                  GlyphLabel::IconTone::Text);
    auto* title =
        new ElidedLabel(job->title(), Qt::ElideRight, TextSize::BodyStrong, TextTone::Text, this);
    auto* subtitle = new ElidedLabel(
        job->subtitle(), Qt::ElideMiddle, TextSize::Small, TextTone::Secondary, this);
    m_line->setAccessibleName(tr("Progress of %1").arg(job->title()));

    auto* names = new QVBoxLayout;
    names->setSpacing(2);
    names->addStretch();
    names->addWidget(title);
    names->addWidget(subtitle);
    names->addStretch();
    auto* nameBox = new QWidget(this);
    names->setContentsMargins(0, 0, 0, 0);
    nameBox->setLayout(names);
    nameBox->setFixedWidth(220);

    auto* state = new QVBoxLayout;
    state->setSpacing(spacing::tight);
    state->addStretch();
    state->addWidget(m_line);
    state->addWidget(m_status);
    state->addStretch();

    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 0, 0);
    head->setSpacing(spacing::grid);
    head->addWidget(m_expand);
    head->addWidget(icon);
    head->addWidget(nameBox);
    head->addLayout(state, 1);
    head->addSpacing(spacing::grid);
    head->addWidget(m_cancel);
    head->addWidget(m_retry);
    head->addWidget(m_log);
    auto* headBox = new QWidget(this);
    headBox->setLayout(head);
    headBox->setFixedHeight(spacing::transferRow);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 1);
    layout->setSpacing(0);
    layout->addWidget(headBox);
    auto* indent = new QHBoxLayout;
    indent->setContentsMargins(spacing::control + spacing::grid, 0, 0, 0);
    indent->addWidget(m_layers);
    layout->addLayout(indent);
    m_layers->hide();

    connect(m_expand, &QToolButton::clicked, this, [this] { setExpanded(!m_expanded); });
    connect(m_cancel, &QToolButton::clicked, this, [this] { m_job->cancel(); });
    connect(m_retry, &QToolButton::clicked, this, [this] { Q_EMIT retryRequested(m_job); });
    connect(m_log, &QToolButton::clicked, this, [this] { Q_EMIT logRequested(m_job); });
    connect(job, &Job::progressed, this, &TransferRow::update);
    connect(job, &Job::stateChanged, this, &TransferRow::stateChanged);
    stateChanged();
}

void TransferRow::setExpanded(bool expanded) {
    m_expanded = expanded;
    m_expand->setIcon(themeIcon(expanded ? u"chevron-down" : u"chevron-right"));
    m_expand->setToolTip(expanded ? tr("Hide the parts of %1").arg(m_job->title())
                                  : tr("Show the parts of %1").arg(m_job->title()));
    m_expand->setAccessibleName(m_expand->toolTip());
    update();
    m_layers->setVisible(expanded && !m_job->progress().items.isEmpty());
}

void TransferRow::update() {
    const Progress& progress = m_job->progress();
    std::optional<double> fraction;
    if (m_job->state() == Job::State::Succeeded)
        fraction = 1.0;
    else if (progress.total && *progress.total > 0)
        fraction = static_cast<double>(progress.done) / static_cast<double>(*progress.total);
    else if (const double of = m_job->property("of").toDouble(); of > 0 && m_job->isFinished())
        fraction = m_job->property("interrupted").toDouble() / of; // by an earlier run
    const auto tone = m_job->state() == Job::State::Succeeded ? ProgressLine::Tone::Done
                      : m_job->state() == Job::State::Failed  ? ProgressLine::Tone::Failed
                                                              : ProgressLine::Tone::Running;
    m_line->setFraction(fraction, tone);
    m_status->setText(statusText(*m_job));
    m_expand->setEnabled(!progress.items.isEmpty());
    if (m_expanded) {
        m_layers->setRows(layerRows(progress.items, m_job->isFinished()));
        m_layers->setVisible(!progress.items.isEmpty());
    }
}

void TransferRow::stateChanged() {
    const Job::State state = m_job->state();
    m_cancel->setVisible(!m_job->isFinished());
    m_retry->setVisible(state == Job::State::Failed || state == Job::State::Cancelled);
    if (m_error)
        m_error->clear();
    showProblem();
    update();
}

void TransferRow::showProblem() {
    const auto bar = [this] {
        if (!m_error) {
            m_error = new MessageBar(this);
            layout()->addWidget(m_error);
        }
        return m_error;
    };
    if (m_job->state() == Job::State::Failed) {
        bar()->showError(m_job->error());
        if (m_job->error().kind == Error::Kind::Unauthorized)
            m_error->addAction(tr("Sign In…"), [this] { Q_EMIT signInRequested(m_job); });
        m_error->addAction(tr("Retry"), [this] { Q_EMIT retryRequested(m_job); });
        return;
    }
    const auto outcome = pullOutcome(*m_job);
    if (outcome && outcome->machineError) {
        bar()->showMessage(MessageBar::Kind::Warning,
                           tr("The image is here, but the machine \"%1\" was not made.")
                               .arg(m_job->property("machine").toString()),
                           outcome->machineError->message);
        m_error->setToolTip(outcome->machineError->detail.toHtmlEscaped());
        m_error->addAction(tr("Make a Machine…"), [this] { Q_EMIT machineRequested(m_job); });
    } else if (outcome && outcome->keepError) {
        bar()->showMessage(MessageBar::Kind::Warning,
                           tr("The image is here, but \"Always use http\" was not kept."),
                           outcome->keepError->message);
    }
}

void TransferRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(Theme::current().separator);
    painter.drawLine(0, height() - 1, width(), height() - 1);
}

} // namespace vitrine::ui
