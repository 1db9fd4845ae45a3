// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/job/job.h"
#include "core/library/library.h"
#include "core/result/result.h"
#include "qemu/launch_plan.h"

#include <QStringList>

#include <vector>

namespace vitrine::qemu {

// What a run holds for its extra disks: a flock on each that is written (other programs that ask
// for it stay away), a read lock on the config.json of each machine whose disk it is (nobody
// starts, changes, deletes or renames that machine meanwhile), and copies of cached images
// (specification 5.1, kind 3), tmp/run-disk-UUID, which go with this value. QEMU has to inherit the
// descriptors, so that both outlive a kill of this process as long as QEMU does.
class PreparedDisks final {
public:
    PreparedDisks() = default;
    ~PreparedDisks();
    PreparedDisks(PreparedDisks&&) noexcept = default;
    PreparedDisks& operator=(PreparedDisks&&) = delete;

    [[nodiscard]] QList<int> descriptors() const;
    [[nodiscard]] const QStringList& copies() const { return m_copies; }

private:
    friend Result<PreparedDisks>
    prepareDisks(const Library&, const QString&, LaunchPlan&, const JobContext&);
    std::vector<DirectoryLock> m_locks;
    std::vector<ConfigFile> m_machines;
    QStringList m_copies;
};

// Takes the locks, copies the images and puts the copies' paths into the plan; makes the folder
// with the certificate authorities in the runtime directory when a disk needs it. Takes as long as
// the copies take. Busy when another program holds a disk. Removes what it made on failure. Also
// removes copies that a killed run left. Any thread.
[[nodiscard]] Result<PreparedDisks> prepareDisks(const Library& library,
                                                 const QString& runtimePath,
                                                 LaunchPlan& plan,
                                                 const JobContext& context);

} // namespace vitrine::qemu
