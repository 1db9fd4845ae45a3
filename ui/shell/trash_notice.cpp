// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/trash_notice.h"

#include "core/disk/trash.h"
#include "ui/machines/background.h"
#include "ui/shell/desktop.h"
#include "ui/widgets/message_bar.h"

namespace vitrine::ui {

void showTrashNotice(MessageBar* message,
                     const QString& name,
                     const QString& directory,
                     const std::function<void()>& restored) {
    message->showMessage(MessageBar::Kind::Info, {}, Tr::tr("\"%1\" is in the Trash.").arg(name));
    QPushButton* undo = message->addAction(Tr::tr("Undo"), {});
    QObject::connect(undo, &QPushButton::clicked, message, [=] {
        undo->setEnabled(false); // once
        inBackground(
            message,
            [directory] { return restoreFromTrash(directory); },
            [=](const Result<>& back) {
                if (back) {
                    message->clear();
                    restored();
                    return;
                }
                message->showError(back.error(), Tr::tr("\"%1\" was not put back.").arg(name));
                message->addAction(Tr::tr("Open Trash"), [] { openTrash(); });
            });
    });
}

} // namespace vitrine::ui
