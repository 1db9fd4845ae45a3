// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractButton>

namespace vitrine::ui {

// A row below the side list that leads to a page of no machine: icon, name, count. Checked while
// its page is shown.
class NavigationRow final : public QAbstractButton {
    Q_OBJECT
public:
    NavigationRow(const QString& text, QStringView icon, QWidget* parent = nullptr);
    void setCount(const QString& count);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_icon;
    QString m_count;
};

} // namespace vitrine::ui
