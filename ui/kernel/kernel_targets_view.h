// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/kernel/kernel_text.h"
#include "ui/theme/theme.h"

#include <QWidget>

#include <optional>

class QLineEdit;
class QPushButton;
class QTableWidget;

namespace vitrine::ui {

class TextLabel;

// The targets of a TOML file and what came of each. Remembers the file.
class KernelTargetsView final : public QWidget {
    Q_OBJECT
public:
    enum Column { NameColumn, ResultColumn, TimeColumn, ReasonColumn };

    explicit KernelTargetsView(QWidget* parent = nullptr);

    [[nodiscard]] QString file() const;
    void setFile(const QString& path); // read when fileChosen() is answered
    void showTargets(const QList<KernelTarget>& targets);
    [[nodiscard]] const QList<KernelTarget>& targets() const { return m_targets; }
    [[nodiscard]] QList<int> selectedRows() const; // in their order

    void setWaiting(int row);
    void setRunning(int row);
    void setOutcome(int row, const KernelTargetOutcome& outcome);
    void forget(int row); // neither waiting nor run
    [[nodiscard]] const KernelTargetOutcome* outcome(int row) const;
    void setLocked(bool locked); // while something runs

    [[nodiscard]] QTableWidget* table() const { return m_table; }
    [[nodiscard]] QLineEdit* fileField() const { return m_file; }

Q_SIGNALS:
    void fileChosen(const QString& path);
    void selectionChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    void choose();
    void setRow(int row, Glyph glyph, const QString& word, const QString& time, const QString& why);

    QLineEdit* m_file;
    QPushButton* m_open;
    QPushButton* m_again;
    QTableWidget* m_table;
    TextLabel* m_help;
    QList<KernelTarget> m_targets;
    QList<std::optional<KernelTargetOutcome>> m_outcomes;
};

} // namespace vitrine::ui
