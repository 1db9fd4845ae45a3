// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>

class QPlainTextEdit;
class QPushButton;

namespace vitrine::ui {

class GlyphLabel;
class TextLabel;

// What stands in the place of the screen while there is none: a title, why, a button for what can
// be done, and the last lines of a log where they help.
class ConsoleNotice final : public QWidget {
    Q_OBJECT
public:
    explicit ConsoleNotice(QWidget* parent = nullptr);

    void setIcon(QStringView name);
    void setTexts(const QString& title, const QString& text);
    void setAction(const QString& text); // empty: no button
    void setLog(const QString& log);     // empty: no log
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString log() const;
    [[nodiscard]] QPushButton* button() const { return m_button; }

Q_SIGNALS:
    void actionRequested();

private:
    GlyphLabel* m_icon;
    TextLabel* m_title;
    TextLabel* m_text;
    QPushButton* m_button;
    QPlainTextEdit* m_log;
};

} // namespace vitrine::ui
