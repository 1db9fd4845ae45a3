// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"

#include <QWidget>

class QToolButton;

namespace vitrine::ui {

class ElidedLabel;
class LayerList;
class MessageBar;
class ProgressLine;

// One job on the Transfers page: title, bar, what it does now, its verbs, its parts and, when it
// failed, why. Observes the job; the page removes the row before the job goes.
class TransferRow final : public QWidget {
    Q_OBJECT
public:
    explicit TransferRow(Job* job, QWidget* parent = nullptr);

    [[nodiscard]] Job* job() const { return m_job; }
    void setExpanded(bool expanded);
    [[nodiscard]] bool isExpanded() const { return m_expanded; }

Q_SIGNALS:
    void logRequested(vitrine::Job* job);
    void signInRequested(vitrine::Job* job);
    void retryRequested(vitrine::Job* job);
    void machineRequested(vitrine::Job* job); // of the image that is here

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void update();
    void stateChanged();
    void showProblem();

    Job* m_job;
    bool m_expanded = false;
    QToolButton* m_expand;
    ElidedLabel* m_status;
    ProgressLine* m_line;
    QToolButton* m_cancel;
    QToolButton* m_retry;
    QToolButton* m_log;
    LayerList* m_layers;
    MessageBar* m_error = nullptr;
};

} // namespace vitrine::ui
