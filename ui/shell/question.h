// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QList>

#include <functional>

class QCheckBox;
class QPushButton;
class QVBoxLayout;

namespace vitrine::ui {

// A question with named answers. Text is plain. Modal to its window and without an event loop of
// its own; deletes itself. Escape is the answer marked as `cancels`.
class Question final : public QDialog {
    Q_OBJECT
public:
    enum class Look { Normal, Primary, Destructive };
    struct Answer {
        QString text;
        Look look = Look::Normal;
        std::function<void()> then; // may be empty
        bool cancels = false;
        QString refusal = {}; // why it cannot be chosen, translated; empty when it can
    };
    // `lines` are shown as a list, e.g. what will be deleted.
    Question(const QString& title,
             const QString& text,
             const QStringList& lines,
             const QList<Answer>& answers,
             QWidget* parent);

    // A box below the text, not ticked: "Do not tell this again".
    QCheckBox* addCheckBox(const QString& text);
    // The button with this text; for tests.
    [[nodiscard]] QPushButton* button(const QString& text) const;

protected:
    void reject() override;

private:
    QVBoxLayout* m_body;
    std::function<void()> m_cancel;
};

} // namespace vitrine::ui
