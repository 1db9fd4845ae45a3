// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/creation_drop.h"

#include "core/result/error.h"
#include "ui/create/creation_choice.h"

#include <QFileInfo>

namespace vitrine::ui {

PathDrop::Offer creationOffer(const QStringList& paths) {
    using Kind = CreationChoice::Kind;
    PathDrop::Offer offer;
    const auto kind =
        paths.size() == 1 ? CreationChoice::kindOfFile(paths.first()) : std::optional<Kind>();
    if (!kind) {
        offer.accepted = false;
        offer.title = Tr::tr("No machine can be made of that.");
        offer.text = Tr::tr("Drop one installation disc (.iso), raw disk image (.img, .raw) or "
                            "restore image of macOS (.ipsw) here. Folders and files are dropped on "
                            "a machine in the list, or on its console.");
        return offer;
    }
    offer.title =
        Tr::tr("Drop to make a machine from \"%1\"").arg(QFileInfo(paths.first()).fileName());
    switch (*kind) {
    case Kind::Disc:
        offer.text = Tr::tr("A Linux machine with an empty disk that starts from it.");
        break;
    case Kind::DiskImage:
        offer.text = Tr::tr("A Linux machine whose disk is a copy of it.");
        break;
    case Kind::MacOs:
        offer.text = Tr::tr("A macOS machine that is installed from it.");
        break;
    }
    offer.hint = Tr::tr("You are asked for its name and size first.");
    return offer;
}

} // namespace vitrine::ui
