// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace vitrine::ui {

class CopyButton;
class ElidedLabel;

// The command line that does what a page shows, with a button that copies it.
class CommandRow final : public QWidget {
    Q_OBJECT
public:
    explicit CommandRow(QWidget* parent = nullptr);
    void setCommand(const QString& line);
    [[nodiscard]] QString command() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ElidedLabel* m_line;
    CopyButton* m_copy;
};

} // namespace vitrine::ui
