// SPDX-License-Identifier: Apache-2.0
#include "ui/sharing/share_table.h"

#include "ui/theme/theme.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"

#include <QCheckBox>
#include <QDir>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSignalBlocker>

#include <algorithm>

namespace vitrine::ui {

namespace {

enum Column { nameColumn, folderColumn, guestColumn, readOnlyColumn, stateColumn, columns };

Glyph glyphOf(const ShareStatus& share, bool running) {
    if (!running)
        return Glyph::Waiting;
    switch (share.state) {
    case ShareState::Mounted:
        return Glyph::Done;
    case ShareState::NotMounted:
    case ShareState::Broken:
    case ShareState::Failed:
        return Glyph::Broken;
    case ShareState::Adding:
    case ShareState::Waiting:
        break;
    }
    return Glyph::Waiting;
}

QString shortPath(const QString& path) {
    const QString home = QDir::homePath();
    return path.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + path.mid(home.size())
                                                    : path;
}

bool sameKey(const ShareSpec& a, const ShareSpec& b) {
    return a.tag == b.tag && a.name == b.name;
}

QHBoxLayout* cell(QWidget* widget) {
    auto* layout = new QHBoxLayout(widget);
    layout->setContentsMargins(spacing::grid, 0, spacing::tight, 0);
    layout->setSpacing(spacing::tight);
    return layout;
}

} // namespace

QString shareStateText(const ShareStatus& share, bool running) {
    if (!running)
        return Tr::tr("At next start");
    switch (share.state) {
    case ShareState::Adding:
        return Tr::tr("Being added");
    case ShareState::Waiting:
        return Tr::tr("Waits for the guest");
    case ShareState::Mounted:
        return Tr::tr("Mounted");
    case ShareState::NotMounted:
        return Tr::tr("Not mounted in the guest");
    case ShareState::Broken:
        return Tr::tr("Broken, restart the machine");
    case ShareState::Failed:
        return Tr::tr("Not shared");
    }
    return {};
}

ShareTable::ShareTable(QWidget* parent)
    : QTreeWidget(parent) {
    setColumnCount(columns);
    setHeaderLabels(
        {tr("Name"), tr("Folder here"), tr("In the guest"), tr("Read-only"), tr("State")});
    setAccessibleName(tr("Shared folders"));
    setRootIsDecorated(false);
    setItemsExpandable(false);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTabKeyNavigation(false);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    header()->setStretchLastSection(true);
    header()->setSectionsClickable(false);
    connect(this, &QTreeWidget::itemSelectionChanged, this, &ShareTable::selectedChanged);
    connect(this, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int column) {
        const int row = indexOfTopLevelItem(item);
        if (m_filling || column != nameColumn || row < 0 || row >= m_shares.size())
            return;
        const ShareStatus share = m_shares.at(row);
        const QString name = item->text(nameColumn).trimmed();
        if (name != share.spec.displayName() && !name.isEmpty())
            Q_EMIT nameWanted(share.spec, name);
        fill(item, share); // until it is so
    });
}

void ShareTable::setShares(const QList<ShareStatus>& shares, bool running) {
    if (shares == m_shares && running == m_running)
        return;
    const bool sameRows =
        shares.size() == m_shares.size() &&
        std::equal(shares.begin(),
                   shares.end(),
                   m_shares.begin(),
                   [](const auto& a, const auto& b) { return sameKey(a.spec, b.spec); });
    const std::optional<ShareStatus> before = selected();
    m_shares = shares;
    m_running = running;
    m_filling = true;
    if (!sameRows) {
        const QSignalBlocker quiet(this); // rows and shares do not fit each other meanwhile
        clear();
        for (int row = 0; row < m_shares.size(); ++row) {
            auto* item = new QTreeWidgetItem(this);
            item->setSizeHint(nameColumn, QSize(0, spacing::tableRow));
            makeCells(item, row);
        }
    }
    m_filling = false;
    for (int row = 0; row < m_shares.size(); ++row)
        fill(topLevelItem(row), m_shares.at(row));
    if (!sameRows && !m_shares.isEmpty()) {
        int chosen = 0;
        for (int row = 0; row < m_shares.size(); ++row)
            if (before && sameKey(before->spec, m_shares.at(row).spec))
                chosen = row;
        setCurrentItem(topLevelItem(chosen));
    }
    Q_EMIT selectedChanged();
}

void ShareTable::setChangeable(bool changeable, const QString& reason) {
    m_changeable = changeable;
    m_reason = reason;
    for (int row = 0; row < m_shares.size(); ++row)
        fill(topLevelItem(row), m_shares.at(row));
}

std::optional<ShareStatus> ShareTable::selected() const {
    const QList<QTreeWidgetItem*> items = selectedItems();
    const int row = items.isEmpty() ? -1 : indexOfTopLevelItem(items.first());
    return row >= 0 && row < m_shares.size() ? std::optional(m_shares.at(row)) : std::nullopt;
}

void ShareTable::makeCells(QTreeWidgetItem* item, int row) {
    auto* guest = new QWidget(this);
    QHBoxLayout* line = cell(guest);
    auto* path = new ElidedLabel({}, Qt::ElideMiddle, TextSize::Fixed, TextTone::Text, guest);
    path->setObjectName(QStringLiteral("path"));
    line->addWidget(path);
    line->addWidget(new CopyButton(tr("Copy the path in the guest"), guest));
    line->addStretch();
    setItemWidget(item, guestColumn, guest);

    auto* access = new QWidget(this);
    line = cell(access);
    auto* readOnly = new QCheckBox(access);
    line->addStretch();
    line->addWidget(readOnly);
    line->addStretch();
    setItemWidget(item, readOnlyColumn, access);
    connect(readOnly, &QCheckBox::clicked, this, [this, item](bool checked) {
        const int at = indexOfTopLevelItem(item);
        if (at >= 0 && at < m_shares.size())
            Q_EMIT readOnlyWanted(ShareSpec(m_shares.at(at).spec), checked);
    });

    auto* state = new QWidget(this);
    line = cell(state);
    line->addWidget(new GlyphLabel(state));
    line->addSpacing(spacing::tight);
    auto* word = new ElidedLabel({}, Qt::ElideRight, TextSize::Body, TextTone::Text, state);
    word->setObjectName(QStringLiteral("word"));
    line->addWidget(word, 1);
    setItemWidget(item, stateColumn, state);
    Q_UNUSED(row)
}

void ShareTable::fill(QTreeWidgetItem* item, const ShareStatus& share) {
    m_filling = true;
    const QString name = share.spec.displayName();
    item->setText(nameColumn, name);
    item->setIcon(nameColumn, themeIcon(u"folder"));
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (m_changeable)
        flags |= Qt::ItemIsEditable;
    item->setFlags(flags);
    item->setText(folderColumn, shortPath(share.spec.path));
    item->setToolTip(folderColumn, share.spec.path.toHtmlEscaped());
    const QString state = shareStateText(share, m_running);
    item->setData(
        nameColumn,
        Qt::AccessibleTextRole,
        tr("%1, %2, %3").arg(name, share.spec.readOnly ? tr("read-only") : tr("writable"), state));
    QWidget* guest = itemWidget(item, guestColumn);
    guest->findChild<ElidedLabel*>()->setText(share.guestPath);
    guest->findChild<CopyButton*>()->setTextToCopy(share.guestPath);
    auto* readOnly = itemWidget(item, readOnlyColumn)->findChild<QCheckBox*>();
    readOnly->setChecked(share.spec.readOnly);
    readOnly->setAccessibleName(tr("\"%1\" is read-only").arg(name));
    readOnly->setEnabled(m_changeable);
    readOnly->setToolTip(m_changeable
                             ? (share.spec.readOnly ? tr("The guest cannot change the files.")
                                                    : tr("The guest can change the files."))
                             : m_reason.toHtmlEscaped());
    QWidget* word = itemWidget(item, stateColumn);
    word->findChild<GlyphLabel*>()->setGlyph(glyphOf(share, m_running));
    word->findChild<ElidedLabel*>()->setText(state);
    m_filling = false;
}

void ShareTable::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Delete && selected()) {
        Q_EMIT removeWanted();
        event->accept();
        return;
    }
    if (event->key() == Qt::Key_Space && selected() && m_changeable) {
        const ShareStatus share = *selected();
        Q_EMIT readOnlyWanted(share.spec, !share.spec.readOnly);
        event->accept();
        return;
    }
    QTreeWidget::keyPressEvent(event);
}

void ShareTable::resizeEvent(QResizeEvent* event) {
    QTreeWidget::resizeEvent(event);
    sizeColumns();
}

void ShareTable::sizeColumns() {
    const int access =
        std::max(90, header()->fontMetrics().horizontalAdvance(tr("Read-only")) + 24);
    const int room = std::max(0, viewport()->width() - access);
    header()->resizeSection(nameColumn, std::max(116, room * 16 / 100));
    header()->resizeSection(folderColumn, room * 22 / 100);
    header()->resizeSection(guestColumn, room * 33 / 100);
    header()->resizeSection(readOnlyColumn, access);
}

} // namespace vitrine::ui
