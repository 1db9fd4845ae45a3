// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/create/creation_choice.h"
#include "ui/services.h"
#include "ui/widgets/form.h"

#include <QDialog>
#include <QTimer>

#include <optional>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QSpinBox;

namespace vitrine::ui {

class StackedBar;

// A new machine: what it is made from, its name, its size, and what it takes of the space. Nothing
// is written before *Create*, and that is done by who listens to chosen(). The file is looked at in
// the background. As high as its content; where the screen or its window is lower, the content
// scrolls. Deletes itself.
class CreateDialog final : public QDialog {
    Q_OBJECT
public:
    explicit CreateDialog(const Services& services, QWidget* parent = nullptr);

    void setKind(CreationChoice::Kind kind);
    void setFile(const QString& path);  // as if typed
    void makeFrom(const QString& path); // of the kind that its name tells
    [[nodiscard]] CreationChoice choice() const;
    [[nodiscard]] QString reasonAgainst() const; // empty: Create can be pressed

Q_SIGNALS:
    void chosen(const vitrine::ui::CreationChoice& choice);
    void looked(); // what the disk says is there

private:
    [[nodiscard]] QWidget* makeKinds();
    [[nodiscard]] QWidget* makeContent();
    void connectControls();
    void chooseFile();
    void kindChanged();
    void fileEdited();
    void suggestName();
    void look();
    void showOutlook(const CreationOutlook& outlook);
    void showHost(); // what this computer can do
    void showName();
    void showSpace();
    void updateButtons();
    [[nodiscard]] QString nameProblem() const;
    [[nodiscard]] bool needsFile() const;

    Services m_services;
    // In the order in which Tab goes through them.
    QRadioButton* m_disc;
    QRadioButton* m_image;
    QRadioButton* m_mac;
    ReasonLabel* m_macReason;
    QCheckBox* m_latest;
    QLineEdit* m_file;
    QPushButton* m_chooseFile;
    QLineEdit* m_name;
    QComboBox* m_architecture;
    QSpinBox* m_cpus;
    QSpinBox* m_memory;
    QSpinBox* m_disk;
    StackedBar* m_space;
    TextLabel* m_spaceNote;
    QPushButton* m_copy;
    QPushButton* m_create;
    Form* m_form;
    Form::Row m_latestRow;
    Form::Row m_fileRow;
    Form::Row m_nameRow;
    Form::Row m_architectureRow;
    Form::Row m_cpuRow;
    Form::Row m_memoryRow;
    Form::Row m_diskRow;
    TextLabel* m_memoryOf;
    bool m_nameTyped = false;
    bool m_diskTyped = false;
    int m_looks = 0;                          // only the last answer counts
    std::optional<CreationOutlook> m_outlook; // of what is chosen now
    QTimer m_debounce{this};
};

} // namespace vitrine::ui
