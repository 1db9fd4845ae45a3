// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/view/view_host.h"

#include <QStringList>
#include <QWindow>

#include <utility>

namespace vitrine::vz::test {

// What the surface asks of the view, told by the test.
struct Seen {
    QStringList calls;
    ViewHost::Events events;
    const Machine* machine = nullptr;
    bool canRefit = true;
    QSize guest{1024, 768};
    QSize view{2048, 1152};
    QImage picture;
};

class FakeViewHost final : public ViewHost {
public:
    explicit FakeViewHost(Seen& seen)
        : m_seen(seen) {}
    ~FakeViewHost() override { m_seen.calls << QStringLiteral("gone"); }
    void setEvents(Events events) override { m_seen.events = std::move(events); }
    QWindow* takeWindow() override { return new QWindow; }
    void setMachine(const Machine* machine) override {
        m_seen.machine = machine;
        m_seen.calls << (machine != nullptr ? QStringLiteral("show") : QStringLiteral("clear"));
    }
    void setHidden(bool hidden) override { note("hidden", hidden); }
    void setCapturesSystemKeys(bool captures) override { note("captures", captures); }
    void setRefit(bool refit) override { note("refit", refit); }
    [[nodiscard]] bool canRefit() const override { return m_seen.canRefit; }
    void takeFocus() override { m_seen.events.focusChanged(true); }
    void giveFocusBack() override { m_seen.events.focusChanged(false); }
    void sendKey(quint16 code, bool pressed) override {
        m_seen.calls
            << QStringLiteral("%1%2").arg(pressed ? QLatin1Char('+') : QLatin1Char('-')).arg(code);
    }
    [[nodiscard]] QSize guestSize() const override { return m_seen.guest; }
    [[nodiscard]] QSize viewSize() const override { return m_seen.view; }
    [[nodiscard]] QImage picture() const override { return m_seen.picture; }

private:
    void note(const char* what, bool on) {
        m_seen.calls << QStringLiteral("%1 %2").arg(QLatin1String(what)).arg(int{on});
    }
    Seen& m_seen;
};

} // namespace vitrine::vz::test
