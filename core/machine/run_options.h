// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/network_options.h"
#include "core/machine/start_options.h"
#include "core/result/result.h"
#include "core/sharing/share_options.h"
#include "core/sharing/share_spec.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine {

enum class Caching { Automatic, Cached, Uncached };
enum class Synchronisation { Full, Fsync, None };
enum class AcceleratorChoice { Automatic, Kvm, Tcg };

// Words of --root-disk-opts and of --disk's last piece (specification 5.1, 5.2).
struct DiskOptions {
    bool readOnly = false;
    Synchronisation synchronisation = Synchronisation::Full;
    Caching caching = Caching::Automatic;

    // "ro,sync=none,caching=cached". Unknown words and values are errors that list what is
    // accepted.
    [[nodiscard]] static Result<DiskOptions> fromText(const QString& text);
    [[nodiscard]] QString toText() const; // only what differs from the defaults; may be empty
    friend bool operator==(const DiskOptions&, const DiskOptions&) = default;
};

// One --disk: path[:options], 5.1.
struct ExtraDisk {
    // In Tart's order, but an existing file is never taken for an image reference (M13).
    enum class Kind { NetworkDisk, BlockDevice, CachedImage, File };

    QString path;
    DiskOptions options;
    // As Tart: if the last ':' piece holds at least one option, the whole piece is options and
    // unknown words in it are dropped; empty pieces are dropped. A bad value is an error.
    [[nodiscard]] static Result<ExtraDisk> fromText(const QString& text);
    [[nodiscard]] QString toText() const; // fromText() gives the same disk again
    // Looks at the disk. `base` is the folder that relative paths count from.
    [[nodiscard]] Kind kind(const QString& base) const;
    // By its name, as formats are never probed: an ISO file is a CD, which is always read-only.
    [[nodiscard]] bool isOptical() const;
    // The path with a leading "~" expanded, absolute; not for NetworkDisk and CachedImage.
    [[nodiscard]] QString filePath(const QString& base) const;
    friend bool operator==(const ExtraDisk&, const ExtraDisk&) = default;
};

// A TCP port of the host's loopback that leads to a port of the guest.
struct PortForward {
    quint16 hostPort = 0; // 0: any free port
    quint16 guestPort = 0;
    friend bool operator==(const PortForward&, const PortForward&) = default;
};

// Direct kernel boot, without firmware.
struct KernelBoot {
    QString kernel; // path, relative to the machine's directory or absolute
    QString initrd; // may be empty
    QString commandLine;
    friend bool operator==(const KernelBoot&, const KernelBoot&) = default;
};

// What a machine is run with beyond config.json; stored in vitrine.json under "run", replaced by
// typed options for one run (contract 2, "Stored against given options").
struct RunOptions {
    DiskOptions rootDisk;
    QList<ExtraDisk> disks;
    QList<PortForward> forwards;
    QList<ShareSpec> shares; // paths absolute, or URLs
    ShareOptions sharing;
    std::optional<KernelBoot> kernel;
    NetworkOptions network;
    BootOrder bootOrder;
    SerialLine serial;
    bool vncServer = false; // for other viewers, on the loopback with a password
    bool nested = false;    // virtual machines inside the guest
    AcceleratorChoice accelerator = AcceleratorChoice::Automatic;
    bool audio = true;
    bool clipboard = true;
    bool pointer = true;
    bool keyboard = true;
    QJsonObject unknown; // keys of newer programs, written back

    // Errors name the key.
    [[nodiscard]] static Result<RunOptions> fromJson(const QJsonObject& object);
    [[nodiscard]] QJsonObject toJson() const;
    friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

} // namespace vitrine
