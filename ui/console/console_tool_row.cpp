// SPDX-License-Identifier: Apache-2.0
#include "ui/console/console_tool_row.h"

#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QPainter>

#include <cmath>

namespace vitrine::ui {

namespace {

constexpr int rowHeight = 40; // pixels

QPushButton* segmentButton(const QString& text, Segment segment, QWidget* parent) {
    QPushButton* button = smallButton(text, {}, parent);
    button->setCheckable(true);
    button->setProperty(property::segment, static_cast<int>(segment));
    return button;
}

QString tip(const QString& text, const QKeySequence& keys) {
    return QStringLiteral("%1 (%2)").arg(text, keys.toString(QKeySequence::NativeText));
}

} // namespace

ConsoleToolRow::ConsoleToolRow(QWidget* parent)
    : QWidget(parent)
    , m_screen(segmentButton(tr("Screen"), Segment::First, this))
    , m_serial(segmentButton(tr("Serial"), Segment::Last, this))
    , m_fit(segmentButton(tr("Fit"), Segment::First, this))
    , m_natural(segmentButton(tr("1:1"), Segment::Middle, this))
    , m_follow(segmentButton(tr("Follow Window"), Segment::Last, this))
    , m_scale(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_lock(new GlyphLabel(this))
    , m_reason(new ElidedLabel({}, Qt::ElideRight, TextSize::Small, TextTone::Secondary, this))
    , m_keys(smallButton(tr("Send Keys"), u"keyboard", this))
    , m_keysMenu(new QMenu(this))
    , m_picture(iconButton(tr("Save a picture of the screen"), u"snapshot", this))
    , m_fullScreen(iconButton(tr("Full screen"), u"fullscreen", this)) {
    setFixedHeight(rowHeight);
    m_screen->setChecked(true);
    m_serial->setEnabled(false);
    const QString serialReason = tr("The serial console is written to the machine's log. This "
                                    "version cannot show it here.");
    m_serial->setToolTip(serialReason);
    m_serial->setStatusTip(serialReason);
    m_serial->setAccessibleDescription(serialReason);
    m_fit->setToolTip(tr("Show the whole screen in the room there is."));
    m_natural->setToolTip(tr("Show one pixel of the guest as one pixel of this screen."));
    m_lock->setIcon(u"lock", 16);
    m_keys->setFlat(true);
    m_keys->setMenu(m_keysMenu);
    m_keys->setToolTip(tr("Send keys that would otherwise stay on this computer."));
    m_picture->setToolTip(
        tip(m_picture->toolTip(), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)));
    m_fullScreen->setToolTip(tip(m_fullScreen->toolTip(), QKeySequence(Qt::Key_F11)));

    auto* shown = new QButtonGroup(this);
    shown->addButton(m_screen);
    shown->addButton(m_serial);
    auto* scalings = new QButtonGroup(this);
    for (QPushButton* button : {m_fit, m_natural, m_follow}) {
        scalings->addButton(button);
    }
    m_fit->setChecked(true);

    const auto group = [this](std::initializer_list<QWidget*> buttons) {
        auto* layout = new QHBoxLayout;
        layout->setSpacing(0);
        for (QWidget* button : buttons) {
            layout->addWidget(button);
        }
        return layout;
    };
    auto* size = new TextLabel(tr("Size"), TextSize::Small, TextTone::Secondary, this);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2 * spacing::grid, 0, 2 * spacing::grid, 1);
    layout->setSpacing(spacing::grid);
    layout->addLayout(group({m_screen, m_serial}));
    layout->addSpacing(2 * spacing::grid);
    layout->addWidget(size);
    layout->addLayout(group({m_fit, m_natural, m_follow}));
    layout->addWidget(m_scale);
    layout->addWidget(m_lock);
    layout->addWidget(m_reason, 1);
    layout->addStretch();
    layout->addWidget(m_keys);
    layout->addWidget(m_picture);
    layout->addWidget(m_fullScreen);

    connect(m_fit, &QPushButton::clicked, this, [this] {
        Q_EMIT scalingRequested(ConsoleSurface::Scaling::Fit);
    });
    connect(m_natural, &QPushButton::clicked, this, [this] {
        Q_EMIT scalingRequested(ConsoleSurface::Scaling::Natural);
    });
    connect(m_follow, &QPushButton::clicked, this, [this] {
        Q_EMIT scalingRequested(ConsoleSurface::Scaling::Follow);
    });
    connect(m_picture, &QToolButton::clicked, this, &ConsoleToolRow::pictureRequested);
    connect(m_fullScreen, &QToolButton::clicked, this, &ConsoleToolRow::fullScreenRequested);
    fillKeysMenu();
    setScaling(ConsoleSurface::Scaling::Fit, 0, {});
    setLive(false);
}

void ConsoleToolRow::fillKeysMenu() {
    for (const QList<KeyCombination>& combinations : sendableCombinations()) {
        if (!m_keysMenu->isEmpty()) {
            m_keysMenu->addSeparator();
        }
        for (const KeyCombination& combination : combinations) {
            QAction* action = m_keysMenu->addAction(combination.text);
            connect(action, &QAction::triggered, this, [this, combination] {
                Q_EMIT keysRequested(combination);
            });
        }
    }
}

void ConsoleToolRow::setScaling(ConsoleSurface::Scaling scaling,
                                double scale,
                                const QString& followReason) {
    button(scaling)->setChecked(true);
    const int percent = static_cast<int>(std::lround(scale * 100));
    m_scale->setText(scale > 0 ? tr("at %1 %").arg(QLocale().toString(percent)) : QString());
    m_follow->setEnabled(followReason.isEmpty());
    const QString what = tr("Ask the guest to take the size of this window.");
    m_follow->setToolTip(followReason.isEmpty() ? what : followReason);
    m_follow->setStatusTip(m_follow->toolTip());
    m_follow->setAccessibleDescription(m_follow->toolTip());
    m_lock->setVisible(!followReason.isEmpty());
    m_reason->setVisible(!followReason.isEmpty());
    m_reason->setText(followReason);
}

void ConsoleToolRow::setLive(bool live) {
    m_keys->setEnabled(live);
    m_picture->setEnabled(live);
    m_fullScreen->setEnabled(live);
    const QString reason = live ? QString() : tr("The machine shows no screen now.");
    for (QWidget* widget : {static_cast<QWidget*>(m_keys),
                            static_cast<QWidget*>(m_picture),
                            static_cast<QWidget*>(m_fullScreen)}) {
        widget->setStatusTip(reason);
    }
}

void ConsoleToolRow::setFullScreen(bool fullScreen) {
    m_fullScreen->setChecked(fullScreen);
}

QAbstractButton* ConsoleToolRow::button(ConsoleSurface::Scaling scaling) const {
    switch (scaling) {
    case ConsoleSurface::Scaling::Natural:
        return m_natural;
    case ConsoleSurface::Scaling::Follow:
        return m_follow;
    case ConsoleSurface::Scaling::Fit:
        break;
    }
    return m_fit;
}

QString ConsoleToolRow::scaleText() const {
    return m_scale->text();
}

void ConsoleToolRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.separator);
}

} // namespace vitrine::ui
