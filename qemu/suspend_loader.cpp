// SPDX-License-Identifier: Apache-2.0
#include "qemu/suspend_loader.h"

#include "qemu/suspend_steps.h"

namespace vitrine::qemu {

namespace {
constexpr int pollPeriod = 20;       // ms
constexpr int answerTimeout = 60000; // ms; QEMU answers between pieces of the state
} // namespace

SuspendLoader::SuspendLoader(QmpClient* qmp, Hooks hooks, QObject* parent)
    : QObject(parent)
    , m_qmp(qmp)
    , m_hooks(std::move(hooks)) {
    m_poll.setSingleShot(true);
    connect(&m_poll, &QTimer::timeout, this, &SuspendLoader::poll);
}

void SuspendLoader::begin(std::function<void(Result<>)> done) {
    m_done = std::move(done);
    stepReached("started");
    poll();
}

void SuspendLoader::poll() {
    m_qmp->execute(
        QStringLiteral("query-status"),
        {},
        [this](const Result<QJsonValue>& answer) {
            if (!answer) {
                m_done(fail(answer.error()));
                return;
            }
            const QString status = answer->toObject().value(QLatin1String("status")).toString();
            if (status == QLatin1String("inmigrate")) {
                m_poll.start(pollPeriod);
                return;
            }
            stepReached("loaded");
            if (Result<> marked = m_hooks.loaded(); !marked) {
                m_done(marked);
                return;
            }
            m_qmp->execute(QStringLiteral("cont"), {}, [this](const Result<QJsonValue>& continued) {
                if (!continued) {
                    m_done(fail(continued.error()));
                    return;
                }
                stepReached("going on");
                m_hooks.running();
                m_done({});
            });
        },
        answerTimeout);
}

} // namespace vitrine::qemu
