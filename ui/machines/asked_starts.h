// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library_model.h"

#include <QObject>
#include <QString>

namespace vitrine {
class MachineHost;
}

namespace vitrine::ui {

class MachineClients;

// Starts that `vitrinectl run` asks of this window because machines live in its process. Each is
// answered on the socket of its request, from taking it to the machine's end; the protocol is that
// of core/run/window_run.h. Window's thread, nothing waits.
class AskedStarts final : public QObject {
    Q_OBJECT
public:
    // Nothing is owned. `host` may be null: then all are refused.
    AskedStarts(LibraryModel* library,
                MachineClients* clients,
                MachineHost* host,
                QObject* parent = nullptr);

    // `id`: of the request (core/run/run_request_file.h), which must be for the machine `name`.
    // Nothing happens when nobody waits for it any more.
    void take(const QString& name, const QString& id);

Q_SIGNALS:
    void starting(const QString& name); // as asked for

private:
    LibraryModel* m_library;
    MachineClients* m_clients;
    MachineHost* m_host;
};

} // namespace vitrine::ui
