// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace vitrine::ui {

class HostReport;
class TextLabel;

// "This computer": what was found, with a tick, a warning or what is missing, Check Again and Copy
// Diagnosis.
class HostChecks final : public QWidget {
    Q_OBJECT
public:
    explicit HostChecks(HostReport* report, QWidget* parent = nullptr);

private:
    void rebuild();
    HostReport* m_report;
    QVBoxLayout* m_layout;
    QWidget* m_rows = nullptr; // made anew with each report
    QPushButton* m_again;
    QPushButton* m_copy;
    TextLabel* m_note;
};

} // namespace vitrine::ui
