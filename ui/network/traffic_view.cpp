// SPDX-License-Identifier: Apache-2.0
#include "ui/network/traffic_view.h"

#include "ui/network/destination_table.h"
#include "ui/network/firewall_link.h"
#include "ui/network/pass_tester.h"
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/text_label.h"

#include <QButtonGroup>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>

namespace vitrine::ui {

using Verdicts = DestinationModel::Verdicts;

TrafficView::TrafficView(FirewallLink* link, QWidget* parent)
    : QWidget(parent)
    , m_link(link)
    , m_model(new DestinationModel(this))
    , m_verdicts{normalButton({}, {}, this), normalButton({}, {}, this), normalButton({}, {}, this)}
    , m_filter(new QLineEdit(this))
    , m_stack(new QStackedWidget(this))
    , m_table(new DestinationTable(m_model, m_stack))
    , m_tester(new PassTester(
          [link](const QJsonObject& question, PassTester::Reply reply) {
              link->test(question, std::move(reply));
          },
          this)) {
    auto* group = new QButtonGroup(this);
    const std::array segments{Segment::First, Segment::Middle, Segment::Last};
    auto* segmentRow = new QHBoxLayout;
    segmentRow->setSpacing(0);
    for (size_t i = 0; i < m_verdicts.size(); ++i) {
        QPushButton* button = m_verdicts.at(i);
        button->setCheckable(true);
        button->setProperty(property::segment, static_cast<int>(segments.at(i)));
        group->addButton(button);
        segmentRow->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, i] {
            setVerdicts(static_cast<Verdicts>(i));
        });
    }
    m_verdicts.front()->setChecked(true);
    m_filter->setPlaceholderText(tr("Filter by name, address or port"));
    m_filter->setAccessibleName(tr("Filter what the guest talked to"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(themeIcon(u"filter"), QLineEdit::LeadingPosition);
    auto* top = new QHBoxLayout;
    top->setSpacing(spacing::grid);
    top->addLayout(segmentRow);
    top->addWidget(m_filter, 1);

    auto* empty = new QWidget(m_stack);
    auto* words = new QVBoxLayout(empty);
    words->setContentsMargins(0, spacing::block, 0, 0);
    m_empty = sectionHeading({}, empty);
    m_emptyWhy = helpLabel({}, empty);
    words->addWidget(m_empty);
    words->addWidget(m_emptyWhy);
    words->addStretch();
    m_stack->addWidget(m_table);
    m_stack->addWidget(empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::grid);
    layout->addLayout(top);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_tester);

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_model->setFilter(text);
        updateTotals();
    });
    connect(m_model, &DestinationModel::totalsChanged, this, &TrafficView::updateTotals);
    connect(
        m_link, &FirewallLink::seen, this, [this](const QList<SoftnetDestination>& destinations) {
            m_model->setClockBegan(m_link->clockBegan());
            m_model->take(destinations);
        });
    connect(m_link, &FirewallLink::restarted, m_model, &DestinationModel::clear);
    connect(m_link, &FirewallLink::statusChanged, this, [this] {
        m_model->setClockBegan(m_link->clockBegan());
        m_tester->testAgain();
    });
    connect(m_table, &DestinationTable::pressed, this, &TrafficView::pressed);
    connect(m_table, &DestinationTable::menuWanted, this, &TrafficView::showMenu);
    connect(m_table, &DestinationTable::currentMoved, this, [this] {
        m_testing = false;
        Q_EMIT commandChanged();
    });
    connect(m_tester, &PassTester::changed, this, [this] {
        m_testing = true;
        Q_EMIT commandChanged();
    });
    updateTotals();
}

void TrafficView::showMachine() {
    m_filter->clear();
    m_verdicts.front()->setChecked(true);
    setVerdicts(Verdicts::All);
    m_tester->clear();
    m_testing = false;
}

void TrafficView::setVerdicts(Verdicts verdicts) {
    m_model->setVerdicts(verdicts);
    updateTotals();
    Q_EMIT commandChanged();
}

void TrafficView::updateTotals() {
    const QLocale locale;
    const auto number = [&](Verdicts verdicts) {
        return locale.toString(m_model->total(verdicts));
    };
    verdictButton(Verdicts::All)->setText(tr("All %1").arg(number(Verdicts::All)));
    verdictButton(Verdicts::Allowed)->setText(tr("Allowed %1").arg(number(Verdicts::Allowed)));
    verdictButton(Verdicts::Blocked)->setText(tr("Blocked %1").arg(number(Verdicts::Blocked)));
    const bool nothing = m_model->rowCount() == 0;
    const bool any = m_model->total(Verdicts::All) > 0;
    m_empty->setText(any ? tr("Nothing fits the filter") : tr("Nothing seen yet"));
    m_emptyWhy->setText(any ? tr("Clear the filter or show all to see the rest.")
                            : tr("As soon as the guest talks to somebody, it stands here: to whom, "
                                 "how much, whether it passed and which rule decided."));
    m_stack->setCurrentIndex(nothing ? 1 : 0);
}

QStringList TrafficView::commandWords(bool keep) const {
    if (m_testing)
        if (const QStringList words = m_tester->commandWords(); !words.isEmpty())
            return words;
    const auto one = m_table->current();
    if (one && whyNoSoftnetRule(*one).isEmpty()) {
        QStringList words{one->passesNow() ? QStringLiteral("block") : QStringLiteral("allow"),
                          softnetRuleFor(*one, m_link->status().policy, SoftnetScope::Port)};
        if (!keep)
            words << QStringLiteral("--once");
        return words;
    }
    return verdictButton(Verdicts::Blocked)->isChecked()
               ? QStringList{QStringLiteral("log"), QStringLiteral("--blocked")}
               : QStringList{QStringLiteral("log")};
}

void TrafficView::showMenu(const SoftnetDestination& destination, QPoint position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    const QString why = whyNoSoftnetRule(destination);
    const SoftnetPolicy& policy = m_link->status().policy;
    const QString port = softnetRuleFor(destination, policy, SoftnetScope::Port);
    const QString address = softnetRuleFor(destination, policy, SoftnetScope::Address);
    const auto offer = [&](const QString& rule, SoftnetScope scope, bool keep) {
        const QString text =
            destination.passesNow()
                ? (keep ? tr("Block %1 from Now On") : tr("Block %1 Until the Machine Stops"))
                : (keep ? tr("Allow %1 from Now On") : tr("Allow %1 Until the Machine Stops"));
        QAction* action = menu->addAction(text.arg(rule));
        action->setEnabled(why.isEmpty());
        action->setToolTip(why.toHtmlEscaped());
        connect(action, &QAction::triggered, this, [this, destination, scope, keep] {
            Q_EMIT ruleWanted(destination, scope, keep);
        });
    };
    for (const bool keep : {true, false})
        offer(port, SoftnetScope::Port, keep);
    if (address != port) {
        menu->addSeparator();
        for (const bool keep : {true, false})
            offer(address, SoftnetScope::Address, keep);
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Would This Pass?")),
            &QAction::triggered,
            this,
            [this, destination] { m_tester->test(destination); });
    connect(menu->addAction(themeIcon(u"copy"), tr("Copy Address")),
            &QAction::triggered,
            this,
            [destination] { QGuiApplication::clipboard()->setText(destination.address); });
    QAction* copyName = menu->addAction(tr("Copy Name"));
    copyName->setEnabled(!destination.name.isEmpty());
    connect(copyName, &QAction::triggered, this, [destination] {
        QGuiApplication::clipboard()->setText(destination.name);
    });
    QMenu* order = menu->addMenu(tr("Sort By"));
    for (int column = 0; column < DestinationModel::Action; ++column) {
        if (m_table->isColumnHidden(column))
            continue;
        const QString title =
            m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        connect(order->addAction(title), &QAction::triggered, this, [this, column] {
            const bool numbers = column == DestinationModel::Seen ||
                                 column == DestinationModel::Packets ||
                                 column == DestinationModel::Bytes;
            m_table->sortByColumn(column, numbers ? Qt::DescendingOrder : Qt::AscendingOrder);
        });
    }
    menu->popup(position);
}

} // namespace vitrine::ui
