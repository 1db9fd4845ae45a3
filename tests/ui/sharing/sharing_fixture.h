// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/ui/shell/window_fixture.h"
#include "ui/console/console_page.h"
#include "ui/sharing/share_table.h"
#include "ui/sharing/sharing_page.h"
#include "ui/widgets/message_bar.h"

#include <QPushButton>

#include <optional>

namespace vitrine::test {

inline ShareStatus shareOf(const char* name, ShareState state, bool readOnly = true) {
    ShareStatus share;
    share.spec.tag = QLatin1String(name);
    share.spec.path = QLatin1String("/srv/") + QLatin1String(name);
    share.spec.readOnly = readOnly;
    share.guestPath = share.spec.guestPath();
    share.state = state;
    return share;
}

// The window with a fake machine, "web", whose process knows shares and keeps what it is asked.
class SharingTest : public WindowTest {
protected:
    void run(const QList<ShareStatus>& shares) {
        small.add(QStringLiteral("web"));
        fake = std::make_unique<FakeMachine>(small.library, QStringLiteral("web"));
        told.shares = shares;
        told.transport = QStringLiteral("virtiofs");
        ASSERT_TRUE(fake->start());
        ControlServer& server = fake->server();
        server.on(QStringLiteral("share.list"),
                  [this](const QJsonObject&, const ControlServer::Respond& respond) {
                      respond(told.toJson());
                  });
        for (const char* method : {"share.add", "share.remove", "share.change", "share.mount"})
            server.on(QLatin1String(method),
                      [this, method](const QJsonObject& parameters,
                                     const ControlServer::Respond& respond) {
                          asked.append({QLatin1String(method), parameters});
                          if (answer)
                              respond(fail(*answer));
                          else
                              respond(reply);
                      });
        open();
        select(QStringLiteral("web"));
        ASSERT_TRUE(waitUntil([this] {
            const MachineClient* client = clients->client(QStringLiteral("web"));
            return client != nullptr && client->supports(QStringLiteral("share.add"));
        }));
        window->showMachine(QStringLiteral("web"), ui::MachinePage::Tab::Sharing);
        page = window->machinePage()->sharing();
        ASSERT_TRUE(waitUntil([this] { return page->table()->shares() == told.shares; }));
    }
    void TearDown() override {
        WindowTest::TearDown();
        fake.reset();
    }
    // A layout shows a new button a moment after it was added.
    static void click(const ui::MessageBar* message, const char* text) {
        QPushButton* found = nullptr;
        EXPECT_TRUE(waitUntil([&] {
            for (QPushButton* button : message->findChildren<QPushButton*>())
                if (button->text() == QLatin1String(text) && button->isVisible())
                    found = button;
            return found != nullptr;
        })) << "no button "
            << text;
        if (found)
            found->click();
    }

    struct Asked {
        QString method;
        QJsonObject parameters;
    };
    std::unique_ptr<FakeMachine> fake;
    ShareList told;
    QList<Asked> asked;
    QJsonValue reply = QJsonObject();
    std::optional<Error> answer;
    ui::SharingPage* page = nullptr;
};

} // namespace vitrine::test
