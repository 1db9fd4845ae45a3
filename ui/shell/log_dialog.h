// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>

class QPlainTextEdit;

namespace vitrine::ui {

class ElidedLabel;

// The end of a log file, to read and copy: of the first of `paths` that holds anything. Reads on
// another thread; deletes itself when closed.
class LogDialog final : public QDialog {
    Q_OBJECT
public:
    LogDialog(const QString& title, const QStringList& paths, QWidget* parent);

private:
    void read();
    QStringList m_paths;
    ElidedLabel* m_place;
    QPlainTextEdit* m_text;
};

} // namespace vitrine::ui
