// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"
#include "core/machine/machine_config.h"
#include "core/machine/machine_name.h"
#include "core/machine/sidecar.h"
#include "core/result/result.h"

#include <QString>

#include <optional>

namespace vitrine {

// A machine that is being made: a folder in tmp/, locked, that publish() turns into a machine of
// the library by a rename that cannot replace. Without that the destructor removes it. On one
// thread.
class NewMachine final {
public:
    // AlreadyExists when the name is taken; InvalidInput when no new machine may bear it.
    [[nodiscard]] static Result<NewMachine> begin(const Library& library, const MachineName& name);
    NewMachine(NewMachine&& other) noexcept;
    NewMachine& operator=(NewMachine&&) = delete;
    ~NewMachine();

    [[nodiscard]] const QString& folder() const { return m_folder.path; }
    [[nodiscard]] QString configPath() const { return folder() + QStringLiteral("/config.json"); }
    [[nodiscard]] QString diskPath() const { return folder() + QStringLiteral("/disk.img"); }
    [[nodiscard]] QString variablesPath() const { return folder() + QStringLiteral("/nvram.bin"); }

    // disk.img of this size (a multiple of 512), all of it a hole, and on the drive.
    Result<> makeEmptyDisk(ByteCount size) const;
    Result<> writeConfig(const MachineConfig& config) const;
    Result<> writeSidecar(const Sidecar& sidecar) const;
    // Everything in the folder is on the drive before it gets its name.
    Result<> publish();

private:
    NewMachine(Library library, MachineName name, Library::TemporaryDirectory folder);
    Library m_library;
    MachineName m_name;
    Library::TemporaryDirectory m_folder;
    bool m_owned = true; // the folder is ours to remove
};

} // namespace vitrine
