// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/sharing_pane.h"

#include "ui/theme/theme.h"
#include "ui/widgets/elided_label.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace vitrine::ui {

SharingPane::SharingPane(QWidget* parent)
    : SettingsPane(tr("Sharing"), parent)
    , m_shares(new QWidget(this)) {
    m_shares->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    auto* lines = new QVBoxLayout(m_shares);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(spacing::tight);
    auto* open = new QPushButton(tr("Show the Sharing Page"), this);
    addField(tr("Folders"), m_shares);
    addField(tr("Change them"),
             open,
             tr("Folders are added, removed and made writable there. It counts at once, without "
                "Apply."));
    connect(open, &QPushButton::clicked, this, &SharingPane::pageRequested);
}

void SharingPane::display(const PaneContext& context) {
    begin(context);
    QStringList lines;
    for (const ShareSpec& share : context.sidecar.run.shares)
        lines << tr("%1: %2, %3")
                     .arg(share.displayName(),
                          share.path,
                          share.readOnly ? tr("read-only") : tr("writable"));
    if (lines.isEmpty())
        lines << tr("Nothing is shared.");
    showLines(lines);
    end();
}

// One line for each, as long paths have no place to be wrapped at.
void SharingPane::showLines(const QStringList& lines) {
    if (lines == m_lines)
        return;
    m_lines = lines;
    qDeleteAll(m_shares->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    for (const QString& line : lines)
        m_shares->layout()->addWidget(
            new ElidedLabel(line, Qt::ElideMiddle, TextSize::Body, TextTone::Text, m_shares));
}

} // namespace vitrine::ui
