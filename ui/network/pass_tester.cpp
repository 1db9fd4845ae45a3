// SPDX-License-Identifier: Apache-2.0
#include "ui/network/pass_tester.h"

#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPointer>
#include <QStyle>

namespace vitrine::ui {

namespace {

constexpr int typingTime = 250; // ms without a key

} // namespace

PassTester::PassTester(Ask ask, QWidget* parent)
    : QWidget(parent)
    , m_ask(std::move(ask))
    , m_where(new QLineEdit(this))
    , m_protocol(new QComboBox(this))
    , m_direction(new QComboBox(this))
    , m_glyph(new GlyphLabel(this))
    , m_verdict(new TextLabel({}, TextSize::BodyStrong, TextTone::Text, this))
    , m_why(new TextLabel({}, TextSize::Body, TextTone::Secondary, this)) {
    m_direction->addItem(tr("From the guest to"), QStringLiteral("out"));
    m_direction->addItem(tr("To the guest from"), QStringLiteral("in"));
    m_direction->setAccessibleName(tr("Who begins"));
    m_where->setFont(Theme::fixed());
    m_where->setPlaceholderText(QStringLiteral("10.4.9.5:443"));
    m_where->setAccessibleName(tr("Address and port to test"));
    m_where->setClearButtonEnabled(true);
    m_where->setMinimumWidth(180);
    m_where->setMaximumWidth(280);
    for (const char* protocol : {"tcp", "udp", "icmp"})
        m_protocol->addItem(QString::fromLatin1(protocol).toUpper(), QLatin1String(protocol));
    m_protocol->setAccessibleName(tr("Protocol to test"));
    m_why->setWordWrap(true);
    m_glyph->hide();

    auto* line = new QHBoxLayout;
    line->setSpacing(spacing::grid);
    line->addWidget(m_direction);
    line->addWidget(m_where, 1);
    line->addWidget(m_protocol);
    line->addStretch();
    auto* answer = new QHBoxLayout;
    answer->setSpacing(spacing::grid);
    answer->addWidget(m_glyph);
    answer->addWidget(m_verdict);
    answer->addWidget(m_why, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::tight);
    layout->addWidget(sectionHeading(tr("Would this pass?"), this));
    layout->addLayout(line);
    layout->addLayout(answer);

    m_typing.setSingleShot(true);
    connect(&m_typing, &QTimer::timeout, this, &PassTester::ask);
    connect(m_where, &QLineEdit::textChanged, this, [this] { m_typing.start(typingTime); });
    connect(m_where, &QLineEdit::returnPressed, this, &PassTester::ask);
    connect(m_protocol, &QComboBox::currentIndexChanged, this, &PassTester::ask);
    connect(m_direction, &QComboBox::currentIndexChanged, this, &PassTester::ask);
    clear();
}

void PassTester::clear() {
    m_where->clear();
    m_typing.stop();
    ask();
}

void PassTester::testAgain() {
    if (!m_where->text().trimmed().isEmpty() && !m_typing.isActive())
        ask();
}

void PassTester::test(const SoftnetDestination& destination) {
    const int protocol = m_protocol->findData(destination.protocol);
    {
        const QSignalBlocker protocols(m_protocol);
        const QSignalBlocker directions(m_direction);
        m_protocol->setCurrentIndex(std::max(0, protocol));
        m_direction->setCurrentIndex(destination.incoming ? 1 : 0);
    }
    m_where->setText(destination.port == 0
                         ? destination.address
                         : QStringLiteral("%1:%2").arg(destination.address).arg(destination.port));
    m_where->setFocus(Qt::OtherFocusReason);
    ask();
}

QStringList PassTester::commandWords() const {
    const auto where = SoftnetEndpoint::fromText(m_where->text());
    if (!where || (where->port == 0 && m_protocol->currentData() != QLatin1String("icmp")))
        return {};
    QStringList words{QStringLiteral("test"), m_where->text().trimmed()};
    if (m_direction->currentIndex() == 1)
        words << QStringLiteral("--in");
    if (m_protocol->currentIndex() != 0)
        words << QStringLiteral("--protocol") << m_protocol->currentData().toString();
    return words;
}

QString PassTester::answer() const {
    return QStringList{m_verdict->text(), m_why->text()}.join(QLatin1Char(' ')).trimmed();
}

void PassTester::showText(const QString& strong, const QString& text) {
    m_verdict->setText(strong);
    m_verdict->setVisible(!strong.isEmpty());
    m_why->setText(text);
    m_where->setAccessibleDescription(answer());
    Q_EMIT changed();
}

void PassTester::ask() {
    m_typing.stop();
    const int question = ++m_asked;
    const QString text = m_where->text().trimmed();
    const auto where = SoftnetEndpoint::fromText(text);
    const bool wrong = !text.isEmpty() && !where;
    if (m_where->property(property::invalid).toBool() != wrong) {
        m_where->setProperty(property::invalid, wrong);
        m_where->update();
    }
    if (!where) {
        m_glyph->setVisible(wrong);
        if (wrong)
            m_glyph->setGlyph(Glyph::Broken);
        showText({},
                 wrong ? where.error().message
                       : tr("An address and a port. Names are not looked up."));
        return;
    }
    const QString protocol = m_protocol->currentData().toString();
    const bool hasPorts = protocol != QLatin1String("icmp");
    if (hasPorts && where->port == 0) {
        m_glyph->hide();
        showText({},
                 tr("%1 has ports: write %2, with the port that matters.")
                     .arg(m_protocol->currentText(), where->address + QLatin1String(":443")));
        return;
    }
    m_ask({{QStringLiteral("direction"), m_direction->currentData().toString()},
           {QStringLiteral("address"), where->address},
           {QStringLiteral("port"), hasPorts ? where->port : 0},
           {QStringLiteral("protocol"), protocol}},
          [self = QPointer<PassTester>(this), question](const Result<SoftnetAnswer>& answer) {
              if (self && question == self->m_asked)
                  self->show(answer);
          });
}

void PassTester::show(const Result<SoftnetAnswer>& answer) {
    m_glyph->show();
    if (!answer) {
        m_glyph->setGlyph(Glyph::Warning);
        showText({}, answer.error().message);
        return;
    }
    m_glyph->setGlyph(answer->passes ? Glyph::Done : Glyph::Blocked);
    const QString reason = softnetReasonText(answer->reason, answer->rule);
    const QString why = answer->rule.isEmpty() ? reason + QLatin1Char('.')
                        : answer->passes ? tr("The rule that allows %1 decides.").arg(answer->rule)
                                         : tr("The rule that blocks %1 decides.").arg(answer->rule);
    showText(answer->passes ? tr("Yes, it would pass.") : tr("No, it would be blocked."), why);
}

} // namespace vitrine::ui
