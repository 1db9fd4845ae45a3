// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/services.h"

#include <QWidget>

#include <optional>

class QScrollBar;

namespace vitrine::ui {

class CampaignBook;
class MessageBar;
class ResultView;
class RunPanel;
class WinnerBar;

// Benchmarks of one machine or, without one, of this computer: run them, look at them, compare.
class BenchPage final : public QWidget {
    Q_OBJECT
public:
    explicit BenchPage(const Services& services, QWidget* parent = nullptr);

    // Not called for the page that belongs to no machine.
    void showMachine(const MachineInfo& info);
    // Files of others, or campaigns; several results of fio are the rounds of one.
    void importFiles(const QStringList& paths);

    [[nodiscard]] CampaignBook* book() const { return m_book; }
    [[nodiscard]] RunPanel* runPanel() const { return m_run; }
    [[nodiscard]] ResultView* results() const { return m_results; }
    [[nodiscard]] WinnerBar* winner() const { return m_winner; }
    [[nodiscard]] MessageBar* message() const { return m_message; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    // The wheel scrolls the page; it changes a choice only while that has the keyboard.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void chooseFiles();
    void tellState();   // of the campaign: cut off, what is damaged
    void tellForeign(); // what another program measures
    void askToDelete(); // the campaign that is shown
    void deleteCampaign(const QString& id);
    void updateWinner();

    Services m_services;
    std::optional<MachineInfo> m_machine;
    CampaignBook* m_book;
    MessageBar* m_message;
    MessageBar* m_cutOff;
    RunPanel* m_run;
    ResultView* m_results;
    WinnerBar* m_winner;
    QScrollBar* m_scrollBar = nullptr;
    QStringList m_toldProblems;
    bool m_isForeign = false; // another program measures
};

} // namespace vitrine::ui
