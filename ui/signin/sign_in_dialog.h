// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/credentials/credential_store.h"
#include "core/job/job.h"

#include <QDialog>

#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace vitrine::ui {

class MessageBar;

// Asks for user and password (or token) of a registry, tries them with the registry, stores them.
// Accepted only when both worked. Warns where the
// password goes without encryption, also when only the settings of registries say so. The work runs
// on a thread of its own; Cancel stops it.
class SignInDialog final : public QDialog {
    Q_OBJECT
public:
    SignInDialog(const QString& host, bool insecure, QWidget* parent = nullptr);
    ~SignInDialog() override;

private:
    void signIn();
    void finished();
    void setBusy(bool busy);
    void fitHeight(); // grows when a message needs it

    QString m_host;
    bool m_insecure;
    QLineEdit* m_user;
    QLineEdit* m_password;
    QComboBox* m_store;
    QCheckBox* m_validate;
    QLabel* m_warning; // shown when the registry is used without encryption
    MessageBar* m_message;
    QPushButton* m_signIn;
    std::unique_ptr<Job> m_job;
};

} // namespace vitrine::ui
