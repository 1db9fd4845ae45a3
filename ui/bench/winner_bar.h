// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/winner.h"
#include "core/machine/run_options.h"
#include "ui/services.h"

#include <QWidget>

class QPushButton;

namespace vitrine::ui {

class MessageBar;
class TextLabel;

// Says which root disk options won, or why none did, and stores them with the machine: after a
// question that tells what a power cut would take. They count from the next start on.
class WinnerBar final : public QWidget {
    Q_OBJECT
public:
    explicit WinnerBar(const Services& services, QWidget* parent = nullptr);

    // `winner` is of a campaign of that machine; empty: hidden.
    void show(const MachineInfo& machine, const bench::Winner& winner);
    void clear();
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }
    [[nodiscard]] TextLabel* text() const { return m_text; }
    [[nodiscard]] MessageBar* question() const { return m_question; }

private:
    void ask();
    void apply();
    [[nodiscard]] DiskOptions optionsOfWinner() const;

    Services m_services;
    MachineInfo m_machine;
    bench::Winner m_winner;
    MessageBar* m_question;
    QPushButton* m_apply;
    TextLabel* m_text;
};

} // namespace vitrine::ui
