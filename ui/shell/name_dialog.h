// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/machines/machine_naming.h"

#include <QDialog>

#include <functional>

class QLineEdit;
class QPushButton;

namespace vitrine::ui {

class TextLabel;

// Asks for the name of a machine that is to be made or renamed. A name that is taken or not valid
// cannot be accepted and says why. Modal to its window; deletes itself.
class NameDialog final : public QDialog {
    Q_OBJECT
public:
    struct Texts {
        QString title;
        QString explanation;
        QString button;
    };
    NameDialog(const Texts& texts,
               const QString& suggestion,
               std::function<bool(const QString&)> isTaken,
               QWidget* parent);

    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] QPushButton* acceptButton() const { return m_accept; }
    [[nodiscard]] QString problem() const;

Q_SIGNALS:
    void chosen(const QString& name);

private:
    void check();
    std::function<bool(const QString&)> m_isTaken;
    QLineEdit* m_field;
    TextLabel* m_problem;
    QPushButton* m_accept;
};

} // namespace vitrine::ui
