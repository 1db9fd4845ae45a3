// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "qemu/qmp_client.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace vitrine::qemu {

// Lets a QEMU that was started with "-incoming" and "-S" go on: waits until the state is loaded,
// then marks it used, then "cont". A QEMU that cannot read the state ends by itself. Lives on the
// thread of its QMP client; used once.
class SuspendLoader final : public QObject {
    Q_OBJECT
public:
    struct Hooks {
        std::function<Result<>()> loaded; // paused; an error ends the start
        std::function<void()> running;
    };
    SuspendLoader(QmpClient* qmp, Hooks hooks, QObject* parent = nullptr);

    // The answer comes when the guest runs, or the reason why not. QEMU is still there then.
    void begin(std::function<void(Result<>)> done);

private:
    void poll();

    QmpClient* m_qmp;
    Hooks m_hooks;
    std::function<void(Result<>)> m_done;
    QTimer m_poll;
};

} // namespace vitrine::qemu
