// SPDX-License-Identifier: Apache-2.0
#include "ui/sharing/path_drop.h"

#include "core/result/error.h"
#include "core/sharing/share_spec.h"
#include "ui/sharing/drop_area.h"
#include "ui/sharing/dropped_paths.h"

#include <QDropEvent>
#include <QFileInfo>
#include <QWidget>

namespace vitrine::ui {

PathDrop::Offer shareOffer(const QStringList& paths, const QString& machine) {
    PathDrop::Offer offer;
    if (paths.size() == 1) {
        const QString name = QFileInfo(paths.first()).fileName();
        offer.title = Tr::tr("Drop to share \"%1\" with %2").arg(name, machine);
        offer.text = Tr::tr("Read-only, in the guest at %1, until you stop sharing it.")
                         .arg(QLatin1String(guestShareFolder) + QLatin1Char('/') +
                              freeShareTag(paths.first(), {}));
    } else {
        offer.title =
            Tr::tr("Drop to share %n folders with %1", nullptr, int(paths.size())).arg(machine);
        offer.text = Tr::tr("Read-only, in the guest under %1, until you stop sharing them.")
                         .arg(QLatin1String(guestShareFolder));
    }
    offer.hint = Tr::tr("Hold Shift to let the guest change the files. Files are copied into the "
                        "guest; disk images can be attached.");
    return offer;
}

PathDrop::PathDrop(QWidget* target)
    : QObject(target)
    , m_target(target)
    , m_area(new DropArea(target)) {
    target->setAcceptDrops(true);
    target->installEventFilter(this);
}

bool PathDrop::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::DragEnter: {
        auto* drag = static_cast<QDragEnterEvent*>(event);
        const QStringList paths = localPaths(drag->mimeData());
        if (paths.isEmpty())
            break;
        const Offer offer = m_offer ? m_offer(paths) : Offer();
        m_area->setTexts(offer.title, offer.text, offer.hint);
        m_area->setGeometry(m_areaOf ? m_areaOf() : m_target->rect());
        m_area->raise();
        m_area->show();
        Q_EMIT areaShown(true);
        if (offer.accepted) {
            drag->setDropAction(Qt::CopyAction);
            drag->accept();
        } else {
            // The area says why; leaving is only told of drags that were taken.
            drag->setDropAction(Qt::IgnoreAction);
            drag->accept();
        }
        return true;
    }
    case QEvent::DragMove: {
        auto* drag = static_cast<QDragMoveEvent*>(event);
        if (localPaths(drag->mimeData()).isEmpty())
            break;
        const bool accepted = !m_offer || m_offer(localPaths(drag->mimeData())).accepted;
        drag->setDropAction(accepted ? Qt::CopyAction : Qt::IgnoreAction);
        drag->setAccepted(accepted);
        return true;
    }
    case QEvent::DragLeave:
        m_area->hide();
        Q_EMIT areaShown(false);
        return true;
    case QEvent::Drop: {
        auto* drop = static_cast<QDropEvent*>(event);
        m_area->hide();
        Q_EMIT areaShown(false);
        const QStringList paths = localPaths(drop->mimeData());
        const bool accepted = !paths.isEmpty() && (!m_offer || m_offer(paths).accepted);
        if (!accepted)
            break;
        drop->setDropAction(Qt::CopyAction);
        drop->accept();
        Q_EMIT dropped(paths, drop->modifiers().testFlag(Qt::ShiftModifier));
        return true;
    }
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace vitrine::ui
