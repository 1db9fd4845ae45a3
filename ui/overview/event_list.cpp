// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/event_list.h"

#include "ui/overview/page_frame.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QJsonObject>
#include <QLocale>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace vitrine::ui {

namespace {

constexpr int fewEvents = 5;
constexpr int timeWidth = 80;

QString timeText(const QDateTime& time) {
    const QDate today = QDate::currentDate();
    const QDate day = time.date();
    if (!time.isValid())
        return {};
    if (day == today)
        return QLocale().toString(time.time(), QStringLiteral("HH:mm"));
    if (day == today.addDays(-1))
        return Tr::tr("Yesterday");
    return QLocale().toString(
        day, day.year() == today.year() ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

QWidget* makeRow(const EventList::Event& event, QWidget* parent) {
    auto* row = new QWidget(parent);
    row->setFixedHeight(std::max(spacing::tableRow - 1, row->fontMetrics().height() + 12));
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(spacing::grid, 0, spacing::grid, 0);
    layout->setSpacing(spacing::grid);
    auto* time = new TextLabel(timeText(event.time), TextSize::Body, TextTone::Secondary, row);
    time->setMinimumWidth(timeWidth - spacing::grid);
    time->setToolTip(QLocale().toString(event.time, QLocale::LongFormat));
    layout->addWidget(time);
    layout->addWidget(new GlyphLabel(EventList::glyphOf(event.kind), 12, row));
    layout->addSpacing(spacing::grid);
    layout->addWidget(
        new ElidedLabel(event.text, Qt::ElideRight, TextSize::Body, TextTone::Text, row), 1);
    return row;
}

} // namespace

Glyph EventList::glyphOf(const QString& kind) {
    const auto has = [&kind](QLatin1String word) {
        return kind.contains(word, Qt::CaseInsensitive);
    };
    if (has(QLatin1String("fail")) || has(QLatin1String("error")) || has(QLatin1String("crash")) ||
        has(QLatin1String("panic")) || has(QLatin1String("broken")))
        return Glyph::Broken;
    static constexpr std::array warnings{"warn",
                                         "force",
                                         "drop",
                                         "silent",
                                         "hang",
                                         "ignored",
                                         "full",
                                         "missing",
                                         "refused",
                                         "network-ended"};
    if (std::any_of(warnings.begin(), warnings.end(), [&has](const char* word) {
            return has(QLatin1String(word));
        }))
        return Glyph::Warning;
    if (has(QLatin1String("resume")) || has(QLatin1String("start")) ||
        has(QLatin1String("running")))
        return Glyph::Running;
    if (has(QLatin1String("pause")))
        return Glyph::Paused;
    if (has(QLatin1String("suspend")))
        return Glyph::Suspended;
    if (has(QLatin1String("shut")) || has(QLatin1String("stop")) || has(QLatin1String("off")) ||
        has(QLatin1String("end")))
        return Glyph::Stopped;
    return Glyph::Done;
}

QList<EventList::Event> EventList::fromJson(const QJsonArray& events) {
    QList<Event> list;
    for (const QJsonValue& value : events) {
        const QJsonObject object = value.toObject();
        const QString text = object.value(QLatin1String("text")).toString();
        if (text.isEmpty())
            continue;
        list.prepend({QDateTime::fromString(object.value(QLatin1String("time")).toString(),
                                            Qt::ISODateWithMs)
                          .toLocalTime(),
                      object.value(QLatin1String("kind")).toString(),
                      text.left(2000)});
    }
    return list;
}

EventList::EventList(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QVBoxLayout(this))
    , m_showAll(linkButton(tr("Show all"), this))
    , m_empty(
          new TextLabel(tr("Nothing happened yet."), TextSize::Small, TextTone::Secondary, this)) {
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(spacing::tight);
    auto* top = new QHBoxLayout;
    TextLabel* heading = sectionHeading(tr("Last events"), this);
    heading->setMinimumHeight(headingHeight()); // also without the button beside it
    top->addWidget(heading);
    top->addStretch();
    top->addWidget(m_showAll);
    m_showAll->setAccessibleName(tr("Show all events"));
    m_layout->addLayout(top);
    m_layout->addWidget(m_empty);
    m_layout->addStretch();
    connect(m_showAll, &QPushButton::clicked, this, [this] {
        m_all = !m_all;
        rebuild();
    });
    rebuild();
}

void EventList::setEvents(const QList<Event>& events) {
    if (m_events == events)
        return;
    m_events = events;
    rebuild();
}

void EventList::rebuild() {
    const int shown = m_all ? static_cast<int>(m_events.size())
                            : std::min<int>(fewEvents, static_cast<int>(m_events.size()));
    // All rows come in one piece: each one added to a page that is shown would lay it out again.
    auto* rows = new QWidget;
    auto* lines = new QVBoxLayout(rows);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    for (int i = 0; i < shown; ++i) {
        lines->addWidget(makeRow(m_events.at(i), rows));
        lines->addWidget(new Hairline(Qt::Horizontal, rows));
    }
    if (m_rows != nullptr) {
        m_rows->hide();
        m_rows->deleteLater();
    }
    m_rows = rows;
    m_layout->insertWidget(1, m_rows);
    m_rows->setVisible(shown > 0);
    m_empty->setVisible(m_events.isEmpty());
    m_showAll->setVisible(m_events.size() > fewEvents);
    m_showAll->setText(m_all ? tr("Show fewer") : tr("Show all"));
}

} // namespace vitrine::ui
