// SPDX-License-Identifier: Apache-2.0
// What only a person at a terminal gets: questions, and progress on one line.
#include "tests/cli/on_terminal.h"

#include "core/credentials/credential_file.h"

namespace vitrine::test {

TEST_F(OnTerminal, DeletingAsksAndTakesOnlyYesForYes) {
    (void)add("web");
    for (const char* answer : {"\n", "n\n", "no\n", "x\n", "\x04"}) {
        begin({s("delete"), s("web")});
        ASSERT_TRUE(waitFor("Delete \"web\" permanently? [y/N] "));
        type(answer);
        EXPECT_EQ(end(), 130) << answer;
        EXPECT_EQ(machineFolders().size(), 1);
    }
    begin({s("delete"), s("web")});
    ASSERT_TRUE(waitFor("[y/N] "));
    type("y\n");
    EXPECT_EQ(end(), 0);
    EXPECT_TRUE(machineFolders().isEmpty());
}

TEST_F(OnTerminal, DeletingDoesNotAskWhenItIsTold) {
    (void)add("web");
    begin({s("delete"), s("--yes"), s("web")});
    EXPECT_EQ(end(), 0);
    EXPECT_FALSE(screen().contains("[y/N]"));
    EXPECT_TRUE(machineFolders().isEmpty());
}

TEST_F(OnTerminal, SmallSizesAreReadableAndWholeGbInAPipe) {
    SmallLibrary::write(add("web") + s("/disk.img"), QByteArray(4 << 20, 'x'));
    begin({s("list")});
    EXPECT_EQ(end(), 0);
    EXPECT_TRUE(QByteArray(screen()).replace("\xc2\xa0", " ").contains(" MB"))
        << screen().toStdString();
    EXPECT_FALSE(run({"list"}).out.contains("MB"));
}

TEST_F(OnTerminal, APasswordIsAskedForAndNeverShown) {
    begin({s("login"), s("ghcr.io"), s("--no-validate"), s("--store=file")});
    ASSERT_TRUE(waitFor("User name: "));
    type("somebody\n");
    ASSERT_TRUE(waitFor("Password or token: "));
    type("hidden:word\n");
    EXPECT_EQ(end(), 0) << screen().toStdString();
    EXPECT_TRUE(screen().contains("somebody"));
    EXPECT_FALSE(screen().contains("hidden"));
    const auto login =
        CredentialFile(m_home.filePath(s("config/vitrine/credentials.json"))).find(s("ghcr.io"));
    ASSERT_TRUE(login && *login);
    EXPECT_EQ((*login)->user, s("somebody"));
    EXPECT_EQ((*login)->password, s("hidden:word"));
}

TEST_F(OnTerminal, CtrlCAtThePasswordLeavesTheTerminalAsItWas) {
    begin({s("login"), s("ghcr.io"), s("--no-validate"), s("--store=file")});
    ASSERT_TRUE(waitFor("User name: "));
    type("somebody\n");
    ASSERT_TRUE(waitFor("Password or token: "));
    EXPECT_FALSE(showsWhatIsTyped());
    type("\x03\n");
    EXPECT_EQ(end(), 130);
    EXPECT_TRUE(showsWhatIsTyped());
    EXPECT_FALSE(QFile::exists(m_home.filePath(s("config/vitrine/credentials.json"))));
}

TEST_F(OnTerminal, ProgressRewritesOneLineUnlessContinuousIntegrationIsTold) {
    SmallLibrary::write(add("web") + s("/disk.img"), QByteArray(4 << 20, 'x'));
    begin({s("clone"), s("web"), s("one")});
    EXPECT_EQ(end(), 0) << screen().toStdString();
    EXPECT_TRUE(screen().startsWith("\r")) << screen().toStdString();
    EXPECT_TRUE(screen().endsWith("\r\n")); // the terminal's own newline
    m_environment.insert(s("CI"), s("1"));
    const Finished plain = run({"clone", "web", "two"});
    EXPECT_EQ(plain.code, 0);
    EXPECT_FALSE(plain.err.contains('\r'));
}

TEST_F(OnTerminal, ABenchmarkCountsDownAndCtrlCStopsIt) {
    const QString folder = m_small.library.home() + s("/benchmarks/suites");
    ASSERT_TRUE(QDir().mkpath(folder));
    QFile suite(folder + s("/mine.json"));
    ASSERT_TRUE(suite.open(QIODevice::WriteOnly));
    suite.write(R"({"format": "vitrine-suite", "version": 1, "id": "mine", "title": "Mine",
        "workloads": [{"name": "waits", "kind": "time", "command": "sleep 1000"}]})");
    suite.close();
    begin({s("bench"), s("run"), s("--suite"), s("mine"), s("--rounds"), s("1")});
    EXPECT_TRUE(waitFor("Round 1 of 1: waits on host, about 0:05 left")) << screen().toStdString();
    EXPECT_TRUE(waitFor("about 0:0")) << screen().toStdString();
    type("\x03");
    EXPECT_EQ(end(), 130);
    EXPECT_TRUE(screen().contains("--resume ")) << screen().toStdString();
}

} // namespace vitrine::test
