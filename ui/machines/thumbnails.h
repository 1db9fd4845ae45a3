// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QImage>
#include <QObject>
#include <QSet>
#include <QSize>
#include <QStringList>
#include <QTimer>

namespace vitrine::ui {

class MachineClients;

// Small pictures of the screens of running machines: every 5 s for the rows in view, every 2 s for
// the one whose page is open. Fetched over the control socket, decoded on another thread.
class Thumbnails final : public QObject {
    Q_OBJECT
public:
    explicit Thumbnails(MachineClients* clients, QObject* parent = nullptr);

    void setNamesInView(const QStringList& names);
    // The machine whose larger picture is shown; empty for none.
    void setLargeName(const QString& name);
    // At most `smallSize()` in device pixels; null while there is none.
    [[nodiscard]] QImage small(const QString& name) const { return m_small.value(name); }
    [[nodiscard]] QImage large() const { return m_large; }
    [[nodiscard]] QSize guestSize() const { return m_guestSize; } // of the large picture's screen
    // Nothing is fetched while the window is hidden.
    void setActive(bool active);

Q_SIGNALS:
    void changed(const QString& name);
    void largeChanged();

private:
    void fetchVisible();
    void fetch(const QString& name);
    void decoded(const QString& name, const QImage& small, const QImage& large, QSize guest);

    MachineClients* m_clients;
    QStringList m_inView;
    QString m_largeName;
    QHash<QString, QImage> m_small;
    QSet<QString> m_underWay;
    QImage m_large;
    QSize m_guestSize;
    QTimer m_viewTimer{this};
    QTimer m_largeTimer{this};
    bool m_active = true;
};

} // namespace vitrine::ui
