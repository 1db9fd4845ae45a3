// SPDX-License-Identifier: Apache-2.0
// A start that fails is told with its own reason, once, and kept among the events.
#include "core/machine/sidecar.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/console/console_notice.h"
#include "ui/widgets/message_bar.h"

#include <QJsonObject>
#include <QPushButton>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

const QString build = QStringLiteral("build");

class StartFailureTest : public WindowTest {
protected:
    // Fails in the program that runs machines, before there is any log.
    void openWithTooManyProcessors() {
        MachineConfig config = SmallLibrary::smallConfig();
        config.cpuCount = 999;
        small.add(build, config);
        open();
        select(build);
        QObject::connect(clients.get(),
                         &MachineClients::startFailed,
                         clients.get(),
                         [this](const QString&, const StartFailure& what) { failure = what; });
    }
    [[nodiscard]] MessageBar* bar() const { return window->machinePage()->message(); }
    [[nodiscard]] QStringList buttons() const {
        QStringList texts;
        for (const QPushButton* button : bar()->findChildren<QPushButton*>()) {
            if (!button->isHidden())
                texts.append(button->text());
        }
        return texts;
    }
    std::optional<StartFailure> failure;
};

} // namespace

TEST_F(StartFailureTest, TheBarSaysTheReasonAndOffersNoLogThatIsNotThere) {
    openWithTooManyProcessors();
    window->actions()->start->trigger();
    ASSERT_TRUE(waitUntil([this] { return failure.has_value(); }, 60000));
    EXPECT_TRUE(failure->message.contains(QStringLiteral("999"))) << failure->message.toStdString();
    EXPECT_TRUE(failure->logFile.isEmpty()) << failure->logFile.toStdString();
    ASSERT_TRUE(bar()->isShown());
    settle(); // buttons come with the layout
    EXPECT_EQ(bar()->text().count(QStringLiteral("999")), 1) << bar()->text().toStdString();
    EXPECT_FALSE(bar()->text().contains(QStringLiteral("log"))) << bar()->text().toStdString();
    EXPECT_EQ(buttons(), QStringList{QStringLiteral("Try Again")});
    const auto sidecar = Sidecar::read(small.library.machinesPath() + QLatin1Char('/') + build);
    ASSERT_TRUE(sidecar);
    ASSERT_EQ(sidecar->events.size(), 1); // once, whoever wrote it
    const QJsonObject event = sidecar->events.first().toObject();
    EXPECT_EQ(event.value(QStringLiteral("kind")).toString(), QStringLiteral("start-failed"));
    EXPECT_EQ(event.value(QStringLiteral("text")).toString(), failure->message);
    savePicture(*window, QStringLiteral("window-start-failed-999"));

    // The console says it in place of the screen, so the bar goes; and comes back elsewhere.
    window->showPage(QStringLiteral("console"));
    settle();
    EXPECT_FALSE(bar()->isShown());
    const auto* notice = window->findChild<ConsoleNotice*>();
    ASSERT_NE(notice, nullptr);
    EXPECT_TRUE(notice->text().contains(QStringLiteral("999"))) << notice->text().toStdString();
    EXPECT_TRUE(notice->log().isEmpty()) << notice->log().toStdString();
    savePicture(*window, QStringLiteral("window-start-failed-console"));
    window->showPage(QStringLiteral("overview"));
    settle();
    EXPECT_TRUE(bar()->isShown());
}

TEST_F(StartFailureTest, ALogIsOfferedWhenItHoldsMore) {
    small.add(build);
    open();
    select(build);
    Q_EMIT clients->startFailed(build,
                                {QStringLiteral("It failed."),
                                 {QStringLiteral("last line")},
                                 QStringLiteral("/nowhere/log")});
    settle();
    EXPECT_EQ(buttons(), (QStringList{QStringLiteral("Try Again"), QStringLiteral("Show Log")}));
}
