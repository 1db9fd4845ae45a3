// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPointer>
#include <QTimer>
#include <QWidget>

namespace vitrine::ui {

// A black screen with one widget on it and, for the first seconds, the words how to leave. Closed
// by F11 or Escape while the keyboard is not in the guest. Gives the widget back by closing().
class FullScreenWindow final : public QWidget {
    Q_OBJECT
public:
    enum class Hint { Over, Above }; // where the words are: a native view would hide them
    FullScreenWindow(QWidget* content, Hint hint, QWidget* parent);

    [[nodiscard]] QWidget* content() const { return m_content; }

Q_SIGNALS:
    void closing(); // take the content away now

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void placeHint();
    QPointer<QWidget> m_content;
    QLabel* m_hint;
    Hint m_place;
    QTimer m_hintTime{this};
};

} // namespace vitrine::ui
