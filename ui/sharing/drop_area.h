// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace vitrine::ui {

// Where to drop and what will happen then; there only while something is dragged. Lets the mouse
// through.
class DropArea final : public QWidget {
    Q_OBJECT
public:
    explicit DropArea(QWidget* parent);
    void setTexts(const QString& title, const QString& text, const QString& hint);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_title;
    QString m_text;
    QString m_hint;
};

} // namespace vitrine::ui
