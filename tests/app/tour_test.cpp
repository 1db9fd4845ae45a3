// SPDX-License-Identifier: Apache-2.0
#include "app/tour.h"

#include "tests/support/gui_support.h"
#include "ui/theme/theme.h"

#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <optional>

using namespace vitrine;
using vitrine::app::Tour;
using vitrine::test::waitUntil;

namespace {

std::optional<QString> run(Tour& tour) {
    std::optional<QString> result;
    QObject::connect(
        &tour, &Tour::finished, &tour, [&result](const QString& failure) { result = failure; });
    tour.start();
    waitUntil([&result] { return result.has_value(); }, 20000);
    return result;
}

} // namespace

TEST(Tour, TakesItsStepsInTurnAndPicturesOfThem) {
    QTemporaryDir folder;
    QWidget window;
    window.show();
    Tour tour(&window, folder.path(), nullptr);
    QStringList order;
    tour.add({QStringLiteral("one"), [&order] { order << QStringLiteral("one"); }, {}});
    tour.add({QStringLiteral("two"),
              [&order] { order << QStringLiteral("two"); },
              [&order] { return order.size() == 2; }});
    tour.addPictures(QStringLiteral("page"));
    const auto result = run(tour);
    ASSERT_TRUE(result.has_value() && result->isEmpty());
    EXPECT_EQ(order, (QStringList{QStringLiteral("one"), QStringLiteral("two")}));
    for (const char* name : {"page-light-1280x800.png",
                             "page-light-900x600.png",
                             "page-dark-1280x800.png",
                             "page-dark-900x600.png"})
        EXPECT_TRUE(QFile::exists(folder.filePath(QLatin1String(name)))) << name;
}

TEST(Tour, AStepThatTakesTooLongEndsIt) {
    QTemporaryDir folder;
    QWidget window;
    Tour tour(&window, folder.path(), nullptr);
    Tour::Step step{QStringLiteral("never"), {}, [] { return false; }};
    step.seconds = 0;
    tour.add(step);
    const auto result = run(tour);
    ASSERT_TRUE(result.has_value() && !result->isEmpty());
    EXPECT_TRUE(result->contains(QStringLiteral("never")));
}

TEST(Tour, AFailureOnTheWayEndsItWithItsReason) {
    QTemporaryDir folder;
    QWidget window;
    Tour tour(&window, folder.path(), nullptr);
    Tour::Step step{QStringLiteral("pull"), {}, [] { return false; }};
    step.failure = [] { return QStringLiteral("no registry"); };
    tour.add(step);
    const auto result = run(tour);
    ASSERT_TRUE(result.has_value() && !result->isEmpty());
    EXPECT_TRUE(result->contains(QStringLiteral("no registry")));
}

TEST(Tour, PicturesThatCannotBeWrittenEndIt) {
    QWidget window;
    window.show();
    Tour tour(&window, QStringLiteral("/proc/none"), nullptr);
    tour.addPictures(QStringLiteral("page"));
    const auto result = run(tour);
    ASSERT_TRUE(result.has_value() && !result->isEmpty());
}
