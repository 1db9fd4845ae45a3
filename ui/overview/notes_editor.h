// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QWidget>

class QPlainTextEdit;

namespace vitrine::ui {

class MessageBar;

// Notes of one machine, kept in its vitrine.json: saved a moment after the last key and when
// another machine is shown, on another thread.
class NotesEditor final : public QWidget {
    Q_OBJECT
public:
    explicit NotesEditor(QWidget* parent = nullptr);
    ~NotesEditor() override;

    // Shows another machine's notes; what was typed for the one before is saved.
    void setMachine(const QString& directory);
    // From the file. Ignored while something typed here waits to be saved.
    void setText(const QString& directory, const QString& text);
    [[nodiscard]] QString text() const;
    [[nodiscard]] bool isSaved() const { return !m_dirty && m_saving == 0; }

Q_SIGNALS:
    void saved();

private:
    void save();
    QPlainTextEdit* m_edit;
    MessageBar* m_message;
    QTimer m_later{this};
    QString m_directory;
    bool m_dirty = false;
    bool m_filling = false;
    int m_saving = 0;
};

} // namespace vitrine::ui
