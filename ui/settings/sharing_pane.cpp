// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/sharing_pane.h"

#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace vitrine::ui {

SharingPane::SharingPane(QWidget* parent)
    : SettingsPane(tr("Sharing"), parent)
    , m_shares(new QLabel(this)) {
    m_shares->setTextFormat(Qt::PlainText);
    m_shares->setWordWrap(true);
    m_shares->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_shares->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
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
    m_shares->setText(lines.isEmpty() ? tr("Nothing is shared.") : lines.join(QLatin1Char('\n')));
    end();
}

} // namespace vitrine::ui
