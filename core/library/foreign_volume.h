// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSet>
#include <QString>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace vitrine {

// Machines may lie on another volume than the library, behind a link or a mount. One that hangs
// (a server that is gone) must not hold up the listing of the others.
class ForeignVolumes final {
public:
    // Reads the mount points below `folder`; never touches them.
    explicit ForeignVolumes(const QString& folder);
    // Is `directory` a link or a mount point? Does not wait for what lies behind it.
    [[nodiscard]] bool contains(const QString& directory) const;

private:
    QSet<QString> m_mountPoints;
};

// Runs `work` on a thread of its own and gives up after `patience`: nullopt. A work that hangs is
// left to itself, and until it ends every further call for the same `directory` gives up at once,
// so that threads do not pile up. `work` owns what it uses.
class HangGuard final {
public:
    static constexpr std::chrono::milliseconds patience{1000};

    template <class T>
    static std::optional<T> call(const QString& directory, std::function<T()> work) {
        struct Shared {
            std::mutex mutex;
            std::condition_variable ended;
            std::optional<T> value;
        };
        if (!begin(directory))
            return std::nullopt;
        auto shared = std::make_shared<Shared>();
        detach([directory, shared, work = std::move(work)] {
            T value = work();
            end(directory);
            const std::scoped_lock lock(shared->mutex);
            shared->value = std::move(value);
            shared->ended.notify_all();
        });
        std::unique_lock lock(shared->mutex);
        shared->ended.wait_for(lock, patience, [&shared] { return shared->value.has_value(); });
        return std::exchange(shared->value, std::nullopt);
    }

private:
    static bool begin(const QString& directory); // false: one hangs there already
    static void end(const QString& directory);
    static void detach(std::function<void()> work);
};

} // namespace vitrine
