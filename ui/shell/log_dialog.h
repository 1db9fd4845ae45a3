// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>

class QPlainTextEdit;

namespace vitrine::ui {

// The end of a log file, to read and copy. Reads on another thread; deletes itself when closed.
class LogDialog final : public QDialog {
    Q_OBJECT
public:
    LogDialog(const QString& title, const QString& path, QWidget* parent);

private:
    void read();
    QString m_path;
    QPlainTextEdit* m_text;
};

} // namespace vitrine::ui
