// SPDX-License-Identifier: Apache-2.0
#include "ui/transfers/transfers_page.h"

#include "core/job/job_list_model.h"
#include "tests/support/gui_support.h"
#include "ui/theme/theme.h"
#include "ui/transfers/transfer_row.h"

#include <QPlainTextEdit>
#include <QToolButton>

#include <atomic>
#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

// Work that reports, then waits for its cancellation or for `release`.
std::unique_ptr<Job>
heldJob(const QString& title, std::shared_ptr<std::atomic_bool> release, Result<> outcome = {}) {
    return std::make_unique<Job>(
        QStringLiteral("pull"),
        title,
        QStringLiteral("Pull from ghcr.io/acme"),
        [release, outcome](const JobContext& context) -> Result<> {
            Progress progress;
            progress.done = 4'200'000'000;
            progress.total = 7'800'000'000;
            progress.step = QStringLiteral("Fetching");
            for (int i = 0; i < 6; ++i) {
                ProgressItem item;
                item.label = QStringLiteral("sha256:41ab0%1").arg(i);
                item.total = 500'000'000;
                item.done = static_cast<quint64>(i) * 100'000'000;
                item.state = i < 2   ? ProgressItem::State::AlreadyHere
                             : i < 5 ? ProgressItem::State::Running
                                     : ProgressItem::State::Waiting;
                item.note = QStringLiteral("Fetching");
                item.bytesPerSecond = 58e6;
                progress.items.append(item);
            }
            context.report(progress);
            context.log(QStringLiteral("GET /v2/acme/ubuntu/manifests/24.04 -> 200"));
            while (!context.cancelled() && !*release)
                std::this_thread::yield();
            if (context.cancelled())
                return fail(Error::cancelled());
            return outcome;
        });
}

class TransfersPageTest : public testing::Test {
protected:
    void SetUp() override {
        applyTheme(SchemeChoice::Light);
        m_services.jobs = &m_jobs;
        m_page = std::make_unique<TransfersPage>(m_services);
        m_page->resize(1016, 690);
        m_page->show();
    }
    JobListModel m_jobs;
    Services m_services;
    std::unique_ptr<TransfersPage> m_page;
};

} // namespace

TEST_F(TransfersPageTest, AnEmptyPageOffersToPull) {
    int asked = 0;
    QObject::connect(
        m_page.get(), &TransfersPage::pullRequested, m_page.get(), [&asked] { ++asked; });
    for (QAbstractButton* button : m_page->findChildren<QAbstractButton*>())
        if (button->isVisible() && button->text().contains(QLatin1String("Pull")))
            button->click();
    EXPECT_EQ(asked, 1);
    test::savePicture(*m_page, QStringLiteral("transfers-empty"));
}

TEST_F(TransfersPageTest, ARunningJobShowsItsPartsAndStops) {
    auto release = std::make_shared<std::atomic_bool>(false);
    Job* job = m_jobs.add(heldJob(QStringLiteral("ubuntu:24.04"), release));
    ASSERT_TRUE(test::waitUntil([job] { return !job->progress().items.isEmpty(); }));
    ASSERT_EQ(m_page->rows().size(), 1);
    EXPECT_TRUE(m_page->rows().first()->isExpanded());
    m_page->showLogOf(job);
    EXPECT_TRUE(m_page->findChild<QPlainTextEdit*>()->toPlainText().contains(
        QLatin1String("manifests/24.04")));
    test::savePicture(*m_page, QStringLiteral("transfers-running"));
    EXPECT_TRUE(test::controlsWithoutName(*m_page).isEmpty())
        << test::controlsWithoutName(*m_page).join(u',').toStdString();
    job->cancel();
    ASSERT_TRUE(test::waitUntil([job] { return job->isFinished(); }));
    EXPECT_EQ(job->state(), Job::State::Cancelled);
}

TEST_F(TransfersPageTest, AFailureStaysWithItsReasonAndCanBeTriedAgain) {
    auto release = std::make_shared<std::atomic_bool>(true);
    Job* job = m_jobs.add(
        heldJob(QStringLiteral("debian:12"),
                release,
                fail(Error::Kind::Unauthorized, QStringLiteral("The registry refused \"jana\"."))));
    ASSERT_TRUE(test::waitUntil([job] { return job->state() == Job::State::Failed; }));
    QList<QAbstractButton*> verbs;
    // The page follows the job in a moment of its own.
    ASSERT_TRUE(test::waitUntil([&] {
        verbs.clear();
        for (QAbstractButton* button : m_page->findChildren<QAbstractButton*>())
            if (button->isVisible() && button->text() == QLatin1String("Retry"))
                verbs << button;
        return !verbs.isEmpty();
    }));
    ASSERT_EQ(verbs.size(), 1);
    test::savePicture(*m_page, QStringLiteral("transfers-failed"));
    verbs.first()->click();
    ASSERT_TRUE(test::waitUntil([job] { return job->state() == Job::State::Failed; }));
}

TEST_F(TransfersPageTest, ANarrowPageCutsNoRowOff) {
    m_page->resize(635, 500);
    auto release = std::make_shared<std::atomic_bool>(true);
    Job* job = m_jobs.add(heldJob(
        QStringLiteral("debian:12"),
        release,
        fail(Error::Kind::Network,
             QStringLiteral("\"https://%1/\" broke.").arg(QString(300, QLatin1Char('x'))))));
    ASSERT_TRUE(test::waitUntil([job] { return job->isFinished(); }));
    Job* done = m_jobs.add(heldJob(QString(90, QLatin1Char('n')), release));
    ASSERT_TRUE(test::waitUntil([done] { return done->isFinished(); }));
    for (const TransferRow* row : m_page->rows())
        EXPECT_LE(row->minimumSizeHint().width(), 635 - 2 * spacing::block);
    for (QAbstractButton* button : m_page->findChildren<QAbstractButton*>())
        if (button->isVisible()) {
            EXPECT_LE(button->mapTo(m_page.get(), button->rect().bottomRight()).x(), 635)
                << button->accessibleName().toStdString() << button->text().toStdString();
        }
    test::savePicture(*m_page, QStringLiteral("transfers-narrow"));
}

TEST_F(TransfersPageTest, ClearingRemovesOnlyWhatIsFinished) {
    auto held = std::make_shared<std::atomic_bool>(false);
    auto done = std::make_shared<std::atomic_bool>(true);
    m_jobs.add(heldJob(QStringLiteral("a:1"), held));
    Job* finished = m_jobs.add(heldJob(QStringLiteral("b:1"), done));
    ASSERT_TRUE(test::waitUntil([finished] { return finished->isFinished(); }));
    m_page->showLogOf(finished);
    m_jobs.clearFinished();
    ASSERT_EQ(m_page->rows().size(), 1);
    EXPECT_EQ(m_page->rows().first()->job()->title(), QStringLiteral("a:1"));
    *held = true;
}
