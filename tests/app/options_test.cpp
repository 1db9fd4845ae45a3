// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using vitrine::app::Options;

namespace {

Result<Options> parse(std::initializer_list<const char*> words) {
    QStringList list;
    for (const char* word : words)
        list.append(QString::fromLatin1(word));
    return Options::parse(list);
}

} // namespace

TEST(Options, NoneIsFine) {
    const auto options = parse({});
    ASSERT_TRUE(options);
    EXPECT_FALSE(options->isForPictures());
    EXPECT_FALSE(options->theme.has_value());
}

TEST(Options, ValuesStandApartOrBehindASign) {
    const auto apart = parse({"--console", "build", "--theme", "dark", "--size", "900x600"});
    ASSERT_TRUE(apart);
    EXPECT_EQ(apart->console, QStringLiteral("build"));
    EXPECT_EQ(apart->theme, ui::SchemeChoice::Dark);
    EXPECT_EQ(apart->size, QSize(900, 600));
    const auto joined = parse({"--console=a=b", "--page=settings"});
    ASSERT_TRUE(joined);
    EXPECT_EQ(joined->console, QStringLiteral("a=b"));
    EXPECT_EQ(joined->page, QStringLiteral("settings"));
}

TEST(Options, WhatIsWrongIsSaid) {
    for (const auto& words : {std::initializer_list<const char*>{"--nonsense"},
                              {"stray"},
                              {"--console"},
                              {"--console="},
                              {"--theme", "pink"},
                              {"--page", "nowhere"},
                              {"--size", "wide"},
                              {"--size", "1x1"},
                              {"--size", "900x600x3"},
                              {"--start", "file"},
                              {"--console", "build", "--start", "file", "--tour", "here"},
                              {"--tour-image", "h/i:t"}}) {
        const auto options = parse(words);
        ASSERT_FALSE(options);
        EXPECT_EQ(options.error().kind, Error::Kind::InvalidInput);
        EXPECT_FALSE(options.error().message.isEmpty());
    }
}

TEST(Options, PathsAreMadeAbsolute) {
    const auto options = parse({"--library", "here", "--tour", "pictures"});
    ASSERT_TRUE(options);
    EXPECT_TRUE(options->library.startsWith(QLatin1Char('/')));
    EXPECT_TRUE(options->tour.startsWith(QLatin1Char('/')));
    EXPECT_TRUE(options->isForPictures());
}

TEST(Options, TheHelpNamesEveryOption) {
    const QString help = Options::helpText();
    for (const char* option : {"--library",
                               "--console",
                               "--page",
                               "--theme",
                               "--size",
                               "--screenshot",
                               "--tour",
                               "--tour-image",
                               "--insecure-registry",
                               "--version",
                               "--help"})
        EXPECT_TRUE(help.contains(QLatin1String(option))) << option;
}

// The built program, which is not given this one's offscreen platform.
TEST(Program, WithoutADisplaySaysSo) {
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM"})
        environment.remove(QLatin1String(name));
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    program.setProcessEnvironment(environment);
    const QString path = QStringLiteral(VITRINE_BIN_DIR "/vitrine");
    program.start(path, QStringList());
    ASSERT_TRUE(program.waitForFinished(60000)) << qPrintable(program.errorString());
    EXPECT_EQ(program.exitStatus(), QProcess::NormalExit);
    EXPECT_EQ(program.exitCode(), 1);
    const QByteArray said = program.readAllStandardError();
    EXPECT_TRUE(said.startsWith("There is no display")) << said.toStdString();
    EXPECT_EQ(said.count('\n'), 1) << said.toStdString();
    program.start(path, {QStringLiteral("--help")});
    ASSERT_TRUE(program.waitForFinished(60000));
    EXPECT_TRUE(program.readAllStandardOutput().contains("network"));
}

TEST(Options, AFileThatIsNoRequestOfTheLibraryStartsNothing) {
    const QTemporaryDir library;
    QFile file(library.filePath(QStringLiteral("request.json")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("VITRINE_HOME"), library.path());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(VITRINE_BIN_DIR "/vitrine"),
                  {QStringLiteral("--console"),
                   QStringLiteral("web"),
                   QStringLiteral("--start"),
                   file.fileName()});
    ASSERT_TRUE(program.waitForFinished(60000)) << qPrintable(program.errorString());
    EXPECT_EQ(program.exitCode(), 64);
    EXPECT_TRUE(program.readAllStandardError().contains("nothing to start"));
}
