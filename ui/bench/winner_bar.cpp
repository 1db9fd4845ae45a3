// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/winner_bar.h"

#include "core/machine/disk_durability.h"
#include "core/machine/sidecar.h"
#include "ui/machines/background.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

QString timesText(double times) {
    return QLocale().toString(times, 'f', 2);
}

} // namespace

WinnerBar::WinnerBar(const Services& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_question(new MessageBar(this))
    , m_apply(normalButton(tr("Apply the Winning Setting to This Machine…"), {}, this))
    , m_text(new TextLabel({}, TextSize::Small, TextTone::Secondary, this)) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::tight);
    layout->addWidget(m_question);
    layout->addWidget(m_apply, 0, Qt::AlignLeft);
    m_text->setWordWrap(true);
    layout->addWidget(m_text);
    connect(m_apply, &QPushButton::clicked, this, &WinnerBar::ask);
    hide();
}

void WinnerBar::clear() {
    m_question->clear();
    hide();
}

void WinnerBar::show(const MachineInfo& machine, const bench::Winner& winner) {
    const bool other =
        machine.directory != m_machine.directory || winner.executor != m_winner.executor;
    m_machine = machine;
    m_winner = winner;
    if (other)
        m_question->clear();
    const bool isClear = !winner.executor.isEmpty();
    m_apply->setEnabled(isClear);
    QString text = winner.reason;
    if (isClear) {
        text = tr("\"%1\" was %2 times as fast as \"%3\", over all workloads without doubt")
                   .arg(winner.identity.name, timesText(winner.faster.value), winner.nextOne);
        if (winner.faster.interval)
            text += tr(" (95 % interval %1 to %2)")
                        .arg(timesText(winner.faster.interval->low),
                             timesText(winner.faster.interval->high));
        text += QLatin1Char('.');
    }
    m_text->setText(text);
    m_apply->setAccessibleDescription(text);
    setVisible(true);
}

DiskOptions WinnerBar::optionsOfWinner() const {
    QStringList words;
    if (!m_winner.identity.sync.isEmpty())
        words.append(QStringLiteral("sync=") + m_winner.identity.sync);
    if (!m_winner.identity.caching.isEmpty())
        words.append(QStringLiteral("caching=") + m_winner.identity.caching);
    return DiskOptions::fromText(words.join(QLatin1Char(','))).value_or(DiskOptions{});
}

void WinnerBar::ask() {
    const DiskOptions options = optionsOfWinner();
    m_question->showMessage(isRisky(options) ? MessageBar::Kind::Warning : MessageBar::Kind::Info,
                            tr("Run the root disk of \"%1\" with \"%2\" from the next start on?")
                                .arg(m_machine.name, m_winner.identity.name),
                            durabilityText(options));
    m_question->addAction(tr("Apply"), [this] { apply(); });
    m_question->addAction(tr("Leave as It Is"), [this] { m_question->clear(); });
}

void WinnerBar::apply() {
    const DiskOptions options = optionsOfWinner();
    inBackground(
        this,
        [directory = m_machine.directory, options] {
            return Sidecar::update(directory, [&options](Sidecar& sidecar) {
                sidecar.run.rootDisk.synchronisation = options.synchronisation;
                sidecar.run.rootDisk.caching = options.caching; // "ro" stays
            });
        },
        [this, name = m_winner.identity.name](const Result<>& stored) {
            if (!stored) {
                m_question->showError(stored.error(), tr("The setting was not changed."));
                return;
            }
            m_question->showMessage(
                MessageBar::Kind::Info,
                {},
                tr("\"%1\" is stored. It counts from the next start on; Settings, Disks changes it "
                   "again.")
                    .arg(name));
            m_services.library->refresh();
        });
}

} // namespace vitrine::ui
