// SPDX-License-Identifier: Apache-2.0
#include "ui/library/library_panel.h"

#include "ui/library/navigation_row.h"
#include "ui/library/side_list.h"
#include "ui/theme/theme.h"
#include "ui/widgets/hairline.h"

#include <QVBoxLayout>

namespace vitrine::ui {

LibraryPanel::LibraryPanel(const Services& services, Thumbnails* thumbnails, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_list(new SideList(services.library, thumbnails, this))
    , m_transfers(new NavigationRow(tr("Transfers"), u"transfers", this)) {
    setMinimumWidth(spacing::sideListMinimum);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_list, 1);
    layout->addWidget(new Hairline(Qt::Horizontal, this));
    layout->addSpacing(spacing::tight);
    layout->addWidget(m_transfers);
    layout->addSpacing(spacing::tight);
    connect(m_transfers, &QAbstractButton::clicked, this, [this] {
        m_transfers->setChecked(true);
        Q_EMIT transfersRequested();
    });
    connect(m_services.jobs, &JobListModel::jobChanged, this, &LibraryPanel::updateCount);
    connect(m_services.jobs, &QAbstractItemModel::rowsInserted, this, &LibraryPanel::updateCount);
    connect(m_services.jobs, &QAbstractItemModel::rowsRemoved, this, &LibraryPanel::updateCount);
    updateCount();
}

void LibraryPanel::setTransfersShown(bool shown) {
    m_transfers->setChecked(shown);
}

void LibraryPanel::updateCount() {
    const int running = m_services.jobs->runningCount();
    m_transfers->setCount(running > 0 ? QString::number(running) : QString());
}

} // namespace vitrine::ui
