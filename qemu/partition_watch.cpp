// SPDX-License-Identifier: Apache-2.0
#include "qemu/partition_watch.h"

#include "core/guest/partition_growth.h"
#include "core/machine/sidecar.h"

namespace vitrine::qemu {

PartitionWatch::PartitionWatch(MachineSession* session,
                               QString machineDirectory,
                               int patience,
                               QObject* parent)
    : QObject(parent)
    , m_session(session)
    , m_directory(std::move(machineDirectory)) {
    const auto sidecar = Sidecar::read(m_directory);
    m_wanted = sidecar && sidecar->growPartition && !session->plan().disk.readOnly;
    if (!m_wanted)
        return;
    connect(session, &MachineSession::statusChanged, this, &PartitionWatch::look);
    m_patience.setSingleShot(true);
    m_patience.setInterval(patience);
    connect(session, &MachineSession::started, &m_patience, qOverload<>(&QTimer::start));
    connect(&m_patience, &QTimer::timeout, this, [this] {
        Q_EMIT told(tr("The disk is larger now, but the guest's agent does not answer, so its "
                       "partition was not enlarged yet. If the guest is only slow, that is done "
                       "once its agent answers. If it has none, install it (qemu-guest-agent), or "
                       "enlarge the partition inside the guest, for example with growpart and "
                       "resize2fs."));
    });
}

void PartitionWatch::look() {
    if (!m_wanted || !m_session->status().agentAnswers)
        return;
    m_wanted = false;
    m_patience.stop();
    growPartition(m_session->agent(),
                  QString::fromLatin1(rootDiskAddress),
                  [this](const Result<PartitionGrowth>& growth) {
                      // A guest that went away meanwhile is asked again at its next start.
                      if (!growth && growth.error().kind == Error::Kind::NotRunning)
                          return;
                      (void)Sidecar::update(
                          m_directory, [](Sidecar& sidecar) { sidecar.growPartition = false; });
                      Q_EMIT told(growth ? growth->text : growth.error().message);
                  });
}

} // namespace vitrine::qemu
