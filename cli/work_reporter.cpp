// SPDX-License-Identifier: Apache-2.0
#include "cli/work_reporter.h"

#include "cli/output.h"
#include "core/job/progress_line.h"
#include "core/value/byte_count.h"

#include <QStringList>

#include <algorithm>

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

constexpr qint64 rewriteInterval = 100; // ms
constexpr qint64 lineInterval = 2000;   // ms
constexpr qint64 sampleInterval = 500;  // ms

int terminalWidth() {
    struct winsize size {};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
}

void writeError(const QByteArray& bytes) {
    (void)std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stderr);
    (void)std::fflush(stderr);
}

} // namespace

QString progressText(const Progress& progress, double bytesPerSecond) {
    QStringList parts;
    const QString done = ByteCount::fromBytes(progress.done).toText();
    if (progress.total && *progress.total > 0) {
        const auto total = *progress.total;
        const quint64 percent =
            static_cast<quint64>(100.0L * static_cast<long double>(std::min(progress.done, total)) /
                                 static_cast<long double>(total));
        parts.append(Tr::tr("%1 %").arg(percent));
        parts.append(Tr::tr("%1 of %2").arg(done, ByteCount::fromBytes(total).toText()));
    } else if (progress.done > 0) {
        parts.append(done);
    }
    if (bytesPerSecond >= 1) {
        //: %1 is an amount such as "12 MB"
        parts.append(Tr::tr("%1/s").arg(
            ByteCount::fromBytes(static_cast<quint64>(bytesPerSecond)).toText()));
        if (progress.total && *progress.total > progress.done) {
            const auto left = static_cast<double>(*progress.total - progress.done) / bytesPerSecond;
            if (left < 360000)
                parts.append(Tr::tr("%1 left").arg(durationText(static_cast<qint64>(left) + 1)));
        }
    }
    if (!progress.step.isEmpty())
        parts.append(plain(progress.step));
    return parts.join(QLatin1String("  "));
}

WorkReporter::WorkReporter(ProgressFormat format)
    : m_format(format)
    , m_rewrites(standardErrorIsTerminal() && !qEnvironmentVariableIsSet("CI")) {
    m_clock.start();
}

WorkReporter::~WorkReporter() {
    const std::scoped_lock lock(m_mutex);
    endLine();
}

JobContext WorkReporter::context() {
    JobContext context;
    context.stop = m_interruption.token();
    context.report = [this](const Progress& progress) { report(progress); };
    context.log = [this](const QString& line) { log(line); };
    return context;
}

void WorkReporter::report(const Progress& progress) {
    const std::scoped_lock lock(m_mutex);
    const qint64 now = m_clock.elapsed();
    const bool finished = progress.total && progress.done >= *progress.total;
    if (m_format == ProgressFormat::Json) {
        if (m_shownAt >= 0 && now - m_shownAt < rewriteInterval && !finished &&
            m_shown == progress.step)
            return;
        m_shownAt = now;
        m_shown = progress.step;
        printBytes(progressline::encode(progress));
        (void)std::fflush(stdout);
        return;
    }
    if (!m_sampled || progress.done < m_sampledDone) {
        m_sampled = true;
        m_sampledAt = now;
        m_sampledDone = progress.done;
    } else if (now - m_sampledAt >= sampleInterval) {
        const double speed = static_cast<double>(progress.done - m_sampledDone) * 1000.0 /
                             static_cast<double>(now - m_sampledAt);
        m_speed = m_speed <= 0 ? speed : m_speed * 0.8 + speed * 0.2;
        m_sampledAt = now;
        m_sampledDone = progress.done;
    }
    const qint64 interval = m_rewrites ? rewriteInterval : lineInterval;
    if (m_shownAt >= 0 && now - m_shownAt < interval && !finished)
        return;
    const QString text = progressText(progress, m_speed);
    if (text.isEmpty() || text == m_shown)
        return;
    m_shownAt = now;
    m_shown = text;
    showText();
}

void WorkReporter::showText() {
    if (!m_rewrites) {
        note(QString(m_shown).replace(QChar(0x00A0), QLatin1Char(' ')));
        return;
    }
    const QString line = m_shown.left(terminalWidth() - 1);
    const int padding = std::max(0, m_lineWidth - static_cast<int>(line.size()));
    writeError(QByteArrayLiteral("\r") + line.toUtf8() + QByteArray(padding, ' '));
    m_lineWidth = static_cast<int>(line.size());
}

void WorkReporter::endLine() {
    if (m_lineWidth > 0)
        writeError(QByteArrayLiteral("\n"));
    m_lineWidth = 0;
}

void WorkReporter::log(const QString& line) {
    const std::scoped_lock lock(m_mutex);
    if (m_format == ProgressFormat::Json) {
        printBytes(progressline::encode(progressline::Log{line}));
        (void)std::fflush(stdout);
    }
}

} // namespace vitrine::cli
