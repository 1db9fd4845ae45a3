// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/result_view.h"

#include "core/bench/charts/history_chart.h"
#include "core/bench/charts/percentile_chart.h"
#include "ui/bench/bench_chart.h"
#include "ui/bench/campaign_book.h"
#include "ui/bench/campaign_text.h"
#include "ui/bench/result_export.h"
#include "ui/machines/background.h"
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/labelled.h"
#include "ui/widgets/text_label.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace vitrine::ui {

namespace {

using namespace bench;

constexpr int chartHeight = 236;
constexpr int tableHeight = 254;  // its head and eight rows
constexpr double wideValues = 30; // times the smallest value

void prepare(QComboBox* box, const QString& name, int characters) {
    box->setAccessibleName(name);
    box->view()->setAccessibleName(name);
    box->setMinimumContentsLength(characters);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
}

bool isSpreadWide(const ChartData& data) {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (const ChartSeries& series : data.series)
        for (const ChartMark& mark : series.marks)
            if (mark.value > 0) {
                low = std::min(low, mark.value);
                high = std::max(high, mark.value);
            }
    return high > wideValues * low;
}

} // namespace

ResultView::ResultView(CampaignBook* book, QWidget* parent)
    : QWidget(parent)
    , m_book(book)
    , m_campaign(new QComboBox(this))
    , m_facts(new ElidedLabel({}, Qt::ElideRight, TextSize::Small, TextTone::Secondary, this))
    , m_besideFacts(new ElidedLabel({}, Qt::ElideRight, TextSize::Small, TextTone::Secondary, this))
    , m_view(new QComboBox(this))
    , m_import(iconButton(tr("Import Results…"), u"import", this))
    , m_exportButton(normalButton(tr("Export"), u"export", this))
    , m_delete(iconButton(tr("Delete Campaign\u2026"), u"trash", this))
    , m_logarithmic(new QCheckBox(tr("Logarithmic"), this))
    , m_workload(new QComboBox(this))
    , m_beside(new QComboBox(this))
    , m_chart(new BenchChart(this))
    , m_told(new ElidedLabel({}, Qt::ElideRight, TextSize::Small, TextTone::Text, this))
    , m_toldMore(new ElidedLabel({}, Qt::ElideRight, TextSize::Small, TextTone::Secondary, this))
    , m_notes(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_table(new ResultTable(this))
    , m_export(new ResultExport(m_chart, this)) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::grid);
    layout->addWidget(buildHead());
    m_chartPage = buildChart();
    m_emptyPage = buildEmpty();
    layout->addWidget(m_chartPage, 1);
    layout->addWidget(m_emptyPage, 1);
    connect(m_book, &CampaignBook::changed, this, &ResultView::fillCampaigns);
    connect(m_campaign, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_filling)
            campaignChosen();
    });
    for (QComboBox* const box : {m_view, m_workload, m_beside})
        connect(box, &QComboBox::currentIndexChanged, this, [this, box] {
            if (m_filling)
                return;
            m_scaleChosen = m_scaleChosen && box != m_view;
            if (box == m_view)
                fillWorkloads();
            refresh();
        });
    connect(m_logarithmic, &QCheckBox::clicked, this, [this](bool on) {
        m_scaleChosen = true;
        m_chart->setLogarithmic(on);
    });
    connect(m_chart, &BenchChart::toldChanged, this, &ResultView::tellMark);
    connect(m_import, &QToolButton::clicked, this, &ResultView::importRequested);
    connect(m_delete, &QToolButton::clicked, this, &ResultView::deleteRequested);
    fillCampaigns();
}

QWidget* ResultView::buildHead() {
    auto* const head = new QWidget(this);
    auto* const flow = new FlowLayout(head);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->setSpacing(12);
    prepare(m_campaign, tr("Campaign"), 34); // on a line of its own where it is narrow
    m_campaign->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    flow->addWidget(m_campaign);
    prepare(m_view, tr("View"), 13);
    flow->addWidget(m_view);
    auto* const files = new QWidget(head); // together where lines break
    auto* const row = new QHBoxLayout(files);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    m_exportButton->setMenu(m_export->menu());
    row->addWidget(m_import);
    row->addWidget(m_exportButton);
    row->addWidget(m_delete);
    flow->addWidget(files);
    return head;
}

QWidget* ResultView::buildTools() {
    auto* const tools = new QWidget(this);
    auto* const flow = new FlowLayout(tools);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->setSpacing(12);
    auto* const segments = new QWidget(tools);
    auto* const row = new QHBoxLayout(segments);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (std::size_t i = 0; i < m_quantities.size(); ++i) {
        const Quantity quantity = allQuantities.at(i);
        QPushButton* const button = normalButton(nameOf(quantity), {}, segments);
        button->setCheckable(true);
        button->setAutoExclusive(true);
        const Segment segment = i == 0                         ? Segment::First
                                : i + 1 == m_quantities.size() ? Segment::Last
                                                               : Segment::Middle;
        button->setProperty(property::segment, static_cast<int>(segment));
        row->addWidget(button);
        m_quantities.at(i) = button;
        connect(button, &QPushButton::clicked, this, [this, quantity] {
            m_quantity = quantity;
            m_before.reset();
            m_scaleChosen = false;
            fillWorkloads();
            refresh();
        });
    }
    flow->addWidget(segments);
    m_logarithmic->setMinimumHeight(spacing::control);
    flow->addWidget(m_logarithmic);
    prepare(m_workload, tr("Workload"), 20);
    m_workloadField = labelled(tr("Workload"), m_workload, tools);
    flow->addWidget(m_workloadField);
    prepare(m_beside, tr("Beside it"), 20);
    m_beside->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_besideField = labelled(tr("Beside it"), m_beside, tools);
    m_besideField->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    flow->addWidget(m_besideField);
    return tools;
}

QWidget* ResultView::buildChart() {
    auto* const page = new QWidget(this);
    auto* const layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::grid);
    layout->addWidget(m_facts);
    layout->addWidget(m_besideFacts);
    m_besideFacts->hide();
    layout->addWidget(buildTools());
    m_chart->setMinimumHeight(chartHeight);
    layout->addWidget(m_chart, 3);
    auto* const told = new QVBoxLayout;
    told->setSpacing(0);
    told->addWidget(m_told);
    told->addWidget(m_toldMore);
    layout->addLayout(told);
    m_notesRow = new QWidget(page);
    auto* const notes = new QHBoxLayout(m_notesRow);
    notes->setContentsMargins(0, 0, 0, 0);
    notes->setSpacing(spacing::grid);
    notes->addWidget(new GlyphLabel(Glyph::Warning, 12, m_notesRow), 0, Qt::AlignTop);
    m_notes->setWordWrap(true);
    notes->addWidget(m_notes, 1);
    layout->addWidget(m_notesRow);
    m_table->setMinimumHeight(tableHeight);
    layout->addWidget(m_table, 2);
    return page;
}

QWidget* ResultView::buildEmpty() {
    auto* const page = new QWidget(this);
    auto* const layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, spacing::block, 0, 0);
    layout->addWidget(
        new TextLabel(tr("Nothing measured yet"), TextSize::Heading, TextTone::Text, page));
    auto* const text = new TextLabel(
        tr("Run Benchmark measures in interleaved rounds and shows each result as it arrives. "
           "Choose a published set above to see what others measured."),
        TextSize::Body,
        TextTone::Secondary,
        page);
    text->setWordWrap(true);
    layout->addWidget(text);
    layout->addStretch();
    return page;
}

bool ResultView::isEmptyShown() const {
    return !m_emptyPage->isHidden();
}

QPushButton* ResultView::quantityButton(Quantity quantity) const {
    return m_quantities.at(static_cast<std::size_t>(quantity));
}

void ResultView::setMachine(const QString& name) {
    if (m_machine == name && m_campaign->count() > 0)
        return;
    m_machine = name;
    m_source = nullptr;
    fillCampaigns();
}

void ResultView::showCampaign(const QString& id) {
    m_awaited = id;
    fillCampaigns();
}

// What there is to be chosen: of the machine, the others, published ones. What was chosen stays.
void ResultView::fillCampaigns() {
    const QString before = m_source ? m_source->campaign().id : QString();
    m_filling = true;
    m_campaign->clear();
    const auto add = [this](const QList<ChartSourcePointer>& sources, bool ofMachine) {
        bool isFirst = m_campaign->count() > 0;
        for (const ChartSourcePointer& source : sources) {
            const Campaign& campaign = source->campaign();
            if (campaign.origin != Campaign::Origin::Published &&
                (machineOf(campaign) == m_machine) != ofMachine)
                continue;
            if (std::exchange(isFirst, false))
                m_campaign->insertSeparator(m_campaign->count());
            QString text = titleOf(campaign);
            const QString machine = machineOf(campaign);
            if (!ofMachine && !machine.isEmpty())
                text += QStringLiteral(" \u00B7 ") + machine;
            m_campaign->addItem(text, campaign.id);
            m_campaign->setItemData(m_campaign->count() - 1, text.toHtmlEscaped(), Qt::ToolTipRole);
        }
    };
    add(m_book->own(), true);
    const bool hasOwn = m_campaign->count() > 0;
    add(m_book->own(), false);
    add(m_book->published(), false);
    int index = m_campaign->findData(m_awaited.isEmpty() ? before : m_awaited);
    if (!m_awaited.isEmpty() && index >= 0)
        m_awaited.clear();
    else if (index < 0)
        index = before.isEmpty() ? -1 : m_campaign->findData(before);
    if (index < 0 && hasOwn)
        index = 0;
    m_campaign->setCurrentIndex(index);
    m_campaign->setPlaceholderText(tr("Choose a campaign"));
    m_filling = false;
    campaignChosen();
}

void ResultView::campaignChosen() {
    const ChartSourcePointer source = m_book->find(m_campaign->currentData().toString());
    if (source == m_source && m_shown > 0)
        return;
    const bool same = source && m_source && source->campaign().id == m_source->campaign().id;
    m_source = source;
    m_export->setSource(source);
    m_exportButton->setEnabled(source != nullptr);
    m_delete->setEnabled(source && source->campaign().origin != Campaign::Origin::Published);
    m_campaign->setToolTip(m_campaign->currentText().toHtmlEscaped());
    m_chartPage->setVisible(source != nullptr); // a hidden one takes no room
    m_emptyPage->setVisible(source == nullptr);
    m_view->setEnabled(source != nullptr);
    if (!same) {
        m_scaleChosen = false;
        m_chart->showAll();
    }
    if (source) {
        m_facts->setText(factsOf(*source));
        const QString doubts = doubtsOf(*source);
        m_notes->setText(doubts);
        m_notesRow->setVisible(!doubts.isEmpty());
        fillChoices();
    }
    refresh();
    Q_EMIT campaignChanged();
}

void ResultView::fillChoices() {
    m_filling = true;
    // A quantity that this campaign has.
    if (!m_source->has(m_quantity))
        for (const Quantity quantity : allQuantities)
            if (m_source->has(quantity)) {
                m_quantity = quantity;
                break;
            }
    for (std::size_t i = 0; i < m_quantities.size(); ++i) {
        const Quantity quantity = allQuantities.at(i);
        const bool has = m_source->has(quantity);
        m_quantities.at(i)->setEnabled(has);
        m_quantities.at(i)->setChecked(quantity == m_quantity);
        m_quantities.at(i)->setToolTip(has ? QString() : tr("Not measured."));
        m_quantities.at(i)->setAccessibleDescription(m_quantities.at(i)->toolTip());
    }
    const QString view = m_view->currentData().toString();
    m_view->clear();
    m_view->addItem(tr("Values"), valuesView);
    if (m_source->executors().size() > 1)
        for (const QString& executor : m_source->executors())
            m_view->addItem(tr("Ratio to %1").arg(m_source->identity(executor).name),
                            ratioView + executor);
    m_view->addItem(tr("History"), historyView);
    m_view->addItem(tr("Percentiles"), percentilesView);
    int index = m_view->findData(view);
    if (index < 0)
        index = std::max(0, m_view->findData(ratioView + m_source->usualBaseline()));
    m_view->setCurrentIndex(index);
    const QString beside = m_beside->currentData().toString();
    m_beside->clear();
    m_beside->addItem(tr("Nothing"), QString());
    for (const auto& list : {m_book->published(), m_book->own()})
        for (const ChartSourcePointer& other : list)
            if (other != m_source && other->campaign().id != m_source->campaign().id) {
                m_beside->addItem(titleOf(other->campaign()), other->campaign().id);
                m_beside->setItemData(
                    m_beside->count() - 1, factsOf(*other).toHtmlEscaped(), Qt::ToolTipRole);
            }
    m_beside->setCurrentIndex(std::max(0, m_beside->findData(beside)));
    m_filling = false;
    fillWorkloads();
}

void ResultView::fillWorkloads() {
    const QString view = m_view->currentData().toString();
    const bool ofOne = view == historyView || view == percentilesView;
    if (view == percentilesView && m_quantity != Quantity::Latency)
        m_before = std::exchange(m_quantity, Quantity::Latency);
    else if (view != percentilesView && m_before && m_source && m_source->has(*m_before))
        m_quantity = *std::exchange(m_before, std::nullopt);
    for (std::size_t i = 0; i < m_quantities.size(); ++i) {
        m_quantities.at(i)->setChecked(allQuantities.at(i) == m_quantity);
        m_quantities.at(i)->setEnabled(
            m_source && m_source->has(allQuantities.at(i)) &&
            (view != percentilesView || allQuantities.at(i) == Quantity::Latency));
    }
    m_workloadField->setVisible(ofOne);
    m_besideField->setVisible(!ofOne);
    m_filling = true;
    const QString before = m_workload->currentText();
    m_workload->clear();
    if (m_source)
        for (const ChartGroup& group : m_source->groups(m_quantity))
            m_workload->addItem(group.title);
    m_workload->setCurrentIndex(std::max(0, m_workload->findText(before)));
    m_filling = false;
}

// Campaigns of the same suite on the same machine, or on a computer like this one.
QList<ChartSourcePointer> ResultView::historyOfSource() const {
    const Campaign& campaign = m_source->campaign();
    const auto hardware = [](const Campaign& one) {
        return one.host.value(QLatin1String("hardware")).toString();
    };
    QList<ChartSourcePointer> sources;
    for (const ChartSourcePointer& other : m_book->own()) {
        const Campaign& one = other->campaign();
        if (one.suite == campaign.suite && machineOf(one) == machineOf(campaign) &&
            hardware(one) == hardware(campaign))
            sources.append(other);
    }
    if (!sources.contains(m_source))
        sources.append(m_source);
    return sources;
}

ResultView::Choice ResultView::choice() const {
    Choice choice;
    choice.source = m_source;
    choice.quantity = m_quantity;
    choice.view = m_view->currentData().toString();
    choice.beside = m_book->find(m_beside->currentData().toString());
    choice.group = m_source->groups(m_quantity).value(m_workload->currentIndex());
    if (choice.view == historyView)
        choice.history = historyOfSource();
    return choice;
}

ResultView::Drawn ResultView::drawnOf(const Choice& choice) {
    Drawn drawn;
    const ChartSource& source = *choice.source;
    QString baseline = source.usualBaseline();
    if (choice.view.startsWith(ratioView))
        baseline = choice.view.mid(ratioView.size());
    const bool isRatio = choice.view.startsWith(ratioView);
    if (choice.view == historyView)
        drawn.data = bench::historyOf(choice.history, choice.group);
    else if (choice.view == percentilesView)
        drawn.data = percentilesOf(source, choice.group);
    else
        drawn.data =
            barsOf(source, {choice.quantity, isRatio ? baseline : QString(), choice.beside});
    if (source.executors().size() < 2)
        baseline.clear();
    drawn.baseline = source.identity(baseline).name;
    drawn.rows = resultRows(source, choice.quantity, baseline, choice.beside);
    if (choice.beside) {
        drawn.besideTitle = choice.beside->campaign().title;
        drawn.besideFacts = factsOf(*choice.beside);
    }
    const bool isBars = drawn.data.kind == ChartData::Kind::Bars;
    drawn.isBesideMissing = choice.beside && isBars &&
                            std::none_of(drawn.data.series.begin(),
                                         drawn.data.series.end(),
                                         [](const ChartSeries& series) { return series.isBeside; });
    drawn.winner = winnerOf(source);
    drawn.isWide = choice.view == percentilesView || isSpreadWide(drawn.data);
    return drawn;
}

void ResultView::refresh() {
    const int number = ++m_wanted;
    if (!m_source) {
        m_shown = number;
        m_winner.reset();
        m_chart->setData({}, false);
        m_table->show({}, {}, {});
        Q_EMIT shown();
        return;
    }
    inBackground(
        this,
        [choice = choice()] { return drawnOf(choice); },
        [this, number, keepScale = m_scaleChosen](const Drawn& drawn) {
            take(drawn, number, keepScale);
        });
}

void ResultView::take(const Drawn& drawn, int number, bool keepScale) {
    if (number != m_wanted)
        return; // something else was chosen meanwhile
    m_shown = number;
    if (!keepScale && !m_scaleChosen)
        m_logarithmic->setChecked(drawn.isWide);
    m_chart->setData(drawn.data, m_logarithmic->isChecked());
    m_chart->setAccessibleName(tr("Chart: %1, %2").arg(nameOf(m_quantity), m_view->currentText()));
    m_table->show(drawn.rows, drawn.baseline, drawn.besideTitle);
    m_besideFacts->setText(tr("Beside it: %1").arg(drawn.besideFacts));
    m_besideFacts->setVisible(!drawn.besideFacts.isEmpty());
    m_export->setBesideFacts(drawn.besideFacts);
    m_winner = drawn.winner;
    m_missing = drawn.isBesideMissing ? drawn.besideTitle : QString();
    tellMark();
    Q_EMIT shown();
}

void ResultView::tellMark() {
    const QStringList lines = m_chart->told();
    if (lines.isEmpty()) {
        const bool isEmpty = m_chart->data().isEmpty();
        const bool more = moreIsBetter(metricsOf(m_quantity).constFirst());
        m_told->setText(isEmpty ? tr("There is nothing to draw in this view.")
                        : more  ? tr("More is better.")
                                : tr("Less is better."));
        if (!m_missing.isEmpty())
            m_told->setText(tr("Nothing is beside it: no workload and place of this view is also "
                               "in \"%1\".")
                                .arg(m_missing));
        m_toldMore->setText(
            isEmpty ? QString()
                    : tr("Point at a mark, or reach it with Tab and the arrow keys: value, "
                         "spread and command are told here. The legend hides series."));
        return;
    }
    m_told->setText(lines.mid(0, 2).join(QStringLiteral(": ")));
    m_toldMore->setText(lines.mid(2).join(QStringLiteral("  ")));
}

} // namespace vitrine::ui
