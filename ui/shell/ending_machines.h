// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>

namespace vitrine::ui {

class MachineClients;

// Ends machines that this process hosts and waits for them: suspended, or shut down. One that does
// not end is told and still waited for. Window thread; destroying it ends the waiting, not what
// the machines were asked for.
class EndingMachines final : public QObject {
    Q_OBJECT
public:
    struct Wish {
        QStringList suspend;
        QStringList shutDown;
    };
    // `clients` outlives it. Nothing is asked before start().
    EndingMachines(MachineClients* clients, Wish wish, QObject* parent = nullptr);

    void start();
    [[nodiscard]] const QStringList& left() const { return m_left; }
    [[nodiscard]] qsizetype count() const { return m_count; }
    // Those that refused or do not react, with the last reason.
    [[nodiscard]] const QStringList& stuck() const { return m_stuck; }
    [[nodiscard]] QString reason() const { return m_reason; }
    void forceOffStuck();

Q_SIGNALS:
    void changed(); // left() or stuck()
    void finished();

private:
    void look();
    void stick(const QString& name, const QString& reason);
    MachineClients* m_clients;
    Wish m_wish;
    QStringList m_left;
    QStringList m_stuck;
    QString m_reason;
    qsizetype m_count;
};

} // namespace vitrine::ui
