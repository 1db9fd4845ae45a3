// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sharing/share_status.h"
#include "ui/services.h"

#include <QObject>

#include <functional>
#include <optional>

namespace vitrine::ui {

// What can be done with the shares of any machine: through its process while it runs, in its
// vitrine.json otherwise. Every reply comes on the window's thread, unless this is destroyed first.
class ShareActions final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(Result<>)>;

    explicit ShareActions(const Services& services, QObject* parent = nullptr);

    // Stored shares of a machine that does not run are Waiting.
    void list(const MachineInfo& machine, std::function<void(Result<ShareList>)> reply);
    void add(const MachineInfo& machine,
             const QString& folder,
             bool writable,
             std::function<void(Result<ShareStatus>)> reply);
    void remove(const MachineInfo& machine, const ShareSpec& share, bool force, Done done);
    void setReadOnly(const MachineInfo& machine, const ShareSpec& share, bool readOnly, Done done);
    void rename(const MachineInfo& machine, const ShareSpec& share, const QString& to, Done done);
    // As `sshUser` where no agent answers; empty: the one of before.
    void mountAgain(const MachineInfo& machine,
                    const ShareSpec& share,
                    const QString& sshUser,
                    Done done);
    // Makes the user's what root and other users of the guest left in the folder.
    void takeOwnership(const MachineInfo& machine, const ShareSpec& share, Done done);

    // Empty, or why shares of this machine cannot be changed now (translated).
    [[nodiscard]] QString refusal(const MachineInfo& machine) const;
    [[nodiscard]] bool isRunning(const MachineInfo& machine) const; // its process answers

private:
    void change(const MachineInfo& machine,
                const ShareSpec& share,
                std::optional<bool> readOnly,
                std::optional<QString> name,
                Done done);
    void call(const MachineInfo& machine, const char* method, QJsonObject parameters, Done done);

    Services m_services;
};

} // namespace vitrine::ui
