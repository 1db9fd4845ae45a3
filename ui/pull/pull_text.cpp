// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/pull_text.h"

#include "core/value/byte_count.h"

#include <QDateTime>
#include <QLocale>

namespace vitrine::ui {

QString foundText(const PullPlan& plan) {
    QStringList facts;
    if (!plan.manifest)
        return {};
    facts << (plan.layers == 1 ? Tr::tr("1 layer") : Tr::tr("%1 layers").arg(plan.layers));
    facts << Tr::tr("disk of %1").arg(ByteCount::fromBytes(plan.manifest->diskSize()).toText());
    // Copies keep the day of the first upload, so it says nothing about this registry.
    const QDateTime made = QDateTime::fromString(plan.manifest->uploadTime(), Qt::ISODate);
    if (made.isValid())
        facts << Tr::tr("made on %1")
                     .arg(QLocale().toString(made.toLocalTime().date(), QLocale::LongFormat));
    return facts.join(QStringLiteral(" · "));
}

QString notFoundText(const Error& error) {
    switch (error.kind) {
    case Error::Kind::InvalidInput:
        return Tr::tr("This is no image name");
    case Error::Kind::Network:
    case Error::Kind::Timeout:
        return Tr::tr("The registry cannot be reached");
    case Error::Kind::Unauthorized:
        return Tr::tr("The registry wants you to sign in");
    case Error::Kind::NotFound:
        return Tr::tr("Not found");
    default:
        return Tr::tr("This image cannot be pulled");
    }
}

QString fetchNote(const PullPlan& plan) {
    if (plan.alreadyHere)
        return Tr::tr("This image is here already. Nothing will be fetched.");
    if (plan.layersHere > 0)
        return Tr::tr("%1 of %2 layers need not be fetched: they hold only zeros, or they are here "
                      "from other images or a pull that was stopped and are checked again.")
            .arg(plan.layersHere)
            .arg(plan.layers);
    return Tr::tr("Every byte is checked. A pull that is stopped goes on where it was.");
}

} // namespace vitrine::ui
