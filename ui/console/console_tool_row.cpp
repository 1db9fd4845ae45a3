// SPDX-License-Identifier: Apache-2.0
#include "ui/console/console_tool_row.h"

#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/copy_button.h"
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
#include <utility>

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
    , m_fullScreen(iconButton(tr("Full screen"), u"fullscreen", this))
    , m_clipboard(iconButton(tr("Share the clipboard"), u"clipboard", this))
    , m_size(new TextLabel(tr("Size"), TextSize::Small, TextTone::Secondary, this))
    , m_terminalText(
          new ElidedLabel({}, Qt::ElideMiddle, TextSize::Small, TextTone::Secondary, this))
    , m_copyPty(new CopyButton(tr("Copy the path of the terminal device"), this))
    , m_terminalMenu(smallButton(tr("Terminal"), u"terminal", this)) {
    setFixedHeight(rowHeight);
    m_screen->setChecked(true);
    m_screen->setToolTip(tr("Show the guest's screen."));
    m_serial->setToolTip(tr("Show the guest's serial console."));
    m_terminalMenu->setFlat(true);
    m_terminalMenu->setToolTip(tr("Copy, paste and clear."));
    m_clipboard->setCheckable(true);
    m_fit->setToolTip(tr("Show the whole screen in the room there is."));
    m_lock->setIcon(u"lock", 16);
    m_keys->setFlat(true);
    m_keys->setMenu(m_keysMenu);
    m_keys->setToolTip(tr("Send keys that would otherwise stay on this computer."));
    auto* pictureMenu = new QMenu(this);
    const auto addPicture = [&](const QString& text, const QKeySequence& keys, auto signal) {
        QAction* action = pictureMenu->addAction(text);
        action->setShortcut(keys); // shown only: the window's menu acts
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, signal);
    };
    addPicture(
        tr("Save Picture…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, &ConsoleToolRow::pictureRequested);
    addPicture(tr("Copy Picture"),
               Qt::CTRL | Qt::SHIFT | Qt::Key_G,
               &ConsoleToolRow::copyPictureRequested);
    m_picture->setMenu(pictureMenu);
    m_picture->setPopupMode(QToolButton::InstantPopup);
    m_picture->setToolTip(tr("Save or copy a picture of the screen"));
    m_fullScreen->setToolTip(tip(m_fullScreen->toolTip(), QKeySequence(Qt::Key_F11)));

    auto* shown = new QButtonGroup(this);
    shown->addButton(m_screen);
    shown->addButton(m_serial);
    auto* scalings = new QButtonGroup(this);
    for (QPushButton* button : {m_fit, m_natural, m_follow}) {
        scalings->addButton(button);
    }
    m_fit->setChecked(true);

    const auto group = [](std::initializer_list<QWidget*> buttons) {
        auto* layout = new QHBoxLayout;
        layout->setSpacing(0);
        for (QWidget* button : buttons) {
            layout->addWidget(button);
        }
        return layout;
    };
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2 * spacing::grid, 0, 2 * spacing::grid, 1);
    layout->setSpacing(spacing::grid);
    layout->addLayout(group({m_screen, m_serial}));
    layout->addSpacing(2 * spacing::grid);
    layout->addWidget(m_size);
    layout->addLayout(group({m_fit, m_natural, m_follow}));
    layout->addWidget(m_scale);
    layout->addWidget(m_lock);
    layout->addWidget(m_reason, 1);
    layout->addWidget(m_terminalText, 1);
    layout->addWidget(m_copyPty);
    layout->addStretch();
    layout->addWidget(m_terminalMenu);
    layout->addWidget(m_keys);
    layout->addWidget(m_clipboard);
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
    connect(m_screen, &QPushButton::clicked, this, [this] {
        Q_EMIT contentRequested(Content::Screen);
    });
    connect(m_serial, &QPushButton::clicked, this, [this] {
        Q_EMIT contentRequested(Content::Serial);
    });
    connect(m_clipboard, &QToolButton::clicked, this, &ConsoleToolRow::clipboardRequested);
    connect(m_terminalMenu, &QPushButton::clicked, this, [this] {
        Q_EMIT terminalMenuRequested(m_terminalMenu->mapToGlobal(QPoint(0, height())));
    });
    connect(m_fullScreen, &QToolButton::clicked, this, &ConsoleToolRow::fullScreenRequested);
    fillKeysMenu();
    m_ofScreen = {
        m_size, m_fit, m_natural, m_follow, m_scale, m_keys, m_clipboard, m_picture, m_fullScreen};
    m_ofSerial = {m_terminalText, m_terminalMenu};
    setContent(Content::Screen);
    setClipboard(false, tr("The machine does not run."));
    setScaling(ConsoleSurface::Scaling::Fit, 0, {});
    setNaturalReason({});
    setLive(false);
}

void ConsoleToolRow::setContent(Content content) {
    m_content = content;
    contentButton(content)->setChecked(true);
    const bool serial = content == Content::Serial;
    for (QWidget* widget : std::as_const(m_ofScreen)) {
        widget->setVisible(!serial);
    }
    for (QWidget* widget : std::as_const(m_ofSerial)) {
        widget->setVisible(serial);
    }
    m_copyPty->setVisible(serial && !m_copyPty->textToCopy().isEmpty());
    m_lock->setVisible(!serial && !m_followReason.isEmpty());
    m_reason->setVisible(!serial && !m_reason->text().isEmpty());
}

void ConsoleToolRow::setTerminal(const QString& size, const QString& pty) {
    m_terminalText->setText(pty.isEmpty()    ? size
                            : size.isEmpty() ? pty
                                             : tr("%1, also on %2").arg(size, pty));
    m_copyPty->setTextToCopy(pty);
    setContent(m_content);
}

void ConsoleToolRow::setClipboard(bool shared, const QString& reason) {
    m_clipboard->setEnabled(reason.isEmpty());
    m_clipboard->setChecked(shared && reason.isEmpty());
    const QString what = shared ? tr("The clipboard is shared with the guest while its screen has "
                                     "the keyboard: text, both ways. Click to keep it here.")
                                : tr("Share text on the clipboard with the guest.");
    m_clipboard->setToolTip(reason.isEmpty() ? what : reason);
    m_clipboard->setStatusTip(m_clipboard->toolTip());
    m_clipboard->setAccessibleDescription(m_clipboard->toolTip());
}

void ConsoleToolRow::setFollowWish(const QString& words) {
    m_followWish = words;
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
    m_keysMenu->addSeparator();
    m_sendText = m_keysMenu->addAction(tr("Text…"));
    connect(m_sendText, &QAction::triggered, this, &ConsoleToolRow::sendTextRequested);
}

void ConsoleToolRow::setScaling(ConsoleSurface::Scaling scaling,
                                double scale,
                                const QString& followReason,
                                const QString& remark) {
    m_followReason = followReason;
    button(scaling)->setChecked(true);
    const int percent = static_cast<int>(std::lround(scale * 100));
    m_scale->setText(scale > 0 ? tr("at %1 %").arg(QLocale().toString(percent)) : QString());
    m_follow->setEnabled(followReason.isEmpty());
    const QString what = tr("Ask the guest to take the size of this window.");
    const QString why = followReason.isEmpty() ? what : followReason;
    m_follow->setToolTip(m_followWish.isEmpty() ? why : why + QLatin1Char(' ') + m_followWish);
    m_follow->setStatusTip(m_follow->toolTip());
    m_follow->setAccessibleDescription(m_follow->toolTip());
    m_reason->setText(followReason.isEmpty() ? remark : followReason);
    setContent(m_content);
}

void ConsoleToolRow::setNaturalReason(const QString& reason) {
    m_natural->setEnabled(reason.isEmpty());
    m_natural->setToolTip(
        reason.isEmpty() ? tr("Show one pixel of the guest as one pixel of this screen.") : reason);
    m_natural->setStatusTip(m_natural->toolTip());
    m_natural->setAccessibleDescription(m_natural->toolTip());
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

QAbstractButton* ConsoleToolRow::contentButton(Content content) const {
    return content == Content::Serial ? m_serial : m_screen;
}

QString ConsoleToolRow::remarkText() const {
    return m_reason->text();
}

QString ConsoleToolRow::terminalText() const {
    return m_terminalText->text();
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
