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
// user only). A first window that does not answer in time is left alone, and so is one of an older
// version that is asked to start a machine: it hangs up on what it does not know.
//
// Asked is one line of at most 4096 bytes, "show NAME" or "start ID NAME", and answered "ok". ID is
// that of a request (core/run/run_request_file.h); no path is taken from outside.
class SingleWindow final : public QObject {
    Q_OBJECT
public:
    enum class Role { First, HandedOver, Alone };

    explicit SingleWindow(QString libraryHome, QObject* parent = nullptr);
    ~SingleWindow() override;

    // `console` may be empty: just come to the front. `start`: the request to start that machine,
    // or empty. Blocks for at most a second, with a request five, only when there is another
    // window.
    [[nodiscard]] Role enter(const QString& console, const QString& start = {});

Q_SIGNALS:
    // By a later start; both as given to enter().
    void asked(const QString& console, const QString& start);

private:
    void listen();
    void accept();
    [[nodiscard]] bool handOver(const QString& console, const QString& start) const;
    QString m_folder;
    std::optional<DirectoryLock> m_lock;
    FileDescriptor m_server;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace vitrine::app
