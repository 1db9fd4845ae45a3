// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/machine.h"

#include <QFile>
#include <QHash>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <utility>

namespace vitrine::vz::test {

// Notes what is asked of it and answers from the event loop: well, or with a failure that was set
// for that operation. Operations of `holds` are answered only by release().
class FakeVzMachine : public Machine {
public:
    ~FakeVzMachine() override {
        if (gone)
            gone(*this);
    }
    void setEvents(MachineEvents* wanted) override { events = wanted; }
    VmState state() const override { return current; }
    void start(bool recovery, Completion done) override {
        answer(recovery ? "start-recovery" : "start", VmState::Running, std::move(done));
    }
    void pause(Completion done) override { answer("pause", VmState::Paused, std::move(done)); }
    void resume(Completion done) override { answer("resume", VmState::Running, std::move(done)); }
    void stop(Completion done) override { answer("stop", VmState::Stopped, std::move(done)); }
    void requestStop(Completion done) override { answer("button", current, std::move(done)); }
    void save(const QString& path, Completion done) override {
        QFile file(path);
        if (!failures.contains(QStringLiteral("save")) && file.open(QIODevice::WriteOnly))
            file.write("state");
        answer("save", VmState::Paused, std::move(done));
    }
    void restore(const QString& path, Completion done) override {
        restoredFrom = path;
        restoredFile = QFile::exists(path);
        answer("restore", VmState::Paused, std::move(done));
    }
    Result<> setShare(const ShareDevice& device) override {
        asked << QStringLiteral("share:") + device.tag;
        if (refusesShares)
            return fail(vitrine::Error::Kind::Unsupported, QStringLiteral("No."));
        return {};
    }
    Result<> setAttachment(int card, const NetworkCard& attachment) override {
        asked << QStringLiteral("card%1:%2").arg(card).arg(attachment.macAddress.toText());
        return {};
    }
    Result<> resizeDisplay(PixelSize) override { return {}; }
    Result<> setBalloon(ByteCount) override { return {}; }
    void connectVsock(quint32, Connection) override {}
    Result<> listenVsock(quint32, Incoming) override { return {}; }

    std::function<void(const FakeVzMachine&)> gone; // called as its last act
    QStringList asked;
    void release() {
        holds.clear();
        for (const auto& one : std::exchange(m_held, {}))
            one();
    }
    QStringList holds;
    QHash<QString, int> failures; // operation to code of VZErrorDomain
    bool refusesShares = false;
    QString restoredFrom;
    bool restoredFile = false;
    MachineEvents* events = nullptr;
    VmState current = VmState::Stopped;

private:
    void answer(const char* operation, VmState after, Completion done) {
        const QString name = QLatin1String(operation);
        asked << name;
        std::optional<VzFailure> failure;
        if (failures.contains(name))
            failure = VzFailure{QLatin1String(vzErrorDomain), failures.value(name), {}, {}};
        const auto tell = [this, after, failure, done = std::move(done)] {
            if (!failure && current != after) {
                current = after;
                if (events)
                    events->stateChanged(after);
            }
            done(failure);
        };
        if (holds.contains(name))
            m_held << tell;
        else
            QTimer::singleShot(0, &m_context, tell);
    }
    QList<std::function<void()>> m_held;
    QObject m_context; // gone with this
};

} // namespace vitrine::vz::test
