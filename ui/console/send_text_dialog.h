// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/keyboard_layout.h"

#include <QDialog>

class QComboBox;
class QPlainTextEdit;
class QPushButton;

namespace vitrine::ui {

class TextLabel;

// Asks for text that is to be typed into a guest, and for which keyboard the guest is set to. Says
// which characters that keyboard does not have; they are left out.
class SendTextDialog final : public QDialog {
    Q_OBJECT
public:
    static constexpr int maximumLength = 5000; // characters: typed in under two minutes

    SendTextDialog(const QString& machineName, KeyboardLayout layout, QWidget* parent = nullptr);

    void setText(const QString& text);
    [[nodiscard]] KeyboardLayout layout() const;
    [[nodiscard]] QString remark() const; // what cannot be typed; empty when all can
    [[nodiscard]] QPushButton* sendButton() const { return m_send; }
    [[nodiscard]] QComboBox* layoutBox() const { return m_layout; }

Q_SIGNALS:
    void sendRequested(const QList<vitrine::ui::KeyStroke>& strokes);

private:
    void refresh();

    QPlainTextEdit* m_text;
    QComboBox* m_layout;
    TextLabel* m_remark;
    QPushButton* m_send;
    TypedText m_typed;
};

} // namespace vitrine::ui
