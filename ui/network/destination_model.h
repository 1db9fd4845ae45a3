// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_values.h"

#include <QAbstractTableModel>
#include <QDateTime>
#include <QHash>

#include <optional>

namespace vitrine::ui {

// What the guest talked to, sorted and filtered. A piece of news costs the same however many rows
// it changes: rows are changed, added at the end and then put in order; nothing is reset. While the
// order is held (the pointer is over the list) rows keep their places and new ones come at the end.
class DestinationModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Seen, Verdict, Name, Address, Port, Packets, Bytes, Because, Action, Columns };
    enum class Verdicts { All, Allowed, Blocked };
    static constexpr qsizetype most = 4096; // as many as the helper keeps

    explicit DestinationModel(QObject* parent = nullptr);

    void clear();
    void take(const QList<SoftnetDestination>& news); // new ones, and known ones as they are now
    void setClockBegan(const QDateTime& began);
    void setVerdicts(Verdicts verdicts);
    void setFilter(const QString& text); // of name, address, port, protocol and reason
    void setHeld(bool held);

    [[nodiscard]] const SoftnetDestination* at(int row) const; // null: there is none
    [[nodiscard]] int total(Verdicts verdicts) const;          // whatever the filter
    [[nodiscard]] QList<SoftnetDestination> all() const;       // in the order of first sight
    [[nodiscard]] QList<SoftnetDestination> shown() const;     // as sorted and filtered
    [[nodiscard]] bool isFiltered() const;
    [[nodiscard]] bool hasNames() const { return m_named > 0; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant
    headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    void totalsChanged();

private:
    struct Row {
        SoftnetDestination value;
        quint32 number = 0; // of the address
        QString searched;   // what the filter looks through, in small letters
        int place = -1;     // among the shown, -1: not
        bool goes = false;  // there are newer ones enough
    };
    using Key = std::pair<quint64, QString>;
    [[nodiscard]] static Key keyOf(const SoftnetDestination& one);
    [[nodiscard]] bool passes(const Row& row) const;
    [[nodiscard]] bool isBefore(int left, int right) const;
    void markOldest();
    void dropMarked();
    void arrange(); // puts m_shown in order, with what passes
    [[nodiscard]] QVariant text(const SoftnetDestination& one, int column) const;
    [[nodiscard]] QString seenText(const SoftnetDestination& one) const;

    QList<Row> m_rows;
    QHash<Key, int> m_index; // of m_rows
    QList<int> m_shown;      // of m_rows
    QDateTime m_clockBegan;
    Verdicts m_verdicts = Verdicts::All;
    QStringList m_words;
    int m_column = Seen;
    Qt::SortOrder m_order = Qt::DescendingOrder;
    bool m_held = false;
    int m_allowed = 0;
    int m_named = 0;
};

// "443 TCP", "22 TCP in", "ICMP".
[[nodiscard]] QString portText(const SoftnetDestination& one);
// What it is called: its name, else its address.
[[nodiscard]] QString calledText(const SoftnetDestination& one);

} // namespace vitrine::ui
