// SPDX-License-Identifier: Apache-2.0
// What somebody is told who types what cannot be done.
#include "core/machine/sidecar.h"
#include "tests/cli/command_line_support.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTcpServer>

namespace vitrine::test {

TEST_F(CommandLine, ATypedForwardWhosePortIsTakenRefusesTheStart) {
    const QString directory = add("web");
    QTcpServer other;
    ASSERT_TRUE(other.listen(QHostAddress::LocalHost));
    const QString port = QString::number(other.serverPort());
    const Finished refused =
        run({s("run"), s("web"), s("--no-graphics"), s("--forward"), port + s(":80")});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("Port " + port.toUtf8() + " of this computer"))
        << refused.err.toStdString();
    EXPECT_TRUE(refused.err.contains("was not started")) << refused.err.toStdString();
    const QJsonArray events = Sidecar::read(directory)->events;
    ASSERT_EQ(events.size(), 1);
    EXPECT_EQ(events[0][s("kind")].toString(), s("start-failed"));
}

TEST_F(CommandLine, SetSpeaksOfItsOptionsAndOfWhatItStored) {
    const QString directory = add("web");
    const QByteArray before = read(directory + s("/config.json"));
    const QList<std::pair<QStringList, QList<QByteArray>>> refused{
        {{s("--cpu"), s("999")}, {"--cpu", "from 1 to 255"}},
        {{s("--cpu"), s("abc")}, {"--cpu", "from 1 to 255"}},
        {{s("--cpu"), s("0")}, {"--cpu", "from 1 to 255"}},
        {{s("--memory"), s("10")}, {"--memory", "64 or more"}},
        {{s("--memory"), s("4GB")}, {"--memory", "number of MB", "4096"}},
        {{s("--memory"), s("99999999")}, {"--memory", "at most"}}};
    for (const auto& [options, words] : refused) {
        const Finished set = run(QStringList{s("set"), s("web")} + options);
        EXPECT_EQ(set.code, 64) << options.join(QLatin1Char(' ')).toStdString();
        for (const QByteArray& word : words)
            EXPECT_TRUE(set.err.contains(word)) << set.err.toStdString();
        EXPECT_FALSE(set.err.contains("Cannot start")) << set.err.toStdString();
        EXPECT_FALSE(set.err.contains("Settings")) << set.err.toStdString();
    }
    EXPECT_EQ(read(directory + s("/config.json")), before);
    const Finished large = run({"set", "web", "--memory", "1000000"});
    EXPECT_EQ(large.code, 0);
    EXPECT_TRUE(large.err.contains("was stored")) << large.err.toStdString();
    EXPECT_TRUE(large.err.contains("cannot start with it on this computer"));
    EXPECT_FALSE(large.err.startsWith("Cannot start")) << large.err.toStdString();
}

TEST_F(CommandLine, CommandsOfTartThatAreMissingAreSaidToBeMissing) {
    for (const char* name : {"push", "prune", "import", "export"}) {
        for (const QStringList& line : {QStringList{s(name), s("x")}, {s(name), s("--help")}}) {
            const Finished missing = run(line);
            EXPECT_EQ(missing.code, 64) << name;
            EXPECT_TRUE(missing.err.startsWith("`" + QByteArray(name) +
                                               "` is a command of Tart that Vitrine does not have"))
                << missing.err.toStdString();
            EXPECT_FALSE(missing.err.contains("Did you mean"));
            EXPECT_TRUE(missing.out.isEmpty());
        }
    }
    const Finished unknown = run({"foo", "--help"});
    EXPECT_EQ(unknown.code, 64);
    EXPECT_TRUE(unknown.err.contains("foo")) << unknown.err.toStdString();
    EXPECT_TRUE(unknown.out.isEmpty());
}

TEST_F(CommandLine, AnImageIsSaidToBeOne) {
    for (const QStringList& line : {QStringList{s("get"), s("ghcr.io/cirruslabs/debian:latest")},
                                    {s("run"), s("ghcr.io/cirruslabs/debian:latest")}}) {
        const Finished refused = run(line);
        EXPECT_EQ(refused.code, 64);
        EXPECT_TRUE(refused.err.contains("is an image")) << refused.err.toStdString();
        EXPECT_TRUE(refused.err.contains("vitrinectl clone ghcr.io/cirruslabs/debian:latest"))
            << refused.err.toStdString();
    }
}

TEST_F(CommandLine, AnUnknownOptionIsNamedBeforeWhatIsMissing) {
    const Finished refused = run({"clone", "c2", "-x"});
    EXPECT_EQ(refused.code, 64);
    EXPECT_TRUE(refused.err.contains("Not expected: -x")) << refused.err.toStdString();
    EXPECT_TRUE(run({"clone", "c2"}).err.contains("new-name is required"));
}

} // namespace vitrine::test
