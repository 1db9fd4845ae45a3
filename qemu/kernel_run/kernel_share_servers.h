// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"
#include "qemu/kernel_run/kernel_run_plan.h"
#include "qemu/sharing/share_daemon.h"

#include <QObject>

#include <functional>
#include <memory>
#include <vector>

namespace vitrine::qemu {

// virtiofsd for each folder of a kernel run. They leave no files behind, whatever ends this
// process, and end with it. Main thread; nothing blocks.
class KernelShareServers final : public QObject {
    Q_OBJECT
public:
    explicit KernelShareServers(QObject* parent = nullptr);

    using Done = std::function<void(Result<>)>;
    // Once. `done` is told when all run, or the first error.
    void start(const KernelRunPlan& plan, Done done);
    // Connected sockets for QEMU, in the plan's order; they stay this object's.
    [[nodiscard]] QList<int> descriptors() const;

Q_SIGNALS:
    void ended(); // one of them is gone, and the guest's accesses hang

private:
    struct Server {
        std::unique_ptr<ShareDaemon> daemon;
        FileDescriptor connection;
    };
    void addFolder(std::size_t index, const KernelShare& share);
    void runDaemon(std::size_t index);
    void finish(const Result<>& result);

    std::vector<Server> m_servers;
    std::size_t m_running = 0;
    Done m_done;
};

} // namespace vitrine::qemu
