// SPDX-License-Identifier: Apache-2.0
#include "core/machine/start_options.h"

#include <QStringList>

#include <array>

namespace vitrine {

namespace {

constexpr std::array bootDevices{std::pair("disk", BootDevice::Disk),
                                 std::pair("cd", BootDevice::Cd),
                                 std::pair("network", BootDevice::Network)};

} // namespace

Result<BootOrder> bootOrderFromText(const QString& text) {
    BootOrder order;
    for (const QString& item : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool known = false;
        for (const auto& [word, device] : bootDevices) {
            if (item != QLatin1String(word))
                continue;
            known = true;
            if (order.contains(device))
                return fail(Error::Kind::InvalidInput,
                            Tr::tr("The boot order \"%1\" names \"%2\" twice.").arg(text, item));
            order.append(device);
        }
        if (!known)
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("The boot order \"%1\" is not possible. Write disk, cd and network "
                               "in the order you want, with commas between them.")
                            .arg(text));
    }
    return order;
}

QString toText(const BootOrder& order) {
    QStringList words;
    for (const BootDevice wanted : order)
        for (const auto& [word, device] : bootDevices)
            if (device == wanted)
                words.append(QLatin1String(word));
    return words.join(QLatin1Char(','));
}

SerialLine SerialLine::fromText(const QString& text) {
    if (text.isEmpty())
        return {};
    if (text == QLatin1String("terminal"))
        return {Kind::NewTerminal, {}};
    return {Kind::Device, text};
}

QString SerialLine::toText() const {
    switch (kind) {
    case Kind::Console:
        break;
    case Kind::NewTerminal:
        return QStringLiteral("terminal");
    case Kind::Device:
        return path;
    }
    return {};
}

} // namespace vitrine
