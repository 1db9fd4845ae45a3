// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"

#include <QDateTime>
#include <QJsonArray>
#include <QList>
#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace vitrine::ui {

class TextLabel;

// What happened to a machine lately, newest first: time, shape, sentence.
class EventList final : public QWidget {
    Q_OBJECT
public:
    struct Event {
        QDateTime time;
        QString kind; // stable word of the machine's process
        QString text; // plain text
        friend bool operator==(const Event&, const Event&) = default;
    };
    explicit EventList(QWidget* parent = nullptr);
    void setEvents(const QList<Event>& events); // newest first

    // Of vitrine.json; newest first.
    [[nodiscard]] static QList<Event> fromJson(const QJsonArray& events);
    [[nodiscard]] static Glyph glyphOf(const QString& kind);

private:
    void rebuild();
    QList<Event> m_events;
    bool m_all = false;
    QVBoxLayout* m_layout;
    QPushButton* m_showAll;
    QWidget* m_rows = nullptr; // made anew when the events change
    TextLabel* m_empty;
};

} // namespace vitrine::ui
