// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

namespace vitrine::test {

// An XFS, which shares blocks between files, on a loop device for the life of the value. Needs root
// and mkfs.xfs; problem() says what was missing.
class ReflinkVolume final {
public:
    explicit ReflinkVolume(int megabytes) {
        const QString image = m_folder.filePath(QStringLiteral("volume"));
        QFile file(image);
        if (!file.open(QIODevice::WriteOnly) || !file.resize(qint64{megabytes} << 20))
            return;
        file.close();
        if (!run(QStringLiteral("/sbin/mkfs.xfs"),
                 {QStringLiteral("-q"), QStringLiteral("-m"), QStringLiteral("reflink=1"), image}))
            return;
        m_path = m_folder.filePath(QStringLiteral("mounted"));
        QDir().mkpath(m_path);
        m_mounted = run(QStringLiteral("mount"),
                        {QStringLiteral("-o"), QStringLiteral("loop"), image, m_path});
    }
    ~ReflinkVolume() {
        if (m_mounted)
            run(QStringLiteral("umount"), {m_path});
    }
    ReflinkVolume(const ReflinkVolume&) = delete;
    ReflinkVolume& operator=(const ReflinkVolume&) = delete;

    [[nodiscard]] bool isMounted() const { return m_mounted; }
    [[nodiscard]] QString path() const { return m_path; }
    [[nodiscard]] QString problem() const { return m_problem; }

private:
    bool run(const QString& program, const QStringList& arguments) {
        QProcess process;
        process.start(program, arguments);
        if (process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit &&
            process.exitCode() == 0)
            return true;
        m_problem = program + QLatin1String(": ") +
                    QString::fromLocal8Bit(process.readAllStandardError()).trimmed() +
                    process.errorString();
        return false;
    }
    QTemporaryDir m_folder;
    QString m_path;
    QString m_problem;
    bool m_mounted = false;
};

} // namespace vitrine::test
