// SPDX-License-Identifier: Apache-2.0
#include "ui/signin/sign_in_dialog.h"

#include "core/registry/image_pull.h"
#include "core/registry/registry_settings.h"
#include "ui/machines/background.h"
#include "ui/pull/pull_job.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/message_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

SignInDialog::SignInDialog(const QString& host, bool insecure, QWidget* parent)
    : QDialog(parent)
    , m_host(host)
    , m_insecure(insecure)
    , m_user(new QLineEdit(this))
    , m_password(new QLineEdit(this))
    , m_store(new QComboBox(this))
    , m_validate(new QCheckBox(tr("Try them with the registry first"), this))
    , m_warning(new QLabel(
          tr("This registry is used without encryption: the password can be read on the way."),
          this))
    , m_message(new MessageBar(this))
    , m_signIn(primaryButton(tr("Sign In"), {}, this)) {
    setWindowTitle(tr("Sign In to %1").arg(host));
    setMinimumWidth(480);
    setBackgroundRole(QPalette::Base);
    m_user->setAccessibleName(tr("User name"));
    m_password->setAccessibleName(tr("Password or token"));
    m_password->setEchoMode(QLineEdit::Password);
    m_user->setMaxLength(8192);
    m_password->setMaxLength(8192);
    m_store->addItem(tr("In the system's secret store"),
                     static_cast<int>(StoreKind::SecretService));
    m_store->addItem(tr("In a file only you can read, not encrypted"),
                     static_cast<int>(StoreKind::File));
    m_store->setAccessibleName(tr("Where to keep the password"));
    m_validate->setChecked(true);
    m_warning->setWordWrap(true);
    m_warning->setVisible(insecure);

    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->setHorizontalSpacing(spacing::block);
    form->setVerticalSpacing(spacing::grid);
    form->addRow(tr("&User name"), m_user);
    form->addRow(tr("&Password or token"), m_password);
    form->addRow(tr("&Keep it"), m_store);
    form->addRow(QString(), m_validate);
    form->addRow(QString(), m_warning);
    if (!insecure)
        inBackground(
            this,
            [host] { return RegistrySettingsFile(defaultRegistrySettingsFile()).find(host); },
            [this](const Result<RegistrySettings>& settings) {
                m_warning->setVisible(settings && settings->insecure);
                fitHeight();
            });

    auto* cancel = normalButton(tr("Cancel"), {}, this);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(spacing::grid);
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_signIn);
    m_signIn->setEnabled(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    layout->setSpacing(spacing::block);
    layout->addLayout(form);
    layout->addWidget(m_message);
    layout->addStretch();
    layout->addLayout(buttons);

    const auto check = [this] {
        m_signIn->setEnabled(!m_job && !m_user->text().isEmpty() && !m_password->text().isEmpty());
    };
    connect(m_user, &QLineEdit::textChanged, this, check);
    connect(m_password, &QLineEdit::textChanged, this, check);
    connect(m_signIn, &QPushButton::clicked, this, &SignInDialog::signIn);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
}

SignInDialog::~SignInDialog() = default;

void SignInDialog::signIn() {
    const QString user = m_user->text();
    const QString password = m_password->text();
    const auto kind = static_cast<StoreKind>(m_store->currentData().toInt());
    RegistryOptions options = registryOptions(m_insecure, this);
    options.credentials = [user, password](const QString&) -> Result<std::optional<Credentials>> {
        return Credentials{user, password, {}, {}};
    };
    const bool validate = m_validate->isChecked();
    m_job = std::make_unique<Job>(
        QStringLiteral("sign-in"),
        windowTitle(),
        QString(),
        [host = m_host, options, validate, kind, user, password](const JobContext&) -> Result<> {
            if (validate)
                if (const auto valid = validateLogin(host, options); !valid)
                    return fail(valid.error());
            return storeCredentials(kind, host, user, password);
        });
    connect(m_job.get(), &Job::finished, this, &SignInDialog::finished, Qt::QueuedConnection);
    setBusy(true);
    m_job->start();
}

void SignInDialog::finished() {
    const std::unique_ptr<Job> job = std::move(m_job);
    setBusy(false);
    if (job->state() == Job::State::Succeeded) {
        accept();
        return;
    }
    m_message->showError(job->error());
    fitHeight();
}

void SignInDialog::fitHeight() {
    layout()->activate();
    resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void SignInDialog::setBusy(bool busy) {
    for (QWidget* field :
         std::initializer_list<QWidget*>{m_user, m_password, m_store, m_validate, m_signIn})
        field->setEnabled(!busy);
    m_signIn->setText(busy ? tr("Signing In…") : tr("Sign In"));
    if (busy)
        m_message->clear();
}

} // namespace vitrine::ui
