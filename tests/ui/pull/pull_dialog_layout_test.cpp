// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/pull/pull_dialog_fixture.h"

#include <QComboBox>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QTcpSocket>
#include <QToolButton>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

// Shown controls and texts that are lower than they need to be.
QStringList cutOff(const QWidget& page) {
    QStringList cut;
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(&page))
            continue;
        const auto* label = qobject_cast<const QLabel*>(widget);
        int needed = 0;
        if (label && label->wordWrap() && !label->text().isEmpty())
            needed = label->heightForWidth(label->width());
        else if (qobject_cast<const QLineEdit*>(widget) ||
                 qobject_cast<const QAbstractButton*>(widget) ||
                 (label && !label->text().isEmpty()) || qobject_cast<const QComboBox*>(widget))
            needed = widget->minimumSizeHint().height();
        if (widget->height() < needed)
            cut << QStringLiteral("%1 \"%2\" is %3 high instead of %4")
                       .arg(QLatin1String(widget->metaObject()->className()),
                            label ? label->text().left(40) : widget->accessibleName())
                       .arg(widget->height())
                       .arg(needed);
    }
    return cut;
}

class PullDialogLayout : public PullDialogFixture {
protected:
    void expectWhole(const char* when) {
        ASSERT_TRUE(waitUntil([this] { return cutOff(*m_dialog).isEmpty(); }))
            << when << ": " << cutOff(*m_dialog).join(QStringLiteral("; ")).toStdString();
        const QLineEdit* image = field(QStringLiteral("Image to pull"));
        QWidget* content = m_dialog->findChild<QScrollArea*>()->widget();
        const int below = image->mapTo(content, QPoint(0, image->height())).y();
        EXPECT_GE(http()->mapTo(content, QPoint()).y(), below) << when;
        if (!bar()->isShown())
            return;
        EXPECT_GE(bar()->mapTo(content, QPoint()).y(),
                  http()->mapTo(content, QPoint(0, http()->height())).y())
            << when;
    }
};

} // namespace

TEST_F(PullDialogLayout, AnErrorOfAnyLengthCutsNothingOff) {
    expectWhole("empty");
    for (const int words : {1, 30, 120, 600}) {
        const QString text = QStringLiteral("wrong version number ").repeated(words);
        bar()->showError({Error::Kind::Network, text, {}});
        bar()->addAction(QStringLiteral("Try Again"), [] {});
        expectWhole(qPrintable(QString::number(words)));
        EXPECT_LE(m_dialog->frameGeometry().height(),
                  m_dialog->screen()->availableGeometry().height());
        EXPECT_TRUE(
            m_dialog->rect().contains(pull()->mapTo(m_dialog.get(), pull()->rect().bottomLeft())));
        if (words == 30)
            savePicture(*m_dialog, QStringLiteral("pull-long-error"));
    }
    const auto* scroll = m_dialog->findChild<QScrollArea*>();
    EXPECT_GT(scroll->verticalScrollBar()->maximum(), 0) << "what does not fit can be reached";
}

TEST_F(PullDialogLayout, ALowWindowScrollsInsteadOfCutting) {
    bar()->showError({Error::Kind::Network, QStringLiteral("It broke. ").repeated(40), {}});
    expectWhole("before");
    m_dialog->resize(m_dialog->minimumWidth(), 320);
    expectWhole("low");
    EXPECT_GT(m_dialog->findChild<QScrollArea*>()->verticalScrollBar()->maximum(), 0);
    savePicture(*m_dialog, QStringLiteral("pull-low"));
}

TEST_F(PullDialogLayout, ALongAddressDoesNotWidenTheDialogue) {
    bar()->showError(
        {Error::Kind::Network,
         QStringLiteral("\"https://127.0.0.1/%1\" broke.").arg(QString(400, QLatin1Char('x'))),
         {}});
    expectWhole("address");
    const auto* scroll = m_dialog->findChild<QScrollArea*>();
    EXPECT_LE(scroll->widget()->minimumSizeHint().width(), scroll->viewport()->width());
    EXPECT_TRUE(bar()->text().contains(QString(400, QLatin1Char('x'))));
}

TEST_F(PullDialogLayout, TabGoesThroughTheDialogueAsItIsRead) {
    bar()->showError({Error::Kind::Network, QStringLiteral("It broke."), {}});
    QPushButton* again = bar()->addAction(QStringLiteral("Try Again"), [] {});
    QList<const QWidget*> order;
    const QWidget* first = field(QStringLiteral("Image to pull"));
    for (const QWidget* at = first->nextInFocusChain(); at != first; at = at->nextInFocusChain())
        order << at;
    const QList<const QWidget*> wanted{http(),
                                       always(),
                                       again,
                                       bar()->findChild<QToolButton*>(),
                                       machine(),
                                       machineName(),
                                       m_dialog->findChild<QComboBox*>(),
                                       button(QStringLiteral("Copy Command")),
                                       button(QStringLiteral("Cancel")),
                                       pull()};
    for (qsizetype i = 1; i < wanted.size(); ++i)
        EXPECT_LT(order.indexOf(wanted[i - 1]), order.indexOf(wanted[i]))
            << wanted[i - 1]->accessibleName().toStdString() << " before "
            << wanted[i]->accessibleName().toStdString();
}

TEST_F(PullDialogLayout, ARegistryOfPlainHttpGetsTheBoxNamed) {
    QTcpServer server;
    ASSERT_TRUE(server.listen(QHostAddress::LocalHost));
    QObject::connect(&server, &QTcpServer::newConnection, &server, [&server] {
        QTcpSocket* socket = server.nextPendingConnection();
        QObject::connect(socket, &QTcpSocket::readyRead, socket, [socket] {
            socket->write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
            socket->disconnectFromHost();
        });
    });
    m_dialog->setReference(QStringLiteral("127.0.0.1:%1/a/b:latest").arg(server.serverPort()));
    ASSERT_TRUE(waitUntil([this] { return bar()->isShown(); }, 60000));
    EXPECT_TRUE(bar()->text().contains(QStringLiteral("\"Without encryption (http)\"")))
        << bar()->text().toStdString();
    EXPECT_TRUE(bar()->text().contains(QString::number(server.serverPort())));
    expectWhole("error");
    savePicture(*m_dialog, QStringLiteral("pull-plain-http"));
    applyTheme(SchemeChoice::Dark);
    savePicture(*m_dialog, QStringLiteral("pull-plain-http-dark"));
}
