// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign_store.h"
#include "tests/support/hand_made_campaign.h"
#include "tests/support/layout_misfits.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/bench/bench_chart.h"
#include "ui/bench/bench_page.h"
#include "ui/bench/campaign_book.h"
#include "ui/bench/result_export.h"
#include "ui/bench/result_table.h"
#include "ui/bench/result_view.h"
#include "ui/bench/run_panel.h"
#include "ui/bench/winner_bar.h"
#include "ui/shell/machine_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>

namespace vitrine::test {

// The window with the machine "web" and its Benchmarks page.
class BenchTest : public WindowTest {
protected:
    void addMachine() { directory = small.add(QStringLiteral("web")); }
    // As measured with "web", unless another is named.
    QString addCampaign(bench::Campaign campaign, const char* machine = "web") {
        if (machine[0] != '\0')
            campaign.plan.insert(QStringLiteral("machine"), QLatin1String(machine));
        const auto added = bench::CampaignStore(small.library.home())
                               .add(campaign, QDateTime::currentDateTimeUtc());
        EXPECT_TRUE(added);
        return added ? added->id : QString();
    }
    void showPage() {
        open();
        select(QStringLiteral("web"));
        window->showMachine(QStringLiteral("web"), ui::MachinePage::Tab::Benchmarks);
        page = window->machinePage()->benchmarks();
        ready();
    }
    void showLibraryPage() {
        open();
        window->showBenchmarks();
        page = window->benchmarksPage();
        ready();
    }
    void ready() {
        ASSERT_TRUE(waitUntil([this] {
            return page->book()->isRead() && page->runPanel()->suiteBox()->count() > 0;
        }));
        settled();
    }
    void settled() {
        ASSERT_TRUE(waitUntil([this] { return results()->isSettled(); }));
        settle();
    }
    void choose(QComboBox* box, const QString& data) {
        const int index = box->findData(data);
        ASSERT_GE(index, 0) << data.toStdString();
        box->setCurrentIndex(index);
        settled();
    }
    [[nodiscard]] ui::ResultView* results() const { return page->results(); }
    [[nodiscard]] const bench::ChartData& drawn() const { return results()->chart()->data(); }
    [[nodiscard]] QString cell(int row, ui::ResultTable::Column column) const {
        return results()->table()->item(row, column)->text();
    }

    QString directory;
    ui::BenchPage* page = nullptr;
};

// With pictures of it, dark and light, at both sizes.
inline constexpr QSize roomy{1280, 800};
inline constexpr QSize tight{900, 600};

class BenchPageTest : public BenchTest {
protected:
    void pictures(const QString& name) {
        for (const ui::SchemeChoice scheme : {ui::SchemeChoice::Dark, ui::SchemeChoice::Light})
            for (const QSize size : {tight, roomy}) {
                ui::applyTheme(scheme);
                window->resize(size);
                settleLayout(*window);
                savePicture(*window,
                            QStringLiteral("bench-%1-%2-%3")
                                .arg(name,
                                     scheme == ui::SchemeChoice::Dark ? QStringLiteral("dark")
                                                                      : QStringLiteral("light"))
                                .arg(size.width()));
                EXPECT_EQ(layoutMisfits(*page).join(QLatin1Char('\n')).toStdString(), std::string())
                    << name.toStdString() << size.width();
            }
    }
};

} // namespace vitrine::test
