// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/suite.h"
#include "ui/bench/executor_offer.h"
#include "ui/services.h"

#include <QPointer>
#include <QWidget>

#include <optional>

class QCheckBox;
class QComboBox;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QWidgetAction;

namespace vitrine::ui {

class ElidedLabel;
class ReasonLabel;
class TextLabel;

// What is measured, where and how often; then how far it has come. The work is a vitrinectl in a
// job of the window; what it measures is kept whatever happens to either.
class RunPanel final : public QWidget {
    Q_OBJECT
public:
    static inline const QString jobKind = QStringLiteral("benchmark");

    explicit RunPanel(const Services& services, QWidget* parent = nullptr);

    void showHost(); // no machine: this computer alone
    void showMachine(const MachineInfo& info);
    void readSuites(); // in the background
    void start();      // what is chosen
    void resume(const QString& campaign, const QString& title);
    // Another program measures in this library: nothing can be begun meanwhile. Its title, if
    // known.
    void setForeign(bool isMeasured, const QString& title);

    // Words for --executor that are ticked.
    [[nodiscard]] QStringList executors() const;
    // Arguments of vitrinectl for what is chosen.
    [[nodiscard]] QStringList arguments() const;
    [[nodiscard]] Job* runningJob() const; // null when none
    // Of the running job, as far as it has told.
    [[nodiscard]] QString runningCampaign() const;

    [[nodiscard]] QComboBox* suiteBox() const { return m_suite; }
    [[nodiscard]] QSpinBox* roundsBox() const { return m_rounds; }
    [[nodiscard]] QCheckBox* shortBox() const { return m_short; }
    [[nodiscard]] QPushButton* executorsButton() const { return m_where; }
    [[nodiscard]] QCheckBox* executorBox(const QString& word) const;
    [[nodiscard]] QPushButton* runButton() const { return m_run; }
    [[nodiscard]] QPushButton* cancelButton() const { return m_cancel; }
    [[nodiscard]] ReasonLabel* reason() const { return m_reason; }
    [[nodiscard]] TextLabel* estimate() const { return m_estimate; }
    [[nodiscard]] ElidedLabel* progressText() const { return m_step; }

Q_SIGNALS:
    void campaignKnown(const QString& id); // of a job of this window that has begun
    void failed(const vitrine::Error& error);
    void ended(); // a job, in whatever way
    void suitesRead(const QStringList& problems);

private:
    void buildChoices();
    void buildProgress();
    void addExecutors();
    void tickUsual();
    void update();
    void updateProgress();
    void begin(const QString& title, const QString& subtitle, const QStringList& arguments);
    [[nodiscard]] QString whyNot() const;
    [[nodiscard]] QString whyNot(const ExecutorOffer& offer) const;
    [[nodiscard]] bool offersKernels() const; // for the suite
    [[nodiscard]] QString estimateText() const;
    [[nodiscard]] const bench::Suite* suite() const;
    [[nodiscard]] bool isMachineRunning() const;

    Services m_services;
    QList<ExecutorOffer> m_offers;
    std::optional<MachineInfo> m_machine;
    QList<bench::Suite> m_suites;
    quint64 m_memory = 0; // of this computer, bytes
    bool m_isForeign = false;
    QString m_foreign;
    QWidget* m_choices;
    QComboBox* m_suite;
    QWidget* m_whereField = nullptr;
    TextLabel* m_whereLabel = nullptr;
    QPushButton* m_where;
    QList<QCheckBox*> m_executors; // one for each offer
    QWidgetAction* m_list = nullptr;
    QSpinBox* m_rounds;
    QCheckBox* m_short;
    TextLabel* m_estimate;
    QPushButton* m_run;
    ReasonLabel* m_reason;
    QWidget* m_progress;
    QProgressBar* m_bar;
    ElidedLabel* m_title;
    ElidedLabel* m_step;
    QPushButton* m_cancel;
};

} // namespace vitrine::ui
