// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/bar_chart.h"
#include "core/bench/charts/winner.h"
#include "ui/bench/result_table.h"

#include <QWidget>

#include <array>
#include <optional>

class QCheckBox;
class QComboBox;
class QPushButton;
class QToolButton;

namespace vitrine::ui {

class BenchChart;
class CampaignBook;
class ElidedLabel;
class ResultExport;
class TextLabel;

// One campaign: the choice of it, its chart in several views, another set beside it, its table.
// Everything is worked out in the background.
class ResultView final : public QWidget {
    Q_OBJECT
public:
    // Views besides ratios, which are "ratio:" and an executor.
    static inline const QString valuesView = QStringLiteral("values");
    static inline const QString historyView = QStringLiteral("history");
    static inline const QString percentilesView = QStringLiteral("percentiles");
    static inline const QString ratioView = QStringLiteral("ratio:");

    explicit ResultView(CampaignBook* book, QWidget* parent = nullptr);

    // Campaigns of that machine come first; empty: of no machine.
    void setMachine(const QString& name);
    // Also one that is not there yet: shown as soon as it is.
    void showCampaign(const QString& id);
    [[nodiscard]] bench::ChartSourcePointer source() const { return m_source; }
    [[nodiscard]] const std::optional<bench::Winner>& winner() const { return m_winner; }

    [[nodiscard]] QComboBox* campaignBox() const { return m_campaign; }
    [[nodiscard]] QComboBox* viewBox() const { return m_view; }
    [[nodiscard]] QComboBox* besideBox() const { return m_beside; }
    [[nodiscard]] QComboBox* workloadBox() const { return m_workload; }
    [[nodiscard]] QCheckBox* logarithmicBox() const { return m_logarithmic; }
    [[nodiscard]] QPushButton* quantityButton(bench::Quantity quantity) const;
    [[nodiscard]] BenchChart* chart() const { return m_chart; }
    [[nodiscard]] ResultTable* table() const { return m_table; }
    [[nodiscard]] ResultExport* exporter() const { return m_export; }
    [[nodiscard]] QToolButton* importButton() const { return m_import; }
    [[nodiscard]] QToolButton* deleteButton() const { return m_delete; }
    [[nodiscard]] ElidedLabel* besideFacts() const { return m_besideFacts; }
    [[nodiscard]] ElidedLabel* told() const { return m_told; } // of the mark, or how to read
    [[nodiscard]] TextLabel* notes() const { return m_notes; }
    [[nodiscard]] bool isEmptyShown() const;
    [[nodiscard]] bool isSettled() const { return m_shown == m_wanted; } // nothing is worked out

Q_SIGNALS:
    void shown(); // the chart and table of what was chosen
    void importRequested();
    void deleteRequested(); // of the campaign that is shown
    void campaignChanged();

private:
    struct Choice {
        bench::ChartSourcePointer source;
        bench::ChartSourcePointer beside;
        bench::Quantity quantity = bench::Quantity::Bandwidth;
        QString view;
        bench::ChartGroup group;
        QList<bench::ChartSourcePointer> history;
    };
    struct Drawn {
        bench::ChartData data;
        QList<ResultRow> rows;
        bench::Winner winner;
        QString baseline;
        QString besideTitle;
        QString besideFacts;
        bool isBesideMissing = false; // nothing of it is drawn
        bool isWide = false;          // values far apart: a logarithmic axis
    };
    [[nodiscard]] QWidget* buildHead();
    [[nodiscard]] QWidget* buildTools();
    [[nodiscard]] QWidget* buildChart();
    [[nodiscard]] QWidget* buildEmpty();
    void fillCampaigns();
    void campaignChosen();
    void fillChoices(); // of the campaign
    void fillWorkloads();
    void refresh();
    void take(const Drawn& drawn, int number, bool keepScale);
    void tellMark();
    [[nodiscard]] Choice choice() const;
    [[nodiscard]] static Drawn drawnOf(const Choice& choice);
    [[nodiscard]] QList<bench::ChartSourcePointer> historyOfSource() const;

    CampaignBook* m_book;
    QString m_machine;
    QString m_awaited;
    bench::ChartSourcePointer m_source;
    bench::Quantity m_quantity = bench::Quantity::Bandwidth;
    std::optional<bench::Quantity> m_before; // percentiles, which are of latencies only
    std::optional<bench::Winner> m_winner;
    int m_wanted = 0; // counts what was asked for
    int m_shown = 0;
    bool m_scaleChosen = false; // by hand, for this view
    bool m_filling = false;
    QString m_missing; // title of the set that has nothing to show beside this one
    QComboBox* m_campaign;
    ElidedLabel* m_facts;
    ElidedLabel* m_besideFacts; // host and guest of the set beside it
    QComboBox* m_view;
    QToolButton* m_import;
    QPushButton* m_exportButton;
    QToolButton* m_delete;
    std::array<QPushButton*, bench::allQuantities.size()> m_quantities{};
    QCheckBox* m_logarithmic;
    QWidget* m_workloadField = nullptr;
    QComboBox* m_workload;
    QWidget* m_besideField = nullptr;
    QComboBox* m_beside;
    QWidget* m_chartPage = nullptr;
    QWidget* m_emptyPage = nullptr;
    BenchChart* m_chart;
    ElidedLabel* m_told;
    ElidedLabel* m_toldMore;
    QWidget* m_notesRow = nullptr;
    TextLabel* m_notes;
    ResultTable* m_table;
    ResultExport* m_export;
};

} // namespace vitrine::ui
