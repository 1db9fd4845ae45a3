// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"
#include "qemu/host_info.h"

#include <QString>
#include <QStringList>

namespace vitrine::qemu {

// vitrine-softnet, which is installed beside this program or in libexec; empty when it is missing.
[[nodiscard]] QString softnetProgram(const ProgramPaths& paths = {});
// What this computer lacks for machines behind it, with the remedy; empty when nothing.
[[nodiscard]] QString whyNotSoftnet(const ProgramPaths& paths = {});
// Whom the helper becomes when root starts it, as options of its command line; empty for others.
[[nodiscard]] QStringList softnetUserArguments();
// Root of a user namespace that has no other user cannot start the helper, which never is root.
// `uidMap` and `setgroups` are those files of /proc/self; empty when it can, else the reason.
[[nodiscard]] QString
whyNoOtherUser(const QByteArray& uidMap, const QByteArray& setgroups, quint32 uid);

// The wire between QEMU and the helper: one frame a datagram, and either side notices the other's
// end (so SEQPACKET; QEMU 7.2 does not look at the type). Both are closed on exec.
struct SoftnetWire {
    FileDescriptor machine; // QEMU inherits it
    FileDescriptor helper;
};
[[nodiscard]] Result<SoftnetWire> openSoftnetWire();

} // namespace vitrine::qemu
