// SPDX-License-Identifier: Apache-2.0
#include "ui/network/destination_model.h"

#include "tests/support/fake_firewall.h"
#include "tests/support/gui_support.h"
#include "ui/network/destination_table.h"
#include "ui/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <gtest/gtest.h>

#include <ctime>

namespace vitrine::test {
namespace {

using Model = ui::DestinationModel;

SoftnetDestination seenAt(const QString& address, qint64 lastMs, bool allowed = true) {
    SoftnetDestination one = destinationOf(qPrintable(address), 443, allowed);
    one.lastMs = lastMs;
    return one;
}

QStringList addresses(const Model& model) {
    QStringList list;
    for (int row = 0; row < model.rowCount(); ++row)
        list << model.at(row)->address;
    return list;
}

QString numbered(int i) {
    return QStringLiteral("203.%1.%2.9").arg(i / 250).arg(i % 250);
}

// Of this thread, so that a busy computer does not count.
double threadMilliseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

} // namespace

TEST(DestinationModel, KeepsRowsInOrderAndPersistentIndexesWithTheirRows) {
    Model model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    model.take({seenAt(QStringLiteral("192.0.2.1"), 10), seenAt(QStringLiteral("192.0.2.2"), 20)});
    const QPersistentModelIndex first(model.index(1, Model::Address));
    EXPECT_EQ(first.data().toString(), QStringLiteral("192.0.2.1"));
    model.take({seenAt(QStringLiteral("192.0.2.1"), 30), seenAt(QStringLiteral("192.0.2.3"), 25)});
    EXPECT_EQ(addresses(model).join(u' '), QStringLiteral("192.0.2.1 192.0.2.3 192.0.2.2"));
    EXPECT_EQ(first.row(), 0);
    EXPECT_EQ(first.data().toString(), QStringLiteral("192.0.2.1"));
    model.sort(Model::Address, Qt::AscendingOrder);
    EXPECT_EQ(addresses(model).join(u' '), QStringLiteral("192.0.2.1 192.0.2.2 192.0.2.3"));
    model.setFilter(QStringLiteral("192.0.2.3"));
    EXPECT_EQ(model.rowCount(), 1);
    EXPECT_FALSE(first.isValid());
    model.setFilter({});
    EXPECT_EQ(model.rowCount(), 3);
    EXPECT_EQ(resets.size(), 0);
}

TEST(DestinationModel, RowsKeepTheirPlacesWhileTheOrderIsHeld) {
    Model model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.take({seenAt(QStringLiteral("192.0.2.1"), 10), seenAt(QStringLiteral("192.0.2.2"), 20)});
    model.setVerdicts(Model::Verdicts::Allowed);
    model.setHeld(true);
    model.take(
        {seenAt(QStringLiteral("192.0.2.1"), 30, false), seenAt(QStringLiteral("192.0.2.3"), 40)});
    EXPECT_EQ(addresses(model).join(u' '), QStringLiteral("192.0.2.2 192.0.2.1 192.0.2.3"))
        << "also one that the filter would leave out";
    model.setHeld(false);
    EXPECT_EQ(addresses(model).join(u' '), QStringLiteral("192.0.2.3 192.0.2.2"));
}

TEST(DestinationModel, ForgetsTheOldestBeyondWhatTheHelperKeeps) {
    Model model;
    QList<SoftnetDestination> list;
    for (int i = 0; i < Model::most; ++i)
        list.append(seenAt(numbered(i), i));
    model.take(list);
    model.take({seenAt(QStringLiteral("192.0.2.1"), 100000), seenAt(numbered(1), 100001)});
    EXPECT_EQ(model.rowCount(), Model::most);
    const QStringList kept = addresses(model);
    EXPECT_EQ(kept.first(), numbered(1));
    EXPECT_FALSE(kept.contains(numbered(0)));
    model.take({seenAt(numbered(2), 100002)});
    EXPECT_EQ(model.rowCount(), Model::most);
    EXPECT_EQ(model.at(0)->address, numbered(2));
}

// The promise of the window's thread is 16 ms.
TEST(DestinationModel, AFullListTakesNewsWithoutAStutter) {
    ui::applyTheme(ui::SchemeChoice::Light);
    Model model;
    ui::DestinationTable table(&model);
    table.resize(1000, 600);
    table.show();
    QList<SoftnetDestination> list;
    for (int i = 0; i < Model::most; ++i)
        list.append(seenAt(numbered(i), i, i % 3 != 0));
    for (int i = 0; i < list.size(); i += 256)
        model.take(list.mid(i, 256));
    ASSERT_EQ(model.rowCount(), Model::most);
    for (const int column : {int{Model::Seen}, int{Model::Name}, int{Model::Bytes}}) {
        table.sortByColumn(column, Qt::DescendingOrder);
        double best = 1e9;
        for (int round = 0; round < 5; ++round) {
            QList<SoftnetDestination> news;
            for (int i = 0; i < 256; ++i) {
                SoftnetDestination one = list.at((i * 16 + round) % list.size());
                one.lastMs = 100000 + round * 1000 + i;
                one.bytesIn += i * 1000;
                news.append(one);
            }
            const double before = threadMilliseconds();
            model.take(news);
            best = std::min(best, threadMilliseconds() - before);
        }
        RecordProperty("milliseconds", std::to_string(best));
        std::printf("column %d: %.2f ms\n", column, best);
#ifdef VITRINE_SANITIZED
        EXPECT_LT(best, 160) << column;
#else
        EXPECT_LT(best, 16) << column;
#endif
    }
}

} // namespace vitrine::test
