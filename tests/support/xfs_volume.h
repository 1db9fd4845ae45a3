// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

namespace vitrine::test {

// A small XFS, which shares blocks between files, on a loop device for the life of the value. Needs
// root, a loop device and mkfs.xfs.
class XfsVolume final {
public:
    XfsVolume() {
        const QString image = m_directory.filePath(QStringLiteral("xfs.img"));
        QFile file(image);
        m_mounted =
            file.open(QIODevice::WriteOnly) && file.resize(400LL << 20) &&
            QDir(m_directory.path()).mkdir(QStringLiteral("xfs")) &&
            run("mkfs.xfs",
                {QStringLiteral("-q"), QStringLiteral("-m"), QStringLiteral("reflink=1"), image}) &&
            run("mount", {QStringLiteral("-o"), QStringLiteral("loop"), image, path()});
    }
    ~XfsVolume() {
        if (m_mounted)
            run("umount", {path()});
    }
    XfsVolume(const XfsVolume&) = delete;
    XfsVolume& operator=(const XfsVolume&) = delete;

    [[nodiscard]] bool isMounted() const { return m_mounted; }
    [[nodiscard]] QString path() const { return m_directory.filePath(QStringLiteral("xfs")); }

private:
    static bool run(const char* program, const QStringList& arguments) {
        QProcess process;
        process.start(QLatin1String(program), arguments);
        return process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit &&
               process.exitCode() == 0;
    }

    QTemporaryDir m_directory;
    bool m_mounted = false;
};

} // namespace vitrine::test
