// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/widgets/form.h"

#include <QStringList>
#include <QWidget>

class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace vitrine::ui {

// What one kernel run is: kernel, root, further folders, share, memory, arguments, command.
// Remembers all but the command and the kernel's arguments, which may hold secrets.
class KernelForm final : public QWidget {
    Q_OBJECT
public:
    explicit KernelForm(QWidget* parent = nullptr);

    // Behind "vitrinectl kernel".
    [[nodiscard]] QStringList words() const;
    [[nodiscard]] QString whyNot() const; // empty: it can run
    // Looks in the background for a kernel, if none is chosen yet.
    void proposeKernel(const QString& folder = QStringLiteral("/boot"));
    void setLocked(bool locked); // while it runs
    void remember() const;

    [[nodiscard]] QLineEdit* kernelField() const { return m_kernel; }
    [[nodiscard]] TextLabel* kernelHelp() const { return m_kernelRow.help; }
    [[nodiscard]] QComboBox* rootBox() const { return m_root; }
    [[nodiscard]] QLineEdit* rootField() const { return m_rootFolder; }
    [[nodiscard]] QLineEdit* modulesField() const { return m_modules; }
    [[nodiscard]] QLineEdit* mountsField() const { return m_mounts; }
    [[nodiscard]] QComboBox* shareBox() const { return m_share; }
    [[nodiscard]] QSpinBox* memoryBox() const { return m_memory; }
    [[nodiscard]] QSpinBox* cpusBox() const { return m_cpus; }
    [[nodiscard]] QLineEdit* argumentsField() const { return m_arguments; }
    [[nodiscard]] QLineEdit* commandField() const { return m_command; }

Q_SIGNALS:
    void changed();
    void runWanted(); // Return in the command

private:
    void build();
    void recall();
    void updateRoot();
    void choose(QLineEdit* field, const QString& title, bool folder);
    QPushButton*
    addChooser(const Form::Row& row, QLineEdit* field, const QString& what, bool folder);

    Form* m_form;
    QLineEdit* m_kernel;
    Form::Row m_kernelRow;
    QComboBox* m_root;
    QLineEdit* m_rootFolder;
    QPushButton* m_chooseRoot = nullptr;
    QLineEdit* m_modules;
    QLineEdit* m_mounts;
    QComboBox* m_share;
    QSpinBox* m_memory;
    QSpinBox* m_cpus;
    QLineEdit* m_arguments;
    QLineEdit* m_command;
};

} // namespace vitrine::ui
