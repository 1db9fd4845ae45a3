// SPDX-License-Identifier: Apache-2.0
#include "qemu/partition_watch.h"

#include "core/guest/partition_growth.h"
#include "core/machine/sidecar.h"

namespace vitrine::qemu {

PartitionWatch::PartitionWatch(MachineSession* session, QString machineDirectory, QObject* parent)
    : QObject(parent)
    , m_session(session)
    , m_directory(std::move(machineDirectory)) {
    const auto sidecar = Sidecar::read(m_directory);
    m_wanted = sidecar && sidecar->growPartition && !session->plan().disk.readOnly;
    if (m_wanted)
        connect(session, &MachineSession::statusChanged, this, &PartitionWatch::look);
}

void PartitionWatch::look() {
    if (!m_wanted || !m_session->status().agentAnswers)
        return;
    m_wanted = false;
    growPartition(m_session->agent(),
                  QString::fromLatin1(rootDiskAddress),
                  [this](const Result<PartitionGrowth>& growth) {
                      // A guest that went away meanwhile is asked again at its next start.
                      if (!growth && growth.error().kind == Error::Kind::NotRunning)
                          return;
                      (void)Sidecar::update(
                          m_directory, [](Sidecar& sidecar) { sidecar.growPartition = false; });
                      Q_EMIT done(growth ? growth->text : growth.error().message);
                  });
}

} // namespace vitrine::qemu
