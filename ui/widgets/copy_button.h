// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QToolButton>

namespace vitrine::ui {

// Puts a text on the clipboard and says so with a tick for a moment.
class CopyButton final : public QToolButton {
    Q_OBJECT
public:
    // `what` is read out and shown as the tool tip: "Copy the address".
    explicit CopyButton(const QString& what, QWidget* parent = nullptr);
    void setTextToCopy(const QString& text) { m_text = text; }
    [[nodiscard]] const QString& textToCopy() const { return m_text; }

private:
    void copy();
    QString m_what;
    QString m_text;
    QTimer m_back{this};
};

// The same for a button with text: it says "Copied" for a moment and keeps its width. May be called
// again meanwhile.
void showCopied(QAbstractButton* button);

} // namespace vitrine::ui
