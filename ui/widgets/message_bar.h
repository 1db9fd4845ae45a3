// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/error.h"

#include <QFrame>
#include <QPushButton>

#include <functional>

class QHBoxLayout;
class QLineEdit;
class QToolButton;

namespace vitrine::ui {

class GlyphLabel;
class TextLabel;

// What happened, why and what to do, with the buttons that do it, at the place where it happened.
// Stays until it is dismissed or replaced. Hidden at first. Text is never taken for markup.
class MessageBar final : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };
    explicit MessageBar(QWidget* parent = nullptr);

    // `title` may be empty. Removes the buttons of the message before.
    void showMessage(Kind kind, const QString& title, const QString& text);
    // The sentence of the error; nothing for a cancelled one. Its detail becomes the tool tip.
    void showError(const Error& error, const QString& title = {});
    // A short text that the actions after it work on; `label` names it and stands before it. All of
    // them stand below the text then.
    QLineEdit* addField(const QString& label, const QString& text);
    QPushButton* addAction(const QString& text, std::function<void()> action);
    void setDismissible(bool dismissible);
    void clear();
    [[nodiscard]] bool isShown() const { return !isHidden(); }
    [[nodiscard]] Kind kind() const { return m_kind; }
    [[nodiscard]] QString text() const; // without the breaks added to long words
    // As high as the text needs at the width that the bar has, so that no page cuts its last lines.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QSize asHighAsTheText(QSize hint) const;
    void addToTabs(QWidget* control);
    void addToRow(QWidget* control);
    Kind m_kind = Kind::Info;
    GlyphLabel* m_glyph;
    TextLabel* m_title;
    TextLabel* m_text;
    QString m_titleText;
    QString m_bodyText;
    bool m_laidOut = false;
    QHBoxLayout* m_actions;
    QHBoxLayout* m_below;
    QHBoxLayout* m_row;               // the one of the two that is in use
    QWidget* m_lastControl = nullptr; // of the row
    QToolButton* m_close;
};

} // namespace vitrine::ui
