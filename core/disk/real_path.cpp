// SPDX-License-Identifier: Apache-2.0
#include "core/disk/real_path.h"

#include <QFile>
#include <QRegularExpression>

#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

// Of an open folder; empty for everything else.
QString folderBehind(const QString& link) {
    const QByteArray name = QFile::encodeName(link);
    struct stat info {};
    if (::stat(name.constData(), &info) != 0 || !S_ISDIR(info.st_mode))
        return {};
    QByteArray target(4096, '\0');
    const ssize_t length =
        ::readlink(name.constData(), target.data(), static_cast<size_t>(target.size()));
    if (length <= 0 || length >= target.size() || target.front() != '/')
        return {};
    target.truncate(static_cast<qsizetype>(length));
    static const QByteArray gone(" (deleted)");
    if (info.st_nlink == 0 && target.endsWith(gone))
        target.chop(gone.size());
    return QFile::decodeName(target);
}

} // namespace

QString withRealPaths(const QString& text) {
    static const QString start = QStringLiteral("/proc/self/fd/");
    if (!text.contains(start))
        return text;
    static const QRegularExpression link(QStringLiteral("/proc/self/fd/[0-9]+"));
    QString result;
    qsizetype end = 0;
    for (auto found = link.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        const QString folder = folderBehind(match.captured());
        result += text.mid(end, match.capturedStart() - end);
        result += folder.isEmpty() ? match.captured() : folder;
        end = match.capturedEnd();
    }
    return result + text.mid(end);
}

Error withRealPaths(Error error) {
    error.message = withRealPaths(error.message);
    error.detail = withRealPaths(error.detail);
    return error;
}

} // namespace vitrine
