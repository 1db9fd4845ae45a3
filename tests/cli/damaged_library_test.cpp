// SPDX-License-Identifier: Apache-2.0
// The built program on libraries that are damaged or may only be read.
#include "tests/cli/command_line_support.h"

#include <cstdlib>
#include <sys/stat.h>

namespace vitrine::test {

TEST_F(CommandLine, DamagedFilesAreNoUsageErrors) {
    const QString directory = add("web");
    for (const char* text : {"", "{", "[]", R"({"run":5})"}) {
        SmallLibrary::write(directory + s("/vitrine.json"), text);
        for (const QStringList& line :
             {QStringList{s("run"), s("web"), s("--no-graphics")},
              {s("set"), s("web"), s("--run-disk"), s("/etc/hostname:ro")},
              {s("clone"), s("web"), s("copy")}}) {
            const Finished refused = run(line);
            EXPECT_EQ(refused.code, 1) << line.join(QLatin1Char(' ')).toStdString() << text;
            EXPECT_TRUE(refused.err.contains("vitrine.json")) << refused.err.toStdString();
        }
        EXPECT_EQ(read(directory + s("/vitrine.json")), QByteArray(text));
    }
    SmallLibrary::write(add("garbage") + s("/config.json"), "nonsense");
    for (const QStringList& line : {QStringList{s("clone"), s("garbage"), s("copy")},
                                    {s("run"), s("garbage"), s("--no-graphics")},
                                    {s("set"), s("garbage"), s("--cpu"), s("2")},
                                    {s("get"), s("garbage")}})
        EXPECT_EQ(run(line).code, 1) << line.join(QLatin1Char(' ')).toStdString();
    const QString folder = add("folder");
    ASSERT_TRUE(QFile::remove(folder + s("/config.json")));
    ASSERT_TRUE(QDir().mkdir(folder + s("/config.json")));
    const QString round = add("round");
    ASSERT_TRUE(QFile::remove(round + s("/config.json")));
    ASSERT_TRUE(QFile::link(s("config.json"), round + s("/config.json")));
    const QString disk = add("disk");
    ASSERT_TRUE(QFile::remove(disk + s("/disk.img")));
    ASSERT_EQ(::mkfifo(QFile::encodeName(disk + s("/disk.img")).constData(), 0600), 0);
    for (const char* name : {"folder", "round", "disk", "garbage"})
        for (const QStringList& line : {QStringList{s("get"), s(name)},
                                        {s("run"), s(name), s("--no-graphics")},
                                        {s("clone"), s(name), s("copy")},
                                        {s("set"), s(name), s("--cpu"), s("2")},
                                        {s("set"), s(name), s("--disk"), s("/etc/hostname")},
                                        {s("set"), s(name), s("--net-softnet")},
                                        {s("stop"), s(name)},
                                        {s("suspend"), s(name)},
                                        {s("ip"), s(name)},
                                        {s("share"), s(name), s("list")},
                                        {s("snapshot"), s(name), s("list")},
                                        {s("snapshot"), s(name), s("create")}})
            EXPECT_NE(run(line).code, 64) << line.join(QLatin1Char(' ')).toStdString();
    const QString small = add("small");
    const QByteArray text = read(small + s("/config.json"));
    SmallLibrary::write(small + s("/config.json"),
                        QByteArray(text).replace(QByteArray::number(128 << 20), "5"));
    const Finished started = run({"run", "small", "--no-graphics"});
    EXPECT_EQ(started.code, 1) << started.err.toStdString();
    EXPECT_TRUE(started.err.contains("memory")) << started.err.toStdString();
    EXPECT_EQ(
        machineFolders(),
        (QStringList{s("disk"), s("folder"), s("garbage"), s("round"), s("small"), s("web")}));
}

TEST_F(CommandLine, AFolderWhoseNameIsNotTextIsToldOnceAndIsNoMachine) {
    const QString directory = add("web");
    const QByteArray latin = QFile::encodeName(m_small.library.machinesPath()) + "/caf\xe9";
    ASSERT_EQ(::rename(QFile::encodeName(add("other")).constData(), latin.constData()), 0);
    for (const QStringList& line :
         {QStringList{s("list")}, {s("list"), s("--format"), s("json")}}) {
        const Finished list = run(line);
        EXPECT_EQ(list.code, 0);
        EXPECT_FALSE(list.out.contains("caf"));
        EXPECT_EQ(list.err.count("\"caf\\xe9\""), 1) << list.err.toStdString();
    }
    EXPECT_EQ(run({"list", "--quiet"}).out, QByteArray("web\n"));
    EXPECT_TRUE(QFile::exists(directory));
}

TEST_F(CommandLine, AsAnOrdinaryUserAReadOnlyLibraryWithoutACacheIsListed) {
    (void)add("web");
    const QString home = m_small.library.home();
    ASSERT_TRUE(QDir().rmdir(home + s("/cache")));
    ASSERT_TRUE(QDir().rmdir(home + s("/tmp")));
    const QString program = m_home.filePath(s("vitrinectl"));
    ASSERT_TRUE(QFile::copy(m_program, program));
    m_program = program;
    const QByteArray both = " '" + QFile::encodeName(QFileInfo(home).absolutePath()) + "' '" +
                            QFile::encodeName(m_home.path()) + '\'';
    ASSERT_EQ(std::system(("chmod -R a+rX,a-w" + both).constData()), 0);
    const auto ordinary = [] {
        if (::geteuid() == 0 &&
            (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0))
            ::_exit(99);
    };
    const Finished list = run({s("list"), s("-q")}, {}, ordinary);
    EXPECT_EQ(list.out, QByteArray("web\n")) << list.err.toStdString();
    EXPECT_EQ(run({s("get"), s("web")}, {}, ordinary).code, 0);
    const Finished refused = run({s("clone"), s("web"), s("x")}, {}, ordinary);
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("Permission")) << refused.err.toStdString();
    ASSERT_EQ(std::system(("chmod -R u+w" + both).constData()), 0);
}

TEST_F(CommandLine, AsAnOrdinaryUserAReadOnlyLibraryIsListedAndNotChanged) {
    (void)add("web");
    const QString home = m_small.library.home();
    // The project may be where only root comes.
    const QString program = m_home.filePath(s("vitrinectl"));
    ASSERT_TRUE(QFile::copy(m_program, program));
    m_program = program;
    // Readable to everybody; nothing writable.
    ASSERT_EQ(std::system(("chmod -R a+rX,a-w '" + QFileInfo(home).absolutePath().toStdString() +
                           "' '" + m_home.path().toStdString() + "'")
                              .c_str()),
              0);
    const auto ordinary = [] {
        if (::geteuid() == 0 &&
            (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0))
            ::_exit(99);
    };
    EXPECT_EQ(run({s("list"), s("-q")}, {}, ordinary).out, QByteArray("web\n"));
    EXPECT_EQ(run({s("get"), s("web")}, {}, ordinary).code, 0);
    for (const QStringList& line : {QStringList{s("set"), s("web"), s("--cpu"), s("2")},
                                    {s("rename"), s("web"), s("x")},
                                    {s("delete"), s("web")},
                                    {s("clone"), s("web"), s("x")}}) {
        const Finished refused = run(line, {}, ordinary);
        EXPECT_EQ(refused.code, 1) << line.first().toStdString() << refused.err.toStdString();
        EXPECT_FALSE(refused.err.isEmpty());
    }
    ASSERT_EQ(std::system(("chmod -R u+w '" + QFileInfo(home).absolutePath().toStdString() + "' '" +
                           m_home.path().toStdString() + "'")
                              .c_str()),
              0);
    EXPECT_EQ(machineFolders(), QStringList{s("web")});
}

} // namespace vitrine::test
