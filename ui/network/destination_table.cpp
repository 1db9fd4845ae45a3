// SPDX-License-Identifier: Apache-2.0
#include "ui/network/destination_table.h"

#include "core/softnet/softnet_rules.h"
#include "ui/network/destination_model.h"
#include "ui/theme/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace vitrine::ui {

namespace {

using Column = DestinationModel::Column;

bool isSame(const SoftnetDestination& a, const SoftnetDestination& b) {
    return a.address == b.address && a.port == b.port && a.protocol == b.protocol &&
           a.incoming == b.incoming;
}

QRect buttonRect(const QRect& cell) {
    return cell.adjusted(2, 2, -2, -3);
}

// A hairline under each row, the button at its end, the ring round the whole row.
class RowDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyleOptionViewItem plain = option;
        plain.state.setFlag(QStyle::State_HasFocus, false);
        const Theme& theme = Theme::current();
        const auto* table = qobject_cast<const QTableView*>(option.widget);
        const bool isCurrent = table && table->currentIndex().row() == index.row();
        const bool selected = plain.state.testFlag(QStyle::State_Selected);
        if (index.column() == Column::Action) {
            if (selected)
                painter->fillRect(option.rect, theme.selection);
            paintButton(*painter, option.rect, index.data().toString());
        } else {
            QStyledItemDelegate::paint(painter, plain, index);
        }
        painter->save();
        painter->setPen(theme.separator);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        if (isCurrent && table->hasFocus()) {
            painter->setPen(QPen(theme.accent, 2));
            const QRect row = option.rect.adjusted(0, 1, 0, -1);
            painter->drawLine(row.topLeft(), row.topRight());
            painter->drawLine(row.bottomLeft(), row.bottomRight());
            if (table->horizontalHeader()->visualIndex(index.column()) == 0)
                painter->drawLine(row.topLeft() + QPoint(1, 0), row.bottomLeft() + QPoint(1, 0));
            if (index.column() == Column::Action)
                painter->drawLine(row.topRight(), row.bottomRight());
        }
        painter->restore();
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode =
            index.column() == Column::Address ? Qt::ElideMiddle : Qt::ElideRight;
        const Theme& theme = Theme::current();
        if (index.column() == Column::Because || index.column() == Column::Seen)
            option->palette.setColor(QPalette::Text, theme.secondary);
    }

private:
    static void paintButton(QPainter& painter, const QRect& cell, const QString& text) {
        if (text.isEmpty())
            return;
        const Theme& theme = Theme::current();
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(theme.border);
        painter.setBrush(theme.surface);
        painter.drawRoundedRect(QRectF(buttonRect(cell)).adjusted(0.5, 0.5, -0.5, -0.5),
                                spacing::radius,
                                spacing::radius);
        painter.setPen(theme.text);
        painter.setFont(Theme::body());
        painter.drawText(buttonRect(cell), Qt::AlignCenter, text);
        painter.restore();
    }
};

} // namespace

DestinationTable::DestinationTable(DestinationModel* model, QWidget* parent)
    : QTableView(parent)
    , m_model(model) {
    setModel(model);
    setItemDelegate(new RowDelegate(this));
    setAccessibleName(tr("What the guest talked to"));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setCornerButtonEnabled(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(true);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(spacing::tableRow);
    verticalHeader()->setDefaultSectionSize(spacing::tableRow);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsClickable(true);
    horizontalHeader()->setFocusPolicy(Qt::NoFocus);
    setSortingEnabled(true);
    sortByColumn(Column::Seen, Qt::DescendingOrder);
    sizeColumns();
    connect(model, &DestinationModel::totalsChanged, this, [this] {
        if (m_model->hasNames() != m_hasNames)
            sizeColumns();
    });
}

std::optional<SoftnetDestination> DestinationTable::current() const {
    const SoftnetDestination* one = m_model->at(currentIndex().row());
    return one != nullptr ? std::optional(*one) : std::nullopt;
}

void DestinationTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTableView::currentChanged(current, previous);
    viewport()->update(); // the ring
    Q_EMIT currentMoved();
}

void DestinationTable::press(int row) {
    if (const SoftnetDestination* one = m_model->at(row); one && whyNoSoftnetRule(*one).isEmpty())
        Q_EMIT pressed(SoftnetDestination(*one));
}

void DestinationTable::keyPressEvent(QKeyEvent* event) {
    const auto one = current();
    const bool plain = event->modifiers() == Qt::NoModifier;
    if (plain && one &&
        (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
         event->key() == Qt::Key_Space)) {
        if (!event->isAutoRepeat())
            press(currentIndex().row());
        event->accept();
        return;
    }
    if (event->matches(QKeySequence::Copy) && one) {
        QGuiApplication::clipboard()->setText(
            one->port == 0 ? one->address
                           : QStringLiteral("%1:%2").arg(one->address).arg(one->port));
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
}

std::optional<SoftnetDestination> DestinationTable::buttonAt(QPoint position) const {
    const QModelIndex index = indexAt(position);
    const SoftnetDestination* one = m_model->at(index.row());
    if (!one || index.column() != Column::Action ||
        !buttonRect(visualRect(index)).contains(position))
        return std::nullopt;
    return *one;
}

void DestinationTable::mousePressEvent(QMouseEvent* event) {
    m_down =
        event->button() == Qt::LeftButton ? buttonAt(event->position().toPoint()) : std::nullopt;
    QTableView::mousePressEvent(event);
}

void DestinationTable::mouseReleaseEvent(QMouseEvent* event) {
    QTableView::mouseReleaseEvent(event);
    const auto down = std::exchange(m_down, std::nullopt);
    const auto up = buttonAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && down && up && isSame(*down, *up) &&
        down->passesNow() == up->passesNow())
        press(indexAt(event->position().toPoint()).row());
}

void DestinationTable::contextMenuEvent(QContextMenuEvent* event) {
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const QModelIndex index = byKey ? currentIndex() : indexAt(event->pos());
    if (const SoftnetDestination* one = m_model->at(index.row())) {
        setCurrentIndex(index);
        const QPoint place = byKey ? visualRect(index).bottomLeft() : event->pos();
        Q_EMIT menuWanted(SoftnetDestination(*one), viewport()->mapToGlobal(place));
    }
    event->accept();
}

bool DestinationTable::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Enter)
        m_model->setHeld(true);
    else if (event->type() == QEvent::Leave || event->type() == QEvent::Hide)
        m_model->setHeld(false);
    return QTableView::viewportEvent(event);
}

void DestinationTable::changeEvent(QEvent* event) {
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        sizeColumns();
}

void DestinationTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    sizeColumns();
}

// Each as wide as what it usually holds; names and reasons share the rest. A narrow list leaves out
// first names, when there are none, and then what the tool tips and the export tell too, names
// last; never why something passed or did not.
void DestinationTable::sizeColumns() {
    const QFontMetrics body(Theme::body());
    const QFontMetrics fixed(Theme::fixed());
    const QFontMetrics head(Theme::smallStrong());
    constexpr int margin = 18;
    constexpr int leastName = 120;
    const int leastReason = body.horizontalAdvance(tr("Private address, no rule")) + margin;
    const auto wide = [&](const QFontMetrics& metrics, const QString& sample, int column) {
        const QString title =
            m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        return std::max(metrics.horizontalAdvance(sample),
                        head.horizontalAdvance(title) +
                            (horizontalHeader()->sortIndicatorSection() == column ? 44 : 8)) +
               margin;
    };
    int used = 0;
    const auto give = [this, &used](int column, int width) {
        horizontalHeader()->resizeSection(column, width);
        used += width;
    };
    for (int column = 0; column < Column::Columns; ++column)
        setColumnHidden(column, false);
    give(Column::Seen, wide(body, QStringLiteral("00:00:00"), Column::Seen));
    give(Column::Verdict, wide(body, tr("Blocked"), Column::Verdict) + 30);
    give(Column::Address, wide(fixed, QStringLiteral("000.000.000.00"), Column::Address));
    give(Column::Port, wide(body, QStringLiteral("00000 TCP"), Column::Port));
    give(Column::Packets, wide(body, QStringLiteral("000,000"), Column::Packets));
    give(Column::Bytes, wide(body, QStringLiteral("000.0 MB"), Column::Bytes));
    give(Column::Action, std::max(72, body.horizontalAdvance(tr("Allow")) + 32));
    const int room = viewport()->width();
    m_hasNames = m_model->hasNames();
    int needed = leastName + leastReason;
    const auto leaveOut = [&](int column, int width) {
        if (used + needed <= room)
            return;
        setColumnHidden(column, true);
        (column == Column::Name ? needed : used) -= width;
    };
    if (!m_hasNames)
        leaveOut(Column::Name, leastName);
    for (const int column : {Column::Packets, Column::Seen, Column::Bytes})
        leaveOut(column, horizontalHeader()->sectionSize(column));
    leaveOut(Column::Name, isColumnHidden(Column::Name) ? 0 : leastName);
    const int rest = std::max(leastReason, room - used);
    const int name =
        isColumnHidden(Column::Name) ? 0 : std::max(leastName, rest * (m_hasNames ? 48 : 30) / 100);
    if (name > 0)
        horizontalHeader()->resizeSection(Column::Name, name);
    horizontalHeader()->resizeSection(Column::Because, rest - name);
}

} // namespace vitrine::ui
