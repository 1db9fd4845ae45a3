// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/pull_dialog.h"

#include "tests/ui/pull/pull_dialog_fixture.h"
#include "ui/pull/pull_job.h"
#include "ui/signin/sign_in_dialog.h"
#include "ui/theme/theme.h"
#include "ui/widgets/message_bar.h"

#include <QPushButton>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

class PullDialogTest : public test::PullDialogFixture {};

} // namespace

TEST_F(PullDialogTest, AnEmptyDialogueSaysWhatToWriteAndOffersNothing) {
    EXPECT_FALSE(pull()->isEnabled());
    EXPECT_TRUE(test::controlsWithoutName(*m_dialog).isEmpty())
        << test::controlsWithoutName(*m_dialog).join(u',').toStdString();
    test::savePicture(*m_dialog, QStringLiteral("pull-empty"));
}

TEST_F(PullDialogTest, ANameThatIsNoImageGetsTheReason) {
    m_dialog->setReference(QStringLiteral("debian"));
    auto* bar = m_dialog->findChild<MessageBar*>();
    ASSERT_TRUE(test::waitUntil([bar] { return bar->isShown(); }));
    EXPECT_FALSE(bar->text().isEmpty());
    EXPECT_FALSE(pull()->isEnabled());
}

TEST_F(PullDialogTest, ARegistryThatIsNotThereIsAnErrorNotAHang) {
    // A port that was free a moment ago.
    QTcpServer server;
    ASSERT_TRUE(server.listen(QHostAddress::LocalHost));
    const quint16 port = server.serverPort();
    server.close();
    m_dialog->setInsecure(true);
    m_dialog->setReference(QStringLiteral("127.0.0.1:%1/acme/ubuntu:latest").arg(port));
    auto* bar = m_dialog->findChild<MessageBar*>();
    ASSERT_TRUE(test::waitUntil([bar] { return bar->isShown(); }, 60000));
    test::savePicture(*m_dialog, QStringLiteral("pull-unreachable"));
}

TEST_F(PullDialogTest, ClosingWhilePlanningDoesNotWaitForASilentRegistry) {
    QTcpServer server;
    ASSERT_TRUE(server.listen(QHostAddress::LocalHost));
    bool asked = false;
    QObject::connect(&server, &QTcpServer::newConnection, &server, [&asked] { asked = true; });
    m_dialog->setInsecure(true);
    m_dialog->setReference(
        QStringLiteral("127.0.0.1:%1/acme/ubuntu:latest").arg(server.serverPort()));
    ASSERT_TRUE(test::waitUntil([&asked] { return asked; }));
    QElapsedTimer timer;
    timer.start();
    m_dialog.reset();
    EXPECT_LT(timer.elapsed(), 1000);
    EXPECT_TRUE(Job::waitForAbandoned(30000));
}

TEST(PullJob, NamesTheImageAndWhereItComesFrom) {
    QTemporaryDir home;
    auto library = Library::open(home.path());
    ASSERT_TRUE(library);
    auto reference = ImageReference::fromText(u"ghcr.io/acme/vm/ubuntu:24.04");
    ASSERT_TRUE(reference);
    const auto job =
        makePullJob(*library, PullRequest{*reference, registryOptions(true, nullptr), 4});
    EXPECT_EQ(job->title(), QStringLiteral("ubuntu:24.04"));
    EXPECT_TRUE(job->subtitle().contains(QLatin1String("ghcr.io/acme/vm")));
    const auto info = pullJobInfo(*job);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->reference, *reference);
    EXPECT_TRUE(info->insecure);
}

TEST(SignIn, NeedsUserAndPassword) {
    applyTheme(SchemeChoice::Light);
    SignInDialog dialog(QStringLiteral("127.0.0.1:5000"), true);
    dialog.show();
    EXPECT_TRUE(test::controlsWithoutName(dialog).isEmpty());
    test::savePicture(dialog, QStringLiteral("sign-in"));
    QPushButton* button = nullptr;
    for (QPushButton* candidate : dialog.findChildren<QPushButton*>())
        if (candidate->text() == QLatin1String("Sign In"))
            button = candidate;
    ASSERT_NE(button, nullptr);
    EXPECT_FALSE(button->isEnabled());
}
