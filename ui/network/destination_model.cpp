// SPDX-License-Identifier: Apache-2.0
#include "ui/network/destination_model.h"

#include "core/result/error.h"
#include "core/softnet/softnet_rules.h"
#include "core/value/byte_count.h"
#include "ui/theme/theme.h"

#include <QHostAddress>
#include <QLocale>

#include <algorithm>
#include <numeric>

namespace vitrine::ui {

namespace {

QString bytesText(qint64 bytes) {
    return ByteCount::fromBytes(static_cast<quint64>(std::max<qint64>(0, bytes))).toText();
}

template <class Value>
int compared(const Value& left, const Value& right) {
    return left < right ? -1 : right < left ? 1 : 0;
}

} // namespace

QString portText(const SoftnetDestination& one) {
    const QString what = one.port == 0
                             ? one.protocol.toUpper()
                             : QStringLiteral("%1 %2").arg(one.port).arg(one.protocol.toUpper());
    return one.incoming ? Tr::tr("%1 in").arg(what) : what;
}

QString calledText(const SoftnetDestination& one) {
    return one.name.isEmpty() ? one.address : one.name;
}

DestinationModel::DestinationModel(QObject* parent)
    : QAbstractTableModel(parent) {}

DestinationModel::Key DestinationModel::keyOf(const SoftnetDestination& one) {
    return {static_cast<quint64>(one.port) << 1 | (one.incoming ? 1U : 0U),
            one.protocol + QLatin1Char(' ') + one.address};
}

void DestinationModel::clear() {
    if (!m_shown.isEmpty()) {
        beginRemoveRows({}, 0, static_cast<int>(m_shown.size()) - 1);
        m_shown.clear();
        endRemoveRows();
    }
    m_rows.clear();
    m_index.clear();
    m_allowed = 0;
    m_named = 0;
    Q_EMIT totalsChanged();
}

void DestinationModel::take(const QList<SoftnetDestination>& news) {
    for (const SoftnetDestination& one : news) {
        const auto found = m_index.constFind(keyOf(one));
        int at = found == m_index.constEnd() ? -1 : *found;
        if (at < 0) {
            at = static_cast<int>(m_rows.size());
            m_index.insert(keyOf(one), at);
            m_rows.append(Row{});
            m_rows.last().number = QHostAddress(one.address).toIPv4Address();
        }
        Row& row = m_rows[at];
        row.value = one;
        row.searched = QStringList{one.name, one.address, portText(one), softnetReasonText(one)}
                           .join(QLatin1Char('\n'))
                           .toLower();
    }
    if (m_rows.size() > most)
        markOldest();
    arrange();
    if (m_rows.size() > most)
        dropMarked();
    m_allowed = static_cast<int>(std::count_if(
        m_rows.cbegin(), m_rows.cend(), [](const Row& row) { return row.value.allowed; }));
    m_named = static_cast<int>(std::count_if(
        m_rows.cbegin(), m_rows.cend(), [](const Row& row) { return !row.value.name.isEmpty(); }));
    Q_EMIT totalsChanged();
}

// The helper forgets them too.
void DestinationModel::markOldest() {
    QList<int> byAge(m_rows.size());
    std::iota(byAge.begin(), byAge.end(), 0);
    const qsizetype tooMany = m_rows.size() - most;
    std::nth_element(byAge.begin(), byAge.begin() + tooMany, byAge.end(), [this](int a, int b) {
        return std::pair(m_rows.at(a).value.lastMs, a) < std::pair(m_rows.at(b).value.lastMs, b);
    });
    for (qsizetype i = 0; i < tooMany; ++i)
        m_rows[byAge.at(i)].goes = true;
}

// They are not shown any more.
void DestinationModel::dropMarked() {
    QList<int> moved(m_rows.size(), -1);
    QList<Row> rows;
    rows.reserve(most);
    m_index.clear();
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
        if (m_rows.at(i).goes)
            continue;
        moved[i] = static_cast<int>(rows.size());
        m_index.insert(keyOf(m_rows.at(i).value), moved.at(i));
        rows.append(std::move(m_rows[i]));
    }
    m_rows = std::move(rows);
    for (int& at : m_shown)
        at = moved.at(at);
}

bool DestinationModel::passes(const Row& row) const {
    if (m_verdicts != Verdicts::All && row.value.allowed != (m_verdicts == Verdicts::Allowed))
        return false;
    return std::all_of(m_words.cbegin(), m_words.cend(), [&row](const QString& word) {
        return row.searched.contains(word);
    });
}

bool DestinationModel::isBefore(int left, int right) const {
    const Row& a = m_rows.at(left);
    const Row& b = m_rows.at(right);
    int difference = 0;
    switch (m_column) {
    case Verdict:
        difference = compared(b.value.allowed, a.value.allowed);
        break;
    case Action:
        difference = compared(b.value.passesNow(), a.value.passesNow());
        break;
    case Name:
        // Those without a name come last either way.
        if (a.value.name.isEmpty() != b.value.name.isEmpty())
            return b.value.name.isEmpty();
        difference = a.value.name.compare(b.value.name, Qt::CaseInsensitive);
        break;
    case Address:
        difference = compared(a.number, b.number);
        break;
    case Port:
        difference = compared(std::tie(a.value.port, a.value.protocol),
                              std::tie(b.value.port, b.value.protocol));
        break;
    case Packets:
        difference = compared(a.value.packets, b.value.packets);
        break;
    case Bytes:
        difference =
            compared(a.value.bytesIn + a.value.bytesOut, b.value.bytesIn + b.value.bytesOut);
        break;
    case Because:
        difference = compared(std::tie(a.value.rule, a.value.reason),
                              std::tie(b.value.rule, b.value.reason));
        break;
    default:
        difference = compared(a.value.lastMs, b.value.lastMs);
        break;
    }
    if (difference == 0)
        return left < right;
    return m_order == Qt::AscendingOrder ? difference < 0 : difference > 0;
}

void DestinationModel::arrange() {
    // New rows at the end, rows that fit no more to the end and off.
    QList<int> wanted;
    wanted.reserve(m_rows.size());
    for (Row& row : m_rows)
        row.place = -1;
    for (qsizetype i = 0; i < m_shown.size(); ++i)
        m_rows[m_shown.at(i)].place = static_cast<int>(i);
    QList<int> added;
    for (int i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows.at(i);
        const bool fits = !row.goes && (passes(row) || (m_held && row.place >= 0));
        if (!fits)
            continue;
        wanted.append(i);
        if (row.place < 0)
            added.append(i);
    }
    if (!added.isEmpty()) {
        const int first = static_cast<int>(m_shown.size());
        beginInsertRows({}, first, first + static_cast<int>(added.size()) - 1);
        m_shown += added;
        endInsertRows();
    }
    const auto before = [this](int left, int right) { return isBefore(left, right); };
    QList<int> order = wanted;
    if (m_held) {
        order = m_shown; // as they are
        order.removeIf([this](int at) { return m_rows.at(at).goes; });
    } else {
        std::sort(order.begin(), order.end(), before);
    }
    QList<int> whole = order;
    if (order.size() != m_shown.size()) {
        QList<bool> fits(m_rows.size(), false);
        for (const int at : std::as_const(order))
            fits[at] = true;
        for (const int at : std::as_const(m_shown))
            if (!fits.at(at))
                whole.append(at);
    }
    if (whole != m_shown) {
        Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
        QList<int> placeOf(m_rows.size(), -1);
        for (qsizetype i = 0; i < whole.size(); ++i)
            placeOf[whole.at(i)] = static_cast<int>(i);
        const QModelIndexList kept = persistentIndexList();
        for (const QModelIndex& index : kept)
            changePersistentIndex(index,
                                  createIndex(placeOf.at(m_shown.at(index.row())), index.column()));
        m_shown = whole;
        Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
    }
    if (order.size() < m_shown.size()) {
        beginRemoveRows({}, static_cast<int>(order.size()), static_cast<int>(m_shown.size()) - 1);
        m_shown = order;
        endRemoveRows();
    }
    if (!m_shown.isEmpty())
        Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(m_shown.size()) - 1, Columns - 1));
}

void DestinationModel::setClockBegan(const QDateTime& began) {
    if (began == m_clockBegan)
        return;
    m_clockBegan = began;
    if (!m_shown.isEmpty())
        Q_EMIT dataChanged(index(0, Seen), index(static_cast<int>(m_shown.size()) - 1, Seen));
}

void DestinationModel::setVerdicts(Verdicts verdicts) {
    m_verdicts = verdicts;
    arrange();
}

void DestinationModel::setFilter(const QString& text) {
    m_words = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    arrange();
}

void DestinationModel::setHeld(bool held) {
    if (held == m_held)
        return;
    m_held = held;
    if (!held)
        arrange();
}

void DestinationModel::sort(int column, Qt::SortOrder order) {
    m_column = column;
    m_order = order;
    const bool held = std::exchange(m_held, false); // asked for, so it is done
    arrange();
    m_held = held;
}

const SoftnetDestination* DestinationModel::at(int row) const {
    return row >= 0 && row < m_shown.size() ? &m_rows.at(m_shown.at(row)).value : nullptr;
}

int DestinationModel::total(Verdicts verdicts) const {
    const int all = static_cast<int>(m_rows.size());
    return verdicts == Verdicts::All       ? all
           : verdicts == Verdicts::Allowed ? m_allowed
                                           : all - m_allowed;
}

QList<SoftnetDestination> DestinationModel::all() const {
    QList<SoftnetDestination> list;
    list.reserve(m_rows.size());
    for (const Row& row : m_rows)
        list.append(row.value);
    return list;
}

QList<SoftnetDestination> DestinationModel::shown() const {
    QList<SoftnetDestination> list;
    list.reserve(m_shown.size());
    for (const int at : m_shown)
        list.append(m_rows.at(at).value);
    return list;
}

bool DestinationModel::isFiltered() const {
    return m_verdicts != Verdicts::All || !m_words.isEmpty();
}

int DestinationModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int DestinationModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int{Columns};
}

QString DestinationModel::seenText(const SoftnetDestination& one) const {
    if (!m_clockBegan.isValid())
        return {};
    const QDateTime time = m_clockBegan.addMSecs(one.lastMs).toLocalTime();
    return time.date() == QDate::currentDate()
               ? QLocale().toString(time.time(), QStringLiteral("HH:mm:ss"))
               : QLocale().toString(time, QLocale::ShortFormat);
}

QVariant DestinationModel::text(const SoftnetDestination& one, int column) const {
    switch (column) {
    case Seen:
        return seenText(one);
    case Verdict:
        return one.allowed ? tr("Allowed") : tr("Blocked");
    case Name:
        return one.name;
    case Address:
        return one.address;
    case Port:
        return portText(one);
    case Packets:
        return QLocale().toString(one.packets);
    case Bytes:
        return bytesText(one.bytesIn + one.bytesOut);
    case Because:
        return softnetReasonText(one);
    case Action:
        return !whyNoSoftnetRule(one).isEmpty() ? QString()
               : one.passesNow()                ? tr("Block")
                                                : tr("Allow");
    default:
        return {};
    }
}

QVariant DestinationModel::data(const QModelIndex& index, int role) const {
    const SoftnetDestination* one = at(index.row());
    if (one == nullptr)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(*one, index.column());
    case Qt::DecorationRole:
        return index.column() == Verdict
                   ? QVariant(glyphPixmap(one->allowed ? Glyph::Done : Glyph::Blocked))
                   : QVariant();
    case Qt::TextAlignmentRole:
        return index.column() == Packets || index.column() == Bytes
                   ? QVariant(static_cast<int>(Qt::AlignRight | Qt::AlignVCenter))
                   : QVariant(static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter));
    case Qt::FontRole:
        return index.column() == Address ? QVariant(Theme::fixed())
               : index.column() == Name  ? QVariant(Theme::bodyStrong())
                                         : QVariant();
    case Qt::AccessibleTextRole:
        if (index.column() == Seen)
            return tr("%1, %2, %3, %4")
                .arg(one->allowed ? tr("Allowed") : tr("Blocked"),
                     calledText(*one),
                     portText(*one),
                     softnetReasonText(*one));
        return index.column() == Action && !text(*one, Action).toString().isEmpty()
                   ? tr("%1 %2").arg(text(*one, Action).toString(), calledText(*one))
                   : text(*one, index.column());
    case Qt::ToolTipRole:
        if (index.column() == Action)
            return whyNoSoftnetRule(*one).toHtmlEscaped();
        if ((index.column() == Name || index.column() == Address) && !one->name.isEmpty())
            return tr("%1. The name is a hint: it comes from answers that the guest got, and a "
                      "guest can make them say anything.")
                .arg(index.column() == Name ? one->name
                                            : QStringLiteral("%1, %2").arg(one->address, one->name))
                .toHtmlEscaped();
        if (index.column() == Verdict)
            return softnetReasonText(*one).toHtmlEscaped();
        if (index.column() == Bytes)
            return tr("%1 sent, %2 got").arg(bytesText(one->bytesOut), bytesText(one->bytesIn));
        return text(*one, index.column()).toString().toHtmlEscaped();
    default:
        return {};
    }
}

QVariant DestinationModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(
            (section == Packets || section == Bytes ? Qt::AlignRight : Qt::AlignLeft) |
            Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Name)
        return tr("A hint: from answers that the guest got. A guest can make them say anything.");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Seen:
        return tr("Seen");
    case Verdict:
        return tr("Verdict");
    case Name:
        return tr("Name (a hint)");
    case Address:
        return tr("Address");
    case Port:
        return tr("Port");
    case Packets:
        return tr("Packets");
    case Bytes:
        return tr("Sent and got");
    case Because:
        return tr("Because");
    default:
        return QString();
    }
}

} // namespace vitrine::ui
