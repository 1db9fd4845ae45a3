// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/http_choice.h"

#include "core/registry/registry_settings.h"
#include "ui/machines/background.h"
#include "ui/theme/theme.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace vitrine::ui {

HttpChoice::HttpChoice(QWidget* parent)
    : QWidget(parent)
    , m_box(new QCheckBox(tr("Without encryption (http)"), this))
    , m_reason(helpLabel({}, this))
    , m_always(new QCheckBox(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::tight);
    layout->addWidget(m_box);
    layout->addWidget(m_reason);
    layout->addWidget(m_always);
    connect(m_box, &QCheckBox::toggled, this, [this](bool on) {
        m_byHand = on;
        refresh();
        Q_EMIT changed();
    });
    connect(m_always, &QCheckBox::toggled, this, [this](bool on) {
        if (!on && m_kept)
            forget();
    });
    refresh();
}

void HttpChoice::setHost(const QString& host) {
    if (host == m_host)
        return;
    m_host = host;
    m_kept = false;
    m_problem.clear();
    {
        const QSignalBlocker quiet(m_always);
        m_always->setChecked(false);
    }
    refresh();
    readSettings();
}

void HttpChoice::setInsecure(bool insecure) {
    m_box->setChecked(insecure);
}

bool HttpChoice::isInsecure() const {
    return m_box->isChecked();
}

bool HttpChoice::isToBeKept() const {
    return isInsecure() && !m_kept && m_always->isChecked();
}

void HttpChoice::readSettings() {
    if (m_host.isEmpty())
        return;
    inBackground(
        this,
        [host = m_host] { return RegistrySettingsFile(defaultRegistrySettingsFile()).find(host); },
        [this, host = m_host](const Result<RegistrySettings>& settings) {
            if (host != m_host ||
                !settings) // a file that cannot be read stops the plan, which says
                return;    // why
            m_kept = settings->insecure;
            refresh();
        });
}

void HttpChoice::forget() {
    m_kept = false;
    m_byHand = true; // this pull goes on as it was planned
    refresh();
    inBackground(
        this,
        [host = m_host]() -> Result<> {
            const RegistrySettingsFile file(defaultRegistrySettingsFile());
            auto settings = file.find(host);
            if (!settings)
                return fail(settings.error());
            settings->insecure = false;
            return file.store(host, *settings);
        },
        [this, host = m_host](const Result<>& stored) {
            if (stored || host != m_host)
                return;
            m_kept = true;
            m_problem = stored.error().message;
            refresh();
        });
}

void HttpChoice::refresh() {
    {
        const QSignalBlocker quiet(m_box);
        m_box->setChecked(m_kept || m_byHand);
    }
    m_box->setEnabled(!m_kept);
    if (m_kept) {
        const QSignalBlocker quiet(m_always);
        m_always->setChecked(true);
    }
    QString host = m_host;
    host.replace(QLatin1Char('&'), QLatin1String("&&"));
    m_always->setText(tr("&Always use http for %1").arg(host));
    m_always->setVisible(!m_host.isEmpty() && m_box->isChecked());
    const QString reason = !m_problem.isEmpty() ? m_problem
                           : m_kept ? tr("The settings of this registry say http. Untick "
                                         "the box below to use https again.")
                                    : QString();
    m_reason->setText(reason);
    m_reason->setTone(m_problem.isEmpty() ? TextTone::Secondary : TextTone::Error);
    m_reason->setVisible(!reason.isEmpty());
    m_box->setAccessibleDescription(reason);
}

} // namespace vitrine::ui
