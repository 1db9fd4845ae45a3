// SPDX-License-Identifier: Apache-2.0
#include "ui/library/side_list_model.h"

#include "tests/support/gui_support.h"
#include "tests/support/held_machine.h"

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

class SideListModelTest : public testing::Test {
protected:
    void open() {
        library = std::make_unique<LibraryModel>(small.library);
        model = std::make_unique<SideListModel>(library.get());
        ASSERT_TRUE(waitUntil([this] { return library->isLoaded(); }));
        ASSERT_TRUE(waitUntil([this] { return model->rowCount(machines()) > 0; }));
    }
    [[nodiscard]] QModelIndex machines() const {
        return model->sectionIndex(SideListModel::Section::Machines);
    }
    SmallLibrary small;
    std::unique_ptr<LibraryModel> library;
    std::unique_ptr<SideListModel> model;
};

} // namespace

TEST_F(SideListModelTest, HasTwoSections) {
    small.add(QStringLiteral("a"));
    open();
    EXPECT_EQ(model->rowCount(), 2);
    EXPECT_EQ(model->rowCount(machines()), 1);
    EXPECT_EQ(model->infoAt(model->index(0, 0, machines()))->name, QStringLiteral("a"));
    // No image: a note that cannot be selected.
    const QModelIndex images = model->sectionIndex(SideListModel::Section::Images);
    EXPECT_EQ(model->rowCount(images), 1);
    EXPECT_EQ(model->infoAt(model->index(0, 0, images)), nullptr);
    EXPECT_FALSE(model->flags(model->index(0, 0, images)).testFlag(Qt::ItemIsSelectable));
}

TEST_F(SideListModelTest, KeepsRowsWhenOthersComeAndGo) {
    for (const char* name : {"b", "d"})
        small.add(QLatin1String(name));
    open();
    const QPersistentModelIndex d = model->indexOf(QStringLiteral("d"), false);
    small.add(QStringLiteral("a"));
    small.add(QStringLiteral("c"));
    ASSERT_TRUE(waitUntil([this] { return model->rowCount(machines()) == 4; }));
    EXPECT_EQ(model->infoAt(d)->name, QStringLiteral("d"));
    QDir(small.library.machinesPath() + QStringLiteral("/b")).removeRecursively();
    ASSERT_TRUE(waitUntil([this] { return model->rowCount(machines()) == 3; }));
    EXPECT_EQ(d.row(), 2);
}

TEST_F(SideListModelTest, CountsWhatTheFilterShows) {
    for (const char* name : {"build", "builder", "web"})
        small.add(QLatin1String(name));
    open();
    EXPECT_EQ(machines().data(SideListModel::CountRole).toString(), QStringLiteral("3"));
    model->setFilter(QStringLiteral("build"));
    EXPECT_EQ(machines().data(SideListModel::CountRole).toString(), QStringLiteral("2 of 3"));
    EXPECT_EQ(model->totalCount(SideListModel::Section::Machines), 3);
}

TEST_F(SideListModelTest, ToolTipsAreNotMarkup) {
    small.add(QStringLiteral("<b>x"));
    open();
    EXPECT_EQ(model->indexOf(QStringLiteral("<b>x"), false).data(Qt::ToolTipRole).toString(),
              QStringLiteral("&lt;b&gt;x"));
}
