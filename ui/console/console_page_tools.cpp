// SPDX-License-Identifier: Apache-2.0
// What the console page's tools do: picture, text, clipboard, serial console.
#include "core/hypervisor/machine_client.h"
#include "ui/console/clipboard_bridge.h"
#include "ui/console/console_notice.h"
#include "ui/console/console_page.h"
#include "ui/console/console_status_line.h"
#include "ui/console/picture_writer.h"
#include "ui/console/send_text_dialog.h"
#include "ui/console/serial_panel.h"
#include "ui/console/text_typer.h"
#include "ui/terminal/terminal_view.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QFileDialog>
#include <QJsonObject>
#include <QLocale>
#include <QMenu>
#include <QStandardPaths>

namespace vitrine::ui {

void ConsolePage::connectTools() {
    connect(m_fullScreenAction, &QAction::triggered, this, [this] {
        setFullScreen(!isFullScreenShown());
    });
    connect(m_pictureAction, &QAction::triggered, this, &ConsolePage::choosePicturePath);
    connect(m_copyPictureAction, &QAction::triggered, this, &ConsolePage::copyPicture);
    connect(m_toolRow, &ConsoleToolRow::fullScreenRequested, m_fullScreenAction, &QAction::trigger);
    connect(m_toolRow, &ConsoleToolRow::pictureRequested, m_pictureAction, &QAction::trigger);
    connect(
        m_toolRow, &ConsoleToolRow::copyPictureRequested, m_copyPictureAction, &QAction::trigger);
    connect(m_toolRow,
            &ConsoleToolRow::scalingRequested,
            this,
            [this](ConsoleSurface::Scaling scaling) {
                m_scaling = scaling;
                if (m_surface) {
                    m_surface->setScaling(scaling);
                }
                applyTools();
            });
    connect(m_toolRow, &ConsoleToolRow::keysRequested, this, [this](const KeyCombination& keys) {
        if (m_surface) {
            m_surface->sendKeys(keys);
            m_surface->grabKeyboard(); // what the keys brought up is most likely typed into next
        }
    });
    connect(m_notice, &ConsoleNotice::actionRequested, this, [this] {
        setStarting();
        Q_EMIT startRequested();
    });
    connect(m_toolRow, &ConsoleToolRow::contentRequested, this, &ConsolePage::showContent);
    connect(m_toolRow, &ConsoleToolRow::sendTextRequested, this, &ConsolePage::askForText);
    connect(m_toolRow, &ConsoleToolRow::terminalMenuRequested, this, [this](const QPoint& at) {
        QMenu* menu = m_serial->view()->makeMenu();
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->popup(at);
    });
    connect(
        m_toolRow, &ConsoleToolRow::clipboardRequested, m_clipboard, &ClipboardBridge::setEnabled);
    connect(m_clipboard, &ClipboardBridge::changed, this, &ConsolePage::applyClipboard);
    connect(m_clipboard, &ClipboardBridge::failed, this, [this](const Error& error) {
        m_message->showError(error, tr("The clipboard's switch was not set."));
        m_message->setDismissible(true);
    });
    // The clipboard is joined only while the screen has the keyboard.
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        const QWidget* screen = m_surface ? m_surface->widget() : nullptr;
        m_clipboard->setActive(screen != nullptr && now != nullptr &&
                               (screen == now || screen->isAncestorOf(now)));
    });
    connect(m_serial, &SerialPanel::changed, this, [this] {
        applyTerminal();
        refresh();
    });
    connect(m_serial, &SerialPanel::keyboardTaken, this, &ConsolePage::applyTools);
    connect(m_serial, &SerialPanel::inputLost, this, [this] {
        m_message->showMessage(MessageBar::Kind::Error,
                               tr("What was typed did not arrive."),
                               tr("The guest does not read its serial line, and more does not fit "
                                  "into it."));
        m_message->setDismissible(true);
    });
    connect(m_typer, &TextTyper::progressed, this, [this] {
        if (m_typer->isRunning()) {
            const QString left = tr("%n more key(s)", nullptr, static_cast<int>(m_typer->left()));
            if (m_message->kind() != MessageBar::Kind::Info || m_typer->left() % 10 == 0) {
                m_message->showMessage(MessageBar::Kind::Info, tr("Typing into the guest."), left);
                m_message->setDismissible(false);
                m_message->addAction(tr("Stop"), [this] {
                    m_typer->stop();
                    m_message->clear();
                    refresh();
                });
            }
        }
    });
    connect(m_typer, &TextTyper::finished, this, [this] {
        m_message->clear();
        refresh();
    });
}

void ConsolePage::showContent(ConsoleToolRow::Content content) {
    if (content != m_content) {
        m_content = content;
        refresh();
    }
    if (content == ConsoleToolRow::Content::Serial && isSerialShown()) {
        m_serial->view()->setFocus();
    }
}

void ConsolePage::applySerial() {
    m_serial->setSocket(m_facts.serialSocket);
    askForSerial();
}

void ConsolePage::applyTerminal() {
    m_toolRow->setTerminal(m_serial->isConnected() ? m_serial->sizeText() : QString(), m_pty);
}

// Where the guest's terminal can be had besides, when the machine was started so. One that just
// starts does not know it yet: then the next status asks again.
void ConsolePage::askForSerial() {
    if (m_serialAsked || m_facts.serialSocket.isEmpty() || !m_client) {
        return;
    }
    m_serialAsked = true;
    m_client->call(QStringLiteral("serial.info"),
                   {},
                   [page = QPointer<ConsolePage>(this),
                    directory = m_facts.directory](const Result<QJsonValue>& reply) {
                       if (!page || page->m_facts.directory != directory) {
                           return;
                       }
                       if (reply) {
                           page->m_pty = (*reply)[QLatin1String("pty")].toString().left(200);
                           page->applyTerminal();
                       }
                       page->m_serialAsked = !page->m_pty.isEmpty();
                   });
}

void ConsolePage::applyClipboard() {
    const bool live = m_surface && m_surface->link() == ConsoleSurface::Link::Live;
    const bool screen = m_content == ConsoleToolRow::Content::Screen;
    m_toolRow->setClipboard(m_clipboard->isEnabled(), m_clipboard->unavailableReason());
    m_statusLine->setClipboard(live && screen ? m_clipboard->stateText() : QString(),
                               m_clipboard->isShared());
}

SendTextDialog* ConsolePage::askForText() {
    if (!m_surface) {
        return nullptr;
    }
    auto* dialog = new SendTextDialog(m_facts.name, m_layout, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog,
            &SendTextDialog::sendRequested,
            this,
            [this, dialog](const QList<KeyStroke>& strokes) {
                m_layout = dialog->layout();
                typeText(strokes);
            });
    dialog->open();
    return dialog;
}

void ConsolePage::typeText(const QList<KeyStroke>& strokes) {
    if (m_surface) {
        m_typer->start(strokes);
    }
}

void ConsolePage::copyPicture() {
    const QImage picture = m_surface ? m_surface->picture() : QImage();
    if (!picture.isNull()) {
        QApplication::clipboard()->setImage(picture);
    }
}

void ConsolePage::choosePicturePath() {
    if (!m_surface) {
        return;
    }
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
    const QString name =
        QStringLiteral("%1 %2.png")
            .arg(m_facts.name, QDateTime::currentDateTime().toString(u"yyyy-MM-dd HH.mm.ss"));
    auto* dialog = new QFileDialog(this, tr("Save a Picture of the Screen"), folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setDefaultSuffix(QStringLiteral("png"));
    dialog->setNameFilter(tr("Pictures (*.png)"));
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this, &ConsolePage::savePicture);
    dialog->open();
}

void ConsolePage::savePicture(const QString& path) {
    const QImage picture = m_surface ? m_surface->picture() : QImage();
    writePicture(
        picture, path, this, [this, path](const QString& error) { pictureWritten(path, error); });
}

void ConsolePage::pictureWritten(const QString& path, const QString& error) {
    if (error.isEmpty()) {
        Q_EMIT pictureSaved(path);
        return;
    }
    m_message->showMessage(MessageBar::Kind::Error, tr("The picture was not saved."), error);
    m_message->setDismissible(true);
}

} // namespace vitrine::ui
