// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcess>
#include <QString>

namespace vitrine::test {

// A block device whose data is a file, for the life of the value. Needs root; without a path,
// problem() says what was missing.
class LoopDevice final {
public:
    explicit LoopDevice(const QString& image) {
        m_path = run({QStringLiteral("--find"), QStringLiteral("--show"), image});
    }
    ~LoopDevice() {
        if (!m_path.isEmpty())
            run({QStringLiteral("--detach"), m_path});
    }
    LoopDevice(const LoopDevice&) = delete;
    LoopDevice& operator=(const LoopDevice&) = delete;

    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] const QString& problem() const { return m_problem; }

private:
    // What it printed.
    QString run(const QStringList& arguments) {
        QProcess process;
        process.start(QStringLiteral("/sbin/losetup"), arguments);
        if (process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit &&
            process.exitCode() == 0)
            return QString::fromLocal8Bit(process.readAllStandardOutput()).trimmed();
        m_problem = QString::fromLocal8Bit(process.readAllStandardError()) + process.errorString();
        return {};
    }
    QString m_path;
    QString m_problem;
};

} // namespace vitrine::test
