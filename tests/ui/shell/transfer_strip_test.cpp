// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/transfer_strip.h"

#include "tests/ui/shell/window_fixture.h"
#include "ui/pull/pull_dialog.h"
#include "ui/shell/window_menus.h"

#include <QCheckBox>
#include <QToolButton>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

class TransferStripTest : public WindowTest {
protected:
    [[nodiscard]] QString said() const {
        return window->findChild<TransferStrip*>()->accessibleName();
    }
    [[nodiscard]] QToolButton* dismiss() const {
        for (QToolButton* button :
             window->findChild<TransferStrip*>()->findChildren<QToolButton*>())
            if (button->accessibleName() == QStringLiteral("Dismiss"))
                return button;
        return nullptr;
    }
};

} // namespace

TEST_F(TransferStripTest, AFailureIsDismissedWhereItIsShown) {
    open();
    EXPECT_TRUE(dismiss()->isHidden());
    Job* job = jobs->add(std::make_unique<Job>(
        QStringLiteral("pull"), QStringLiteral("b:latest"), QString(), [](const JobContext&) {
            return Result<>(fail(Error::Kind::Network, QStringLiteral("It broke.")));
        }));
    ASSERT_TRUE(waitUntil([job] { return job->isFinished(); }));
    settle();
    EXPECT_EQ(said(), QStringLiteral("b:latest failed."));
    ASSERT_FALSE(dismiss()->isHidden());
    savePicture(*window, QStringLiteral("strip-failed"));
    dismiss()->click();
    EXPECT_EQ(said(), QStringLiteral("No transfers."));
    EXPECT_TRUE(dismiss()->isHidden());
    EXPECT_EQ(jobs->rowCount(), 1) << "Transfers still lists it";
    job->retry(); // fails again: a new failure
    ASSERT_TRUE(waitUntil([this] { return said() == QStringLiteral("b:latest failed."); }));
}

TEST_F(TransferStripTest, NewFromARegistryMakesAMachine) {
    open();
    QAction* from = nullptr;
    QAction* pull = nullptr;
    for (QAction* action : window->findChildren<QAction*>()) {
        const QString text = action->text().remove(QLatin1Char('&'));
        if (text.startsWith(QStringLiteral("From a Registry")))
            from = action;
        else if (text.startsWith(QStringLiteral("Pull")))
            pull = action;
    }
    ASSERT_TRUE(from != nullptr && pull != nullptr);
    const auto wantsMachine = [this](QAction* action) {
        action->trigger();
        auto* shown = dialog<PullDialog>();
        bool wanted = false;
        for (const QCheckBox* box : shown->findChildren<QCheckBox*>())
            wanted = wanted ||
                     (box->text().contains(QStringLiteral("achine named")) && box->isChecked());
        delete shown;
        return wanted;
    };
    EXPECT_TRUE(wantsMachine(from));
    EXPECT_FALSE(wantsMachine(pull));
}
