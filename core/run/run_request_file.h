// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/disk/file_lock.h"
#include "core/hypervisor/hypervisor.h"
#include "core/result/result.h"

#include <QJsonObject>
#include <QString>

#include <optional>

namespace vitrine {

// A run that one program has worked out and another one starts: `vitrinectl run` with a window
// where machines live in the window's process. <runtime base>/start-<32 hex digits>/, 0700, flocked
// by who waits, holds
//   request.json  what is to be started, 0600; taken by the one that removes it
//   answer.sock   0600; who takes it tells here what becomes of it (window_run.h)
// Both go when the request is taken, or with who waits; what a kill leaves is collected by
// RuntimeDirectory::collect(), and nobody starts it: at its socket nobody listens.
class RunRequestFile final {
public:
    // Makes the folder and writes the request.
    [[nodiscard]] static Result<RunRequestFile> write(const Hypervisor::RunRequest& request);
    ~RunRequestFile(); // remove()
    RunRequestFile(RunRequestFile&&) noexcept;
    RunRequestFile& operator=(RunRequestFile&&) = delete;

    [[nodiscard]] QString path() const { return m_folder + QStringLiteral("/request.json"); }
    [[nodiscard]] QString socketPath() const { return m_folder + QStringLiteral("/answer.sock"); }
    // True when nobody has taken it, and nobody can from now on.
    [[nodiscard]] bool takeBack() const;
    void remove(); // all of it

    // The digits in the path of a request of this library; nullopt for any other file.
    [[nodiscard]] static std::optional<QString> idOf(const QString& libraryHome,
                                                     const QString& path);
    [[nodiscard]] static bool isId(const QString& text);

    struct Taken {
        FileDescriptor answer; // connected
        // None: somebody else has taken it. An error: it is not what was announced.
        std::optional<Result<Hypervisor::RunRequest>> request;
    };
    // Takes a request for the machine `name`. Integrity or Permission when the file is not private
    // to this user, no regular file, too large, of another version, library or machine. nullopt
    // when nobody waits for it (any more). Does not wait; any thread.
    [[nodiscard]] static std::optional<Taken>
    take(const Library& library, const QString& id, const QString& name);

private:
    RunRequestFile(QString folder, DirectoryLock lock)
        : m_folder(std::move(folder))
        , m_lock(std::move(lock)) {}
    QString m_folder;
    DirectoryLock m_lock;
};

// All of it but `withoutWindow`.
[[nodiscard]] QJsonObject toJson(const Hypervisor::RunRequest& request);
// Integrity when a key is unknown, missing or of another type, or the library another one: what is
// not understood would be lost. Unsupported for another version.
[[nodiscard]] Result<Hypervisor::RunRequest> runRequestFromJson(const Library& library,
                                                                const QJsonObject& object);

} // namespace vitrine
