// SPDX-License-Identifier: Apache-2.0
#include "core/job/child_job.h"
#include "core/job/progress_line.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <mutex>

namespace vitrine {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

// Runs a shell script as the child on this thread.
class ChildJob : public testing::Test {
protected:
    Result<> run(const QString& script, const std::function<void(const Progress&)>& seen = {}) {
        JobContext context;
        context.stop = m_stop.get_token();
        context.report = [this, seen](const Progress& progress) {
            m_progress.append(progress);
            if (seen)
                seen(progress);
        };
        context.log = [this](const QString& line) { m_log.append(line); };
        return childWork(s("/bin/sh"), {s("-c"), script}, QProcessEnvironment::systemEnvironment())(
            context);
    }
    std::stop_source m_stop;
    QList<Progress> m_progress;
    QStringList m_log;
};

} // namespace

TEST(ProgressLine, EveryMessageComesBackAsItWas) {
    Progress progress;
    progress.done = 5;
    progress.step = QString::fromUtf8("Copying \"ä\"\n");
    const QByteArray open = progressline::encode(progress);
    EXPECT_EQ(open,
              QByteArray("{\"done\":5,\"step\":\"Copying \\\"\xc3\xa4\\\"\\n\",\"total\":null}\n"));
    const auto back = std::get<Progress>(*progressline::decode(open));
    EXPECT_EQ(back.done, 5U);
    EXPECT_FALSE(back.total);
    EXPECT_EQ(back.step, progress.step);
    progress.total = quint64{1} << 62;
    EXPECT_EQ(std::get<Progress>(*progressline::decode(progressline::encode(progress))).total,
              quint64{1} << 62);
    const Error error{Error::Kind::DiskFull, s("No space."), s("errno 28")};
    const auto failed = std::get<Error>(*progressline::decode(progressline::encode(error)));
    EXPECT_EQ(failed.kind, error.kind);
    EXPECT_EQ(failed.message, error.message);
    EXPECT_EQ(failed.detail, error.detail);
    EXPECT_EQ(std::get<progressline::Log>(
                  *progressline::decode(progressline::encode(progressline::Log{s("x")})))
                  .line,
              s("x"));
    EXPECT_TRUE(std::holds_alternative<progressline::Finished>(
        *progressline::decode(progressline::encode(progressline::Finished{}))));
    for (const char* line :
         {"", "x", "[]", "{}", "{\"done\":-1}", "{\"done\":1.5}", "{\"error\":1}"})
        EXPECT_FALSE(progressline::decode(QByteArrayView(line))) << line;
}

TEST(ProgressLine, EveryErrorKindHasAName) {
    for (int kind = 0; kind <= static_cast<int>(Error::Kind::Internal); ++kind)
        EXPECT_EQ(errorKindFromText(toText(static_cast<Error::Kind>(kind))),
                  static_cast<Error::Kind>(kind));
    EXPECT_EQ(errorKindFromText(s("Newer")), Error::Kind::Internal);
}

TEST_F(ChildJob, UpdatesAndLogLinesArePassedOn) {
    ASSERT_TRUE(run(s("echo '{\"done\":1,\"total\":2,\"step\":\"Copying\"}'; echo noise;"
                      "printf '{\"log\":'; echo '\"hello\"}'; echo '{\"finished\":true}'")));
    ASSERT_EQ(m_progress.size(), 1);
    EXPECT_EQ(m_progress.first().total, 2U);
    EXPECT_EQ(m_progress.first().step, s("Copying"));
    EXPECT_EQ(m_log, QStringList{s("hello")});
}

TEST_F(ChildJob, ErrorsKeepTheirKindSentenceAndDetail) {
    const auto result = run(
        s("echo '{\"error\":{\"kind\":\"DiskFull\",\"message\":\"m\",\"detail\":\"d\"}}'; exit 1"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Error::Kind::DiskFull);
    EXPECT_EQ(result.error().message, s("m"));
    EXPECT_EQ(result.error().detail, s("d"));
}

TEST_F(ChildJob, CancellingSendsOneInterrupt) {
    QElapsedTimer clock;
    clock.start();
    const auto result =
        run(s("trap 'echo "
              "\"{\\\"error\\\":{\\\"kind\\\":\\\"Cancelled\\\",\\\"message\\\":\\\"c\\\"}}\";"
              "exit 130' INT; echo '{\"done\":0}'; while :; do sleep 0.1; done"),
            [this](const Progress&) { m_stop.request_stop(); });
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().isCancelled());
    EXPECT_EQ(result.error().message, s("c"));
    EXPECT_LT(clock.elapsed(), 20000);
}

TEST_F(ChildJob, AChildThatFinishesInSpiteOfTheCancelHasFinished) {
    EXPECT_TRUE(run(s("trap '' INT; echo '{\"done\":0}'; echo '{\"finished\":true}'"),
                    [this](const Progress&) { m_stop.request_stop(); }));
}

TEST_F(ChildJob, AChildWithoutALastWordIsAnErrorWithWhatItSaid) {
    for (const char* script : {"echo broken >&2; exit 3", "echo broken >&2; kill -9 $$"}) {
        const auto result = run(s(script));
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, Error::Kind::Internal);
        EXPECT_TRUE(result.error().detail.contains(s("broken")));
    }
}

TEST_F(ChildJob, AMissingProgramIsNamed) {
    const auto result = childWork(s("/nonexistent/vitrinectl"), {}, {})(JobContext());
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().message.contains(s("/nonexistent/vitrinectl")));
}

} // namespace vitrine
