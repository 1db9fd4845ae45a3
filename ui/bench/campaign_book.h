// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_source.h"

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <optional>

namespace vitrine::ui {

// The campaigns of a library and the published sets, read and judged in the background; read again
// when their folder changes, so that results show as they arrive. Window thread.
class CampaignBook final : public QObject {
    Q_OBJECT
public:
    explicit CampaignBook(const QString& libraryHome, QObject* parent = nullptr);

    void read();                 // returns at once
    void setActive(bool active); // else changes wait for the next read()
    [[nodiscard]] bool isRead() const { return m_isRead; }
    [[nodiscard]] const QList<bench::ChartSourcePointer>& own() const {
        return m_own;
    } // newest first
    [[nodiscard]] const QList<bench::ChartSourcePointer>& published() const { return m_published; }
    [[nodiscard]] bench::ChartSourcePointer
    find(const QString& id) const; // null if it is not there
    [[nodiscard]] const QStringList& problems() const { return m_problems; } // of damaged files
    // The campaign that this or another program measures, as of the last reading; empty: unknown.
    [[nodiscard]] const std::optional<QString>& claimed() const { return m_claimed; }
    [[nodiscard]] const QString& home() const { return m_home; }

Q_SIGNALS:
    void changed();

private:
    struct File {
        QDateTime modified;
        qint64 size = 0;
        bench::ChartSourcePointer source; // null if damaged
        QString problem;
    };
    using Files = QHash<QString, File>; // by identifier
    struct Found {
        Files files;
        QList<bench::ChartSourcePointer> published;
        std::optional<QString> claimed;
    };
    static Found readAll(const QString& home, Files known, bool withPublished);
    void take(const Found& found);
    void watch();

    QString m_home;
    bool m_isRead = false;
    bool m_isReading = false;
    bool m_again = false;
    bool m_isActive = true;
    Files m_files;
    QList<bench::ChartSourcePointer> m_own;
    QList<bench::ChartSourcePointer> m_published;
    QStringList m_problems;
    std::optional<QString> m_claimed;
    QFileSystemWatcher m_watcher;
    QTimer m_soon;
};

} // namespace vitrine::ui
