// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/host_services.h"

#include <QFile>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

// Stand-ins for what making a machine needs of a Mac. Answers come from the event loop.
namespace vitrine::vz::test {

inline std::optional<VzFailure> failureOf(int code) {
    return code == 0 ? std::nullopt
                     : std::optional(VzFailure{QLatin1String(vzErrorDomain), code, {}, {}});
}

class FakeRestoreImages final : public RestoreImages {
public:
    static RestoreImage image() {
        RestoreImage image;
        image.location = QStringLiteral("https://updates.example.com/mac.ipsw");
        image.build = QStringLiteral("24F74");
        image.version = {15, 5, 0};
        image.supported = true;
        image.requirements = MacRequirements{"model", true, 2, ByteCount::fromMiB(4096)};
        return image;
    }
    void load(const QString& path, Answer answer) override {
        loaded << path;
        tell(loadFails, std::move(answer));
    }
    void latest(Answer answer) override {
        if (!neverAnswers)
            tell(latestFails, std::move(answer));
    }

    RestoreImage found = image();
    int loadFails = 0; // codes of VZErrorDomain
    int latestFails = 0;
    bool neverAnswers = false;
    QStringList loaded;

private:
    void tell(int fails, Answer answer) const {
        QTimer::singleShot(0, [fails, image = found, answer = std::move(answer)] {
            if (const auto failure = failureOf(fails))
                answer(tl::unexpected(*failure));
            else
                answer(image);
        });
    }
};

class FakeMacFiles final : public MacFiles {
public:
    QByteArray newMachineIdentifier() const override { return "identifier 1"; }
    Result<> createAuxiliaryStorage(const QString& path, const QByteArray& wanted) override {
        model = wanted;
        if (failure)
            return fail(*failure);
        return write(path, leavesEmpty ? QByteArray() : QByteArray("auxiliary storage"));
    }
    Result<> createVariableStore(const QString& path) override {
        return write(path, "variable store");
    }

    QByteArray model;
    std::optional<vitrine::Error> failure;
    bool leavesEmpty = false;

private:
    static Result<> write(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        if (file.exists() || !file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            return fail(vitrine::Error::Kind::AlreadyExists, QStringLiteral("It is there."));
        return {};
    }
};

// What is asked of an installer and how it goes.
struct FakeInstallation {
    int fails = 0; // code of VZErrorDomain at its end
    std::function<void()> atStart;
    bool started = false;
    bool cancelled = false;
    int alive = 0; // installers that have the files open
    MachinePlan plan;
    QString image;
};

// Tells half, then steps back, then all, then ends.
class FakeInstaller final : public Installer {
public:
    explicit FakeInstaller(FakeInstallation& about)
        : m_about(about) {
        ++m_about.alive;
    }
    ~FakeInstaller() override { --m_about.alive; }
    FakeInstaller(const FakeInstaller&) = delete;
    FakeInstaller& operator=(const FakeInstaller&) = delete;

    void start(const MachinePlan& plan,
               const QString& restoreImage,
               std::function<void(double)> progress,
               std::function<void(std::optional<VzFailure>)> done) override {
        m_about.started = true;
        m_about.plan = plan;
        m_about.image = restoreImage;
        m_progress = std::move(progress);
        m_done = std::move(done);
        if (m_about.atStart)
            m_about.atStart();
        QTimer::singleShot(0, &m_context, [this] { step(0.5); });
    }
    void cancel() override {
        m_about.cancelled = true;
        end(VzCancelled);
    }

private:
    void step(double fraction) {
        if (m_over)
            return;
        m_progress(fraction);
        m_progress(fraction / 2);
        if (fraction < 1)
            QTimer::singleShot(0, &m_context, [this] { step(1); });
        else
            end(m_about.fails);
    }
    void end(int code) {
        if (!std::exchange(m_over, true))
            QTimer::singleShot(0, &m_context, [this, code] { m_done(failureOf(code)); });
    }

    FakeInstallation& m_about;
    std::function<void(double)> m_progress;
    std::function<void(std::optional<VzFailure>)> m_done;
    bool m_over = false;
    QObject m_context;
};

} // namespace vitrine::vz::test
