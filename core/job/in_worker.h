// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QThread>

#include <memory>
#include <type_traits>
#include <utility>

namespace vitrine {

// Runs `work` on a thread of its own and hands its result to `then` on the thread of `context`,
// unless that is gone by then. For what may take long on a slow disk: who has an event loop goes
// on answering meanwhile.
template <class Work, class Then>
void inWorker(QObject* context, Work work, Then then) {
    using Value = std::invoke_result_t<Work>;
    auto value = std::make_shared<std::unique_ptr<Value>>();
    QThread* const thread = QThread::create(
        [value, work = std::move(work)]() mutable { *value = std::make_unique<Value>(work()); });
    QObject::connect(thread, &QThread::finished, thread, &QObject::deleteLater);
    QObject::connect(
        thread,
        &QThread::finished,
        context,
        [value, then = std::move(then)]() mutable { then(std::move(**value)); },
        Qt::QueuedConnection);
    thread->start();
}

} // namespace vitrine
