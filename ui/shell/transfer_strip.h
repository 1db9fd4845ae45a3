// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/services.h"

#include <QPointer>
#include <QWidget>

class QProgressBar;
class QPushButton;
class QToolButton;

namespace vitrine::ui {

class ElidedLabel;
class GlyphLabel;
class TextLabel;

// The line at the bottom of the window: the work that runs now, cancel, and the way to Transfers;
// without work the library's place. A failure stays until its work is tried again, cleared or
// dismissed here.
class TransferStrip final : public QWidget {
    Q_OBJECT
public:
    explicit TransferStrip(const Services& services, QWidget* parent = nullptr);
    // What an action under the pointer does; empty to go back.
    void showHint(const QString& hint);

Q_SIGNALS:
    void transfersRequested();

private:
    void refresh();
    Services m_services;
    QPointer<Job> m_job;
    QPointer<Job> m_problem; // the job whose failure is shown
    GlyphLabel* m_glyph;
    ElidedLabel* m_title;
    ElidedLabel* m_text;
    QProgressBar* m_bar;
    QToolButton* m_cancel;
    QToolButton* m_dismiss;
    QPushButton* m_more;
    ElidedLabel* m_library;
    QString m_hint;
};

} // namespace vitrine::ui
