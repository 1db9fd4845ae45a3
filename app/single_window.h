// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/disk/file_lock.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

class QSocketNotifier;

namespace vitrine::app {

// One window for one library: a second start hands its wish to the first and ends. The first holds
// flock on <library>/run/window.lock and listens on <library>/run/window.sock (0600, peers of this
// user only). A first window that does not answer within a second is left alone.
class SingleWindow final : public QObject {
    Q_OBJECT
public:
    enum class Role { First, HandedOver, Alone };

    explicit SingleWindow(QString libraryHome, QObject* parent = nullptr);
    ~SingleWindow() override;

    // `console` may be empty: just come to the front. Blocks for at most a second, only when there
    // is another window.
    [[nodiscard]] Role enter(const QString& console);

Q_SIGNALS:
    void asked(const QString& console); // by a later start; empty: come to the front

private:
    void listen();
    void accept();
    [[nodiscard]] bool handOver(const QString& console) const;
    QString m_folder;
    std::optional<DirectoryLock> m_lock;
    FileDescriptor m_server;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace vitrine::app
