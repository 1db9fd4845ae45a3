// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/gui_support.h"
#include "ui/pull/pull_dialog.h"
#include "ui/theme/theme.h"
#include "ui/widgets/message_bar.h"

#include <QCheckBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTcpServer>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine::test {

// The dialogue over an empty library.
class PullDialogFixture : public testing::Test {
protected:
    void SetUp() override {
        ui::applyTheme(ui::SchemeChoice::Light);
        qputenv("HOME", QFile::encodeName(m_user.path())); // settings of its own
        auto library = Library::open(m_home.path());
        ASSERT_TRUE(library);
        m_model = std::make_unique<LibraryModel>(*library);
        m_services.library = m_model.get();
        m_services.jobs = &m_jobs;
        m_dialog = std::make_unique<ui::PullDialog>(m_services);
        m_dialog->show();
    }
    [[nodiscard]] QPushButton* button(const QString& begin) const {
        for (QPushButton* button : m_dialog->findChildren<QPushButton*>())
            if (button->text().remove(QLatin1Char('&')).startsWith(begin))
                return button;
        return nullptr;
    }
    [[nodiscard]] QPushButton* pull() const { return button(QStringLiteral("Pull")); }
    [[nodiscard]] QCheckBox* box(const QString& part) const {
        for (QCheckBox* box : m_dialog->findChildren<QCheckBox*>())
            if (box->text().contains(part))
                return box;
        return nullptr;
    }
    [[nodiscard]] QCheckBox* http() const { return box(QStringLiteral("(http)")); }
    [[nodiscard]] QCheckBox* always() const { return box(QStringLiteral("Always")); }
    [[nodiscard]] QCheckBox* machine() const { return box(QStringLiteral("machine named")); }
    [[nodiscard]] QLineEdit* field(const QString& name) const {
        for (QLineEdit* field : m_dialog->findChildren<QLineEdit*>())
            if (field->accessibleName() == name)
                return field;
        return nullptr;
    }
    [[nodiscard]] QLineEdit* machineName() const {
        return field(QStringLiteral("Name of the machine"));
    }
    [[nodiscard]] ui::MessageBar* bar() const { return m_dialog->findChild<ui::MessageBar*>(); }
    // Of a registry that is not there: nobody listens.
    [[nodiscard]] static QString nowhere() {
        QTcpServer server;
        server.listen(QHostAddress::LocalHost);
        return QStringLiteral("127.0.0.1:%1").arg(server.serverPort());
    }

    QTemporaryDir m_user;
    QTemporaryDir m_home;
    JobListModel m_jobs;
    std::unique_ptr<LibraryModel> m_model;
    ui::Services m_services;
    std::unique_ptr<ui::PullDialog> m_dialog;
};

} // namespace vitrine::test
