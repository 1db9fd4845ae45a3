// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaObject>
#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace vitrine::ui {

// Runs `work` on a small thread pool of the window (disk and lock reading that may be slow).
void runInBackground(std::function<void()> work);
// Lives on the window's thread as long as the program; receives results.
[[nodiscard]] QObject* windowThreadObject();
// Waits for work under way; called by the program before it ends.
void finishBackground();

// Runs `work` in the background and hands its result to `then` on the window's thread, unless
// `context` is gone by then.
template <class Work, class Then>
void inBackground(QObject* context, Work work, Then then) {
    using Value = std::invoke_result_t<Work>;
    // The guard is looked at on the window's thread only.
    auto guard = std::make_shared<QPointer<QObject>>(context);
    runInBackground([guard, work = std::move(work), then = std::move(then)]() mutable {
        auto value = std::make_shared<Value>(work());
        QMetaObject::invokeMethod(
            windowThreadObject(),
            [guard, value, then = std::move(then)]() mutable {
                if (*guard) {
                    then(std::move(*value));
                }
            },
            Qt::QueuedConnection);
    });
}

} // namespace vitrine::ui
