// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/host_checks.h"

#include "ui/machines/host_report.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int subjectWidth = 160;

Glyph glyphFor(HostCheck::Verdict verdict) {
    switch (verdict) {
    case HostCheck::Verdict::Good:
        return Glyph::Done;
    case HostCheck::Verdict::Warning:
        return Glyph::Warning;
    case HostCheck::Verdict::Missing:
        return Glyph::Broken;
    }
    return Glyph::Warning;
}

QString wordFor(HostCheck::Verdict verdict) {
    switch (verdict) {
    case HostCheck::Verdict::Good:
        return Tr::tr("Good");
    case HostCheck::Verdict::Warning:
        return Tr::tr("Warning");
    case HostCheck::Verdict::Missing:
        return Tr::tr("Missing");
    }
    return {};
}

QString diagnosisText(const HypervisorInfo& info) {
    QString text = info.diagnosis;
    for (const HostCheck& check : info.checks)
        text += QStringLiteral("%1: %2: %3\n")
                    .arg(check.subject, wordFor(check.verdict), check.finding);
    return text;
}

// `width` of the subjects, so that the findings of all rows line up.
QWidget* makeRow(const HostCheck& check, int width, QWidget* parent) {
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(spacing::grid, 6, spacing::grid, 6);
    layout->setSpacing(spacing::block);
    auto* glyph = new GlyphLabel(glyphFor(check.verdict), 12, row);
    glyph->setAccessibleName(wordFor(check.verdict));
    layout->addWidget(glyph);
    auto* subject = new TextLabel(check.subject, TextSize::Body, TextTone::Text, row);
    subject->setFixedWidth(width);
    layout->addWidget(subject);
    auto* finding = new TextLabel(check.finding, TextSize::Body, TextTone::Secondary, row);
    finding->setWordWrap(true);
    finding->makeSelectable();
    finding->setFocusPolicy(Qt::ClickFocus);
    layout->addWidget(finding, 1);
    row->setMinimumHeight(spacing::tableRow - 1);
    return row;
}

} // namespace

HostChecks::HostChecks(HostReport* report, QWidget* parent)
    : QWidget(parent)
    , m_report(report)
    , m_layout(new QVBoxLayout(this))
    , m_again(smallButton(tr("Check Again"), {}, this))
    , m_copy(smallButton(tr("Copy Diagnosis"), u"copy", this))
    , m_note(new TextLabel({}, TextSize::Small, TextTone::Secondary, this)) {
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(spacing::tight);
    auto* top = new QHBoxLayout;
    top->addWidget(sectionHeading(tr("This computer"), this));
    top->addStretch();
    top->addWidget(m_copy);
    top->addWidget(m_again);
    m_layout->addLayout(top);
    m_layout->addWidget(m_note);
    m_copy->setToolTip(tr("Copies what was found as text, for a report of a fault."));
    connect(m_again, &QPushButton::clicked, m_report, &HostReport::checkAgain);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (const HypervisorInfo* info = m_report->info())
            QGuiApplication::clipboard()->setText(diagnosisText(*info));
    });
    connect(m_report, &HostReport::changed, this, &HostChecks::rebuild);
    rebuild();
}

void HostChecks::rebuild() {
    const HypervisorInfo* info = m_report->info();
    m_again->setEnabled(!m_report->isChecking());
    m_copy->setEnabled(info != nullptr);
    m_note->setVisible(m_report->isChecking());
    m_note->setText(tr("Looking at this computer…"));
    if (info == nullptr || m_report->isChecking())
        return; // what was found last stays until it is replaced
    // All rows come in one piece: each one added to a page that is shown would lay it out again.
    auto* rows = new QWidget;
    auto* lines = new QVBoxLayout(rows);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    int width = subjectWidth;
    const QFontMetrics metrics(Theme::body());
    for (const HostCheck& check : info->checks)
        width = std::max(width, metrics.horizontalAdvance(check.subject) + 1);
    for (const HostCheck& check : info->checks) {
        lines->addWidget(makeRow(check, width, rows));
        lines->addWidget(new Hairline(Qt::Horizontal, rows));
    }
    if (m_rows != nullptr) {
        m_rows->hide();
        m_rows->deleteLater();
    }
    m_rows = rows;
    m_layout->insertWidget(1, m_rows);
}

} // namespace vitrine::ui
