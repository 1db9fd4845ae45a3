// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/result/result.h"
#include "vz/plan/host_caps.h"
#include "vz/plan/vz_errors.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace vitrine::vz {

// VZMacOSConfigurationRequirements.
struct MacRequirements {
    QByteArray hardwareModel;    // dataRepresentation
    bool modelSupported = false; // of this host
    int minimumProcessors = 1;
    ByteCount minimumMemory;
    friend bool operator==(const MacRequirements&, const MacRequirements&) = default;
};

// VZMacOSRestoreImage.
struct RestoreImage {
    QString location; // path, or the https address of what has to be fetched first
    QString build;    // "24F74"
    SystemVersion version;
    bool supported = false;
    std::optional<MacRequirements> requirements; // mostFeaturefulSupportedConfiguration
    friend bool operator==(const RestoreImage&, const RestoreImage&) = default;
};

// What --from-ipsw names.
struct RestoreImageSource {
    enum class Kind { Latest, Address, File };
    Kind kind = Kind::Latest;
    QString location; // Address: https URL. File: absolute path without links
    // "latest", an https address, or a path ("~" expanded, relative to `base`). Touches the disk:
    // the framework fails on paths through symbolic links, so they are resolved; NotFound or
    // Unsupported for what is no readable file.
    [[nodiscard]] static Result<RestoreImageSource> fromText(const QString& text,
                                                             const QString& base);
    friend bool operator==(const RestoreImageSource&, const RestoreImageSource&) = default;
};

// Whether this host can install it; the sentence says what is too old.
[[nodiscard]] Result<> checkRestoreImage(const RestoreImage& image, const HostCaps& host);
// Configuration of a new macOS machine: at least 4 processors, the memory that the image asks for.
// `machineIdentifier` is a new one. Refuses what this host cannot give.
[[nodiscard]] Result<MachineConfig> planMacMachine(const RestoreImage& image,
                                                   const HostCaps& host,
                                                   const QByteArray& machineIdentifier);
// Size of a new macOS machine's disk, and the smallest that holds macOS.
inline constexpr quint64 usualMacDiskGB = 50;
inline constexpr quint64 smallestMacDiskGB = 30;

// From a restore image to a machine, as a pure state machine: events in, actions out in their
// order. On one thread.
class InstallFlow final {
public:
    struct Action {
        enum class Kind {
            LoadImage,     // RestoreImages::load() of the file: imageLoaded()
            MakeFiles,     // disk, auxiliary storage (for `config`), config.json: filesMade()
            Install,       // make the machine of `config` and install: progressed(), installed()
            CancelInstall, // cancel its progress; installed() follows with a failure
            TellProgress,  // `permille`
            Publish,       // move the finished directory into the library: published()
            Discard,       // remove the unfinished directory
            Finish         // `error` when it failed or was cancelled; nothing comes after it
        };
        Kind kind = Kind::LoadImage;
        MachineConfig config{};
        int permille = 0; // of the installation
        std::optional<vitrine::Error> error{};
    };
    using Actions = QList<Action>;

    InstallFlow(QString machine, HostCaps host, QByteArray machineIdentifier);

    [[nodiscard]] Actions begin();
    [[nodiscard]] Actions imageLoaded(const RestoreImage& image);
    [[nodiscard]] Actions imageFailed(const VzFailure& failure);
    [[nodiscard]] Actions filesMade(const std::optional<vitrine::Error>& error = {});
    // fractionCompleted of the installer's NSProgress: never tells less than before, nor the same.
    [[nodiscard]] Actions progressed(double fraction);
    [[nodiscard]] Actions installed(const std::optional<VzFailure>& failure = {});
    [[nodiscard]] Actions published(const std::optional<vitrine::Error>& error = {});
    // At any time; the framework's own cancel is only called once it installs, as it raises before.
    [[nodiscard]] Actions cancel();
    [[nodiscard]] bool isFinished() const { return m_step == Step::Finished; }

private:
    enum class Step { New, Loading, MakingFiles, Installing, Publishing, Finished };
    [[nodiscard]] Actions finish(std::optional<vitrine::Error> error, bool discards);

    QString m_machine;
    HostCaps m_host;
    QByteArray m_machineIdentifier;
    MachineConfig m_config;
    Step m_step = Step::New;
    int m_permille = -1;
    bool m_cancelled = false;
};

} // namespace vitrine::vz
