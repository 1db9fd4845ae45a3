// SPDX-License-Identifier: Apache-2.0
#include "core/registry/registry_settings.h"
#include "tests/support/test_image.h"
#include "tests/ui/pull/pull_dialog_fixture.h"
#include "ui/pull/pull_text.h"
#include "ui/signin/sign_in_dialog.h"

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

class PullChoices : public PullDialogFixture {
protected:
    void addMachine(const QString& name) {
        ASSERT_TRUE(QDir().mkpath(m_model->library().machinesPath() + QLatin1Char('/') + name));
        m_model->refresh();
        ASSERT_TRUE(waitUntil([this, &name] { return m_model->rowOf(name) >= 0; }));
    }
    [[nodiscard]] bool isSaid(const QString& part) const {
        for (const QLabel* label : m_dialog->findChildren<QLabel*>())
            if (label->isVisibleTo(m_dialog.get()) && label->text().contains(part))
                return true;
        return false;
    }
    static Result<> keep(const QString& host, bool insecure) {
        RegistrySettings settings;
        settings.insecure = insecure;
        return RegistrySettingsFile(defaultRegistrySettingsFile()).store(host, settings);
    }
    static bool isKept(const QString& host) {
        const auto settings = RegistrySettingsFile(defaultRegistrySettingsFile()).find(host);
        return settings && settings->insecure;
    }
};

} // namespace

TEST_F(PullChoices, ANameForTheMachineIsSuggestedAndGetsTheFocus) {
    addMachine(QStringLiteral("b"));
    m_dialog->setReference(nowhere() + QStringLiteral("/a/b:latest"));
    machine()->click();
    EXPECT_EQ(m_dialog->focusWidget(), machineName());
    ASSERT_TRUE(waitUntil([this] { return machineName()->text() == QStringLiteral("b-2"); }));
    machineName()->setText({});
    m_dialog->setReference(nowhere() + QStringLiteral("/a/debian:12"));
    EXPECT_TRUE(waitUntil([this] { return machineName()->text() == QStringLiteral("debian"); }));
}

TEST_F(PullChoices, ANameThatCannotBeUsedIsRefusedWithTheReason) {
    addMachine(QStringLiteral("b"));
    machine()->click();
    machineName()->setText(QStringLiteral("b"));
    EXPECT_TRUE(isSaid(QStringLiteral("There is a machine named \"b\" already")));
    machineName()->setText(QStringLiteral("a/b"));
    EXPECT_TRUE(isSaid(QStringLiteral("contains \"/\"")));
    machineName()->setText({});
    EXPECT_TRUE(isSaid(QStringLiteral("Type a name.")));
    machineName()->setText(QStringLiteral("c"));
    EXPECT_TRUE(machineName()->accessibleDescription().isEmpty());
    addMachine(QStringLiteral("c")); // meanwhile
    EXPECT_TRUE(waitUntil([this] { return isSaid(QStringLiteral("named \"c\" already")); }));
    savePicture(*m_dialog, QStringLiteral("pull-name-taken"));
    machine()->click();
    EXPECT_FALSE(isSaid(QStringLiteral("already")));
}

TEST_F(PullChoices, AGreyPullSaysWhy) {
    EXPECT_FALSE(pull()->isEnabled());
    EXPECT_FALSE(pull()->toolTip().isEmpty());
    m_dialog->setReference(nowhere() + QStringLiteral("/a/b:latest"));
    EXPECT_EQ(pull()->toolTip(), QStringLiteral("The image is being looked up."));
    ASSERT_TRUE(waitUntil([this] { return bar()->isShown(); }, 60000));
    EXPECT_TRUE(waitUntil([this] {
        return pull()->toolTip() ==
               QStringLiteral("This image cannot be pulled; the reason is above.");
    }));
    EXPECT_EQ(pull()->accessibleDescription(), pull()->toolTip());
}

TEST_F(PullChoices, ARegistryWhoseSettingsSayHttpShowsIt) {
    const QString host = nowhere();
    ASSERT_TRUE(keep(host, true));
    m_dialog->setReference(host + QStringLiteral("/a/b:latest"));
    ASSERT_TRUE(waitUntil([this] { return http()->isChecked(); }));
    EXPECT_FALSE(http()->isEnabled());
    EXPECT_TRUE(isSaid(QStringLiteral("The settings of this registry say http.")));
    EXPECT_TRUE(always()->isVisibleTo(m_dialog.get()));
    EXPECT_TRUE(always()->isChecked());
    EXPECT_TRUE(always()->text().contains(host));
    savePicture(*m_dialog, QStringLiteral("pull-http-kept"));
    always()->click(); // back to https
    EXPECT_TRUE(http()->isEnabled());
    EXPECT_TRUE(waitUntil([&host] { return !isKept(host); }));
    m_dialog->setReference(nowhere() + QStringLiteral("/a/b:latest"));
    EXPECT_TRUE(http()->isChecked()) << "the user's own choice stays";
}

TEST_F(PullChoices, KeepingHttpIsOfferedOnlyWithHttp) {
    m_dialog->setReference(nowhere() + QStringLiteral("/a/b:latest"));
    ASSERT_TRUE(waitUntil([this] { return bar()->isShown(); }, 60000));
    EXPECT_FALSE(always()->isVisibleTo(m_dialog.get()));
    http()->click();
    EXPECT_TRUE(always()->isVisibleTo(m_dialog.get()));
    EXPECT_FALSE(always()->isChecked());
    savePicture(*m_dialog, QStringLiteral("pull-http-offer"));
}

TEST_F(PullChoices, SignInWarnsWhenOnlyTheSettingsSayHttp) {
    const QString host = nowhere();
    ASSERT_TRUE(keep(host, true));
    const auto warns = [](const QDialog& dialog) {
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->isVisibleTo(&dialog) &&
                label->text().contains(QStringLiteral("without encryption")))
                return true;
        return false;
    };
    SignInDialog kept(host, false);
    EXPECT_TRUE(waitUntil([&] { return warns(kept); }));
    SignInDialog ticked(nowhere(), true);
    EXPECT_TRUE(warns(ticked));
}

TEST_F(PullChoices, CopyCommandSaysThatItCopied) {
    m_dialog->setReference(QStringLiteral("127.0.0.1:1/a/b:latest"));
    QPushButton* copy = button(QStringLiteral("Copy Command"));
    const int width = copy->width();
    copy->click();
    EXPECT_EQ(copy->text(), QStringLiteral("Copied"));
    EXPECT_EQ(copy->width(), width);
    EXPECT_EQ(QGuiApplication::clipboard()->text(),
              QStringLiteral("vitrinectl pull 127.0.0.1:1/a/b:latest"));
    copy->click(); // again meanwhile
    EXPECT_TRUE(waitUntil([copy] { return copy->text() == QStringLiteral("&Copy Command"); }));
}

TEST(PullText, TheDayOfAnImageIsNotCalledThatOfThePush) {
    const TestImage image = TestImage::make({mixedDisk(3'500'000, 1)});
    const PullPlan plan{
        *ImageReference::fromText(u"ghcr.io/a/b:latest"),
        std::make_shared<const ImageManifest>(*ImageManifest::fromBytes(image.manifest)),
        false,
        0,
        0,
        0,
        0,
        0,
        0,
        4,
        QString()};
    const QString text = foundText(plan);
    ASSERT_FALSE(plan.manifest->uploadTime().isEmpty());
    EXPECT_TRUE(text.contains(QStringLiteral("made on"))) << text.toStdString();
    EXPECT_FALSE(text.contains(QStringLiteral("pushed"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("4 layers"))) << text.toStdString();
}
