// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>

class QCheckBox;
class QLineEdit;
class QPushButton;

namespace vitrine::ui {

class TextLabel;

// Asks for the name of a snapshot that is to be taken. Modal to its window; deletes itself.
class SnapshotDialog final : public QDialog {
    Q_OBJECT
public:
    struct Facts {
        QString machine;
        QString suggestion;
        QString cost;         // what the copy takes; empty where blocks are shared
        bool running = false; // memory can be kept
        bool suspended = false;
        QStringList otherDisks; // that it will not have
    };
    SnapshotDialog(const Facts& facts, QWidget* parent);

    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] QCheckBox* memoryBox() const { return m_memory; }
    [[nodiscard]] QPushButton* acceptButton() const { return m_accept; }

Q_SIGNALS:
    void chosen(const QString& name, bool withMemory);

private:
    void check();
    void explain();
    Facts m_facts;
    QLineEdit* m_field;
    QCheckBox* m_memory;
    TextLabel* m_explanation;
    QPushButton* m_accept;
};

} // namespace vitrine::ui
