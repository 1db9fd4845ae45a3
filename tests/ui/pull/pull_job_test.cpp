// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/pull_job.h"

#include "core/registry/registry_settings.h"
#include "core/value/byte_count.h"
#include "tests/service/pull_fixture.h"
#include "tests/support/gui_support.h"
#include "ui/theme/theme.h"
#include "ui/transfers/transfer_row.h"
#include "ui/transfers/transfer_text.h"
#include "ui/widgets/message_bar.h"

#include <QDir>
#include <QPushButton>

namespace vitrine::test {
namespace {

using namespace vitrine::ui;

// Pulls of the window from a real registry, with the built vitrinectl.
class PullJobTest : public PullTest {
protected:
    static void SetUpTestSuite() {
        PullTest::SetUpTestSuite();
        qputenv("PATH", QByteArray(VITRINE_BIN_DIR ":") + qgetenv("PATH"));
    }
    void SetUp() override {
        PullTest::SetUp();
        qputenv("HOME", QFile::encodeName(m_user.path())); // settings of its own
        push(image, QStringLiteral("acme/ubuntu:latest"));
    }
    std::unique_ptr<Job> pulled(const PullJobOptions& options) {
        auto job = makePullJob(
            library, request(registry().host(), QStringLiteral("acme/ubuntu:latest")), options);
        job->start();
        EXPECT_TRUE(waitUntil([&job] { return job->isFinished(); }, 60000));
        EXPECT_EQ(job->state(), Job::State::Succeeded) << job->error().message.toStdString();
        return job;
    }
    QTemporaryDir m_user;
    const TestImage image = TestImage::make({mixedDisk(3'500'000, 7)});
};

TEST_F(PullJobTest, TheNumbersOfAPullAreBytesFetched) {
    const auto plan =
        planPull(library, request(registry().host(), QStringLiteral("acme/ubuntu:latest")), {});
    ASSERT_TRUE(plan);
    const auto job = pulled({QStringLiteral("box"), false});
    const QString fetched = ByteCount::fromBytes(plan->bytesToFetch).toText();
    const QString text = statusText(*job);
    EXPECT_TRUE(text.startsWith(fetched + QStringLiteral(" fetched in")))
        << text.toStdString() << " instead of " << fetched.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("machine \"box\" made"))) << text.toStdString();
    EXPECT_TRUE(QDir(library.machinesPath() + QStringLiteral("/box")).exists());
    const auto again = pulled({});
    EXPECT_TRUE(statusText(*again).startsWith(QStringLiteral("Was here already")));
}

TEST_F(PullJobTest, ANameThatWasTakenMeanwhileDoesNotUndoThePull) {
    (void)pulled({QStringLiteral("box"), false});
    const auto job = pulled({QStringLiteral("box"), false});
    const auto outcome = pullOutcome(*job);
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(outcome->machineError);
    EXPECT_EQ(outcome->machineError->kind, Error::Kind::AlreadyExists);
    applyTheme(SchemeChoice::Light);
    TransferRow row(job.get());
    row.resize(800, 120);
    row.show();
    const auto* bar = row.findChild<MessageBar*>();
    ASSERT_TRUE(bar && bar->isShown());
    EXPECT_EQ(bar->kind(), MessageBar::Kind::Warning);
    int asked = 0;
    QObject::connect(&row, &TransferRow::machineRequested, &row, [&asked] { ++asked; });
    bar->findChild<QPushButton*>()->click();
    EXPECT_EQ(asked, 1);
    savePicture(row, QStringLiteral("transfers-no-machine"));
}

TEST_F(PullJobTest, HttpIsKeptOnceItHasWorked) {
    (void)pulled({{}, false});
    const RegistrySettingsFile file(defaultRegistrySettingsFile());
    EXPECT_FALSE(file.find(registry().host())->insecure);
    (void)pulled({{}, true});
    EXPECT_TRUE(file.find(registry().host())->insecure);
}

TEST_F(PullJobTest, APullThatWasCutOffIsListedAndGoesOn) {
    // Stopped after a part, as when the program goes.
    onReport = [this](const Progress& now) {
        if (now.done > 0)
            stop.request_stop();
    };
    ASSERT_FALSE(pull(registry().host(), QStringLiteral("acme/ubuntu:latest")));
    const auto cut = interruptedPulls(library);
    ASSERT_EQ(cut.size(), 1);
    JobListModel jobs;
    LibraryModel model(library);
    QWidget window;
    Services services;
    services.jobs = &jobs;
    services.library = &model;
    listInterruptedPulls(services, &window);
    ASSERT_TRUE(waitUntil([&jobs] { return jobs.rowCount() == 1; }));
    Job* job = jobs.jobAt(0);
    EXPECT_EQ(job->state(), Job::State::Cancelled);
    EXPECT_EQ(job->title(), QStringLiteral("ubuntu:latest"));
    EXPECT_TRUE(statusText(*job).startsWith(QStringLiteral("Interrupted")))
        << statusText(*job).toStdString();
    TransferRow row(job);
    row.resize(800, 120);
    row.show();
    savePicture(row, QStringLiteral("transfers-interrupted"));
    listInterruptedPulls(services, &window); // not twice
    job->retry();
    ASSERT_TRUE(waitUntil([job] { return job->isFinished(); }, 60000));
    EXPECT_EQ(job->state(), Job::State::Succeeded) << job->error().message.toStdString();
    EXPECT_EQ(jobs.rowCount(), 1);
    EXPECT_TRUE(interruptedPulls(library).isEmpty());
}

} // namespace
} // namespace vitrine::test
