// SPDX-License-Identifier: Apache-2.0
#include "ui/library/library_panel.h"

#include "core/library/unnamed_folders.h"
#include "ui/library/navigation_row.h"
#include "ui/library/side_list.h"
#include "ui/machines/background.h"
#include "ui/theme/theme.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/text_label.h"

#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr qsizetype longestName = 24; // characters; a longer word would widen the panel

QString shortened(const QString& name) {
    return name.size() > longestName ? name.left(longestName) + QChar(0x2026) : name;
}

} // namespace

LibraryPanel::LibraryPanel(const Services& services, Thumbnails* thumbnails, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_list(new SideList(services.library, thumbnails, this))
    , m_leftOut(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_transfers(new NavigationRow(tr("Transfers"), u"transfers", this))
    , m_benchmarks(new NavigationRow(tr("Benchmarks"), u"chart", this))
    , m_kernelRuns(new NavigationRow(tr("Kernel Runs"), u"chip", this)) {
    setMinimumWidth(spacing::sideListMinimum);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_list, 1);
    m_leftOut->setWordWrap(true);
    m_leftOut->setContentsMargins(spacing::block, spacing::grid, spacing::block, spacing::grid);
    m_leftOut->hide();
    layout->addWidget(m_leftOut);
    layout->addWidget(new Hairline(Qt::Horizontal, this));
    layout->addSpacing(spacing::tight);
    layout->addWidget(m_transfers);
    layout->addWidget(m_benchmarks);
    layout->addWidget(m_kernelRuns);
    layout->addSpacing(spacing::tight);
    connect(m_transfers, &QAbstractButton::clicked, this, [this] {
        m_transfers->setChecked(true);
        Q_EMIT transfersRequested();
    });
    connect(m_benchmarks, &QAbstractButton::clicked, this, [this] {
        m_benchmarks->setChecked(true);
        Q_EMIT benchmarksRequested();
    });
    connect(m_kernelRuns, &QAbstractButton::clicked, this, [this] {
        m_kernelRuns->setChecked(true);
        Q_EMIT kernelRunsRequested();
    });
    connect(m_services.jobs, &JobListModel::jobChanged, this, &LibraryPanel::updateCount);
    connect(m_services.jobs, &QAbstractItemModel::rowsInserted, this, &LibraryPanel::updateCount);
    connect(m_services.jobs, &QAbstractItemModel::rowsRemoved, this, &LibraryPanel::updateCount);
    connect(m_services.library, &LibraryModel::loaded, this, &LibraryPanel::lookForUnnamed);
    if (m_services.library->isLoaded())
        lookForUnnamed();
    updateCount();
}

void LibraryPanel::lookForUnnamed() {
    inBackground(
        this,
        [library = m_services.library->library()] { return unnamedFolders(library); },
        [this](const QStringList& folders) { tellUnnamed(folders); });
}

void LibraryPanel::tellUnnamed(const QStringList& folders) {
    m_leftOut->setVisible(!folders.isEmpty());
    if (folders.isEmpty())
        return;
    m_leftOut->setText(
        folders.size() == 1
            ? tr("\"%1\" is left out: its name is not valid UTF-8.").arg(shortened(folders.first()))
            : tr("%1 folders are left out: their names are not valid UTF-8.").arg(folders.size()));
    const QString help =
        tr("Rename in \"%1\": %2")
            .arg(m_services.library->library().machinesPath(), folders.join(QLatin1String(", ")));
    m_leftOut->setToolTip(help.toHtmlEscaped());
    m_leftOut->setAccessibleName(m_leftOut->text());
    m_leftOut->setAccessibleDescription(help);
}

void LibraryPanel::setTransfersShown(bool shown) {
    m_transfers->setChecked(shown);
}

void LibraryPanel::setBenchmarksShown(bool shown) {
    m_benchmarks->setChecked(shown);
}

void LibraryPanel::setKernelRunsShown(bool shown) {
    m_kernelRuns->setChecked(shown);
}

void LibraryPanel::updateCount() {
    const int running = m_services.jobs->runningCount();
    m_transfers->setCount(running > 0 ? QString::number(running) : QString());
}

} // namespace vitrine::ui
