// SPDX-License-Identifier: Apache-2.0
#include "ui/network/learn_dialog.h"

#include "core/softnet/softnet_learning.h"
#include "core/value/byte_count.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int ruleColumn = 0;
constexpr int namesColumn = 1;
constexpr int bytesColumn = 2;
constexpr qsizetype mostNames = 3;
constexpr qsizetype mostRulesTold = 6;

struct Use {
    QStringList names;
    qint64 bytes = 0;
};

// What was seen under "out A.B.C.D/32" or "out A.B.C.D/32:PORT".
Use useOf(const QString& rule, const QList<SoftnetDestination>& seen) {
    Use use;
    const QString target = rule.section(QLatin1Char(' '), 1);
    const QString address = target.section(QLatin1Char('/'), 0, 0);
    const QString port = target.section(QLatin1Char(':'), 1);
    for (const SoftnetDestination& one : seen) {
        if (one.incoming || one.address != address ||
            (!port.isEmpty() && QString::number(one.port) != port))
            continue;
        use.bytes += one.bytesIn + one.bytesOut;
        if (!one.name.isEmpty() && !use.names.contains(one.name))
            use.names.append(one.name);
    }
    return use;
}

QString told(const QString& kind, const QStringList& rules) {
    if (rules.isEmpty())
        return {};
    QString text = rules.mid(0, mostRulesTold).join(QLatin1String(", "));
    if (rules.size() > mostRulesTold)
        text += LearnDialog::tr(" and %1 more").arg(rules.size() - mostRulesTold);
    return QStringLiteral("%1: %2").arg(kind, text);
}

} // namespace

LearnDialog::LearnDialog(const Facts& facts, QWidget* parent)
    : QDialog(parent)
    , m_proposal(proposeRules(facts.seen))
    , m_list(new QTreeWidget(this))
    , m_rest(new QCheckBox(tr("Block everything else that the guest may open"), this))
    , m_count(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_replaces(new TextLabel({}, TextSize::Small, TextTone::Secondary, this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowModality(Qt::WindowModal);
    setWindowTitle(tr("Rules Learned for \"%1\"").arg(facts.machine));
    setBackgroundRole(QPalette::Base);
    m_list->setColumnCount(3);
    m_list->setHeaderLabels({tr("Allow"), tr("Names (a hint)"), tr("Sent and got")});
    m_list->setAccessibleName(tr("Learned rules"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setTabKeyNavigation(false);
    m_list->header()->setSectionResizeMode(ruleColumn, QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(namesColumn, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(bytesColumn, QHeaderView::ResizeToContents);
    m_list->header()->setStretchLastSection(false);
    m_rest->setChecked(true);
    m_rest->setToolTip(m_proposal.block.join(QLatin1String(", ")));
    m_count->setWordWrap(true);
    m_replaces->setWordWrap(true);
    fill(facts);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* body = new QVBoxLayout;
    body->setContentsMargins(
        spacing::pageHorizontal, spacing::block, spacing::pageHorizontal, spacing::block);
    body->setSpacing(spacing::grid);
    body->addWidget(m_count);
    body->addWidget(m_list, 1);
    body->addWidget(m_rest);
    body->addWidget(m_replaces);
    layout->addLayout(body, 1);
    layout->addWidget(new Hairline(Qt::Horizontal, this));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(spacing::pageHorizontal, 12, spacing::pageHorizontal, 12);
    bar->setSpacing(spacing::grid);
    bar->addWidget(new TextLabel(facts.keep ? tr("They hold from now on.")
                                            : tr("They hold until the machine stops."),
                                 TextSize::Small,
                                 TextTone::Secondary,
                                 this),
                   1);
    auto* discard = normalButton(tr("Discard"), {}, this);
    auto* apply = primaryButton(tr("Apply"), {}, this);
    bar->addWidget(discard);
    bar->addWidget(apply);
    layout->addLayout(bar);
    resize(640, 460);
    setMinimumSize(480, 320);
    connect(m_list, &QTreeWidget::itemChanged, this, &LearnDialog::updateCount);
    connect(m_rest, &QCheckBox::toggled, this, &LearnDialog::updateCount);
    connect(discard, &QPushButton::clicked, this, &QDialog::reject);
    connect(apply, &QPushButton::clicked, this, [this] {
        const SoftnetPolicy policy = chosen();
        accept();
        Q_EMIT applied(policy);
    });
    m_list->setFocus();
    updateCount();
}

void LearnDialog::fill(const Facts& facts) {
    for (const QString& rule : std::as_const(m_proposal.allow)) {
        const Use use = useOf(rule, facts.seen);
        auto* item = new QTreeWidgetItem(m_list);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(ruleColumn, Qt::Checked);
        item->setSizeHint(namesColumn, QSize(0, spacing::denseRow)); // that one takes what is left
        item->setText(ruleColumn, rule);
        item->setFont(ruleColumn, Theme::fixed());
        QString names = use.names.mid(0, mostNames).join(QLatin1String(", "));
        if (use.names.size() > mostNames)
            names += tr(" and %1 more").arg(use.names.size() - mostNames);
        item->setText(namesColumn, names);
        item->setToolTip(namesColumn, use.names.join(QLatin1Char('\n')).toHtmlEscaped());
        item->setText(bytesColumn, ByteCount::fromBytes(static_cast<quint64>(use.bytes)).toText());
        item->setTextAlignment(bytesColumn, Qt::AlignRight | Qt::AlignVCenter);
    }
    if (m_list->topLevelItemCount() > 0)
        m_list->setCurrentItem(m_list->topLevelItem(0));
    QStringList parts{told(tr("allow"), facts.inForce.allow),
                      told(tr("block"), facts.inForce.block)};
    parts.removeAll(QString());
    m_replaces->setText(parts.isEmpty()
                            ? tr("There is no rule that they replace.")
                            : tr("They replace %1.").arg(parts.join(QLatin1String("; "))));
}

QString LearnDialog::replaces() const {
    return m_replaces->text();
}

SoftnetPolicy LearnDialog::chosen() const {
    SoftnetPolicy policy;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row)
        if (m_list->topLevelItem(row)->checkState(ruleColumn) == Qt::Checked)
            policy.allow.append(m_list->topLevelItem(row)->text(ruleColumn));
    if (m_rest->isChecked())
        policy.block = m_proposal.block;
    return policy;
}

void LearnDialog::updateCount() {
    const qsizetype ticked = chosen().allow.size();
    m_count->setText(m_proposal.allow.isEmpty() ? tr("The guest opened no connection while it was "
                                                     "watched. With the tick below it could "
                                                     "open none afterwards.")
                                                : tr("The tightest rules under which everything "
                                                     "goes on that the guest opened: %1 of %2 "
                                                     "are ticked.")
                                                      .arg(ticked)
                                                      .arg(m_proposal.allow.size()));
}

} // namespace vitrine::ui
