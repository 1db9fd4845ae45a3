// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine_name.h"

#include "core/image/image_reference.h"
#include "core/value/plain_text.h"

#include <algorithm>
#include <array>

namespace vitrine {

namespace {

constexpr qsizetype maximumBytes = 255; // of a file name

bool isControl(QChar c) {
    switch (c.category()) {
    case QChar::Other_Control:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return true;
    default:
        return false;
    }
}

} // namespace

Result<MachineName> MachineName::fromText(const QString& text) {
    const auto refuse = [](const QString& sentence) {
        return fail(Error::Kind::InvalidInput, sentence);
    };
    if (text.isEmpty())
        return refuse(Tr::tr("The name is empty. Give the machine a name."));
    if (text.contains(QLatin1Char('/')))
        return refuse(
            Tr::tr("The name \"%1\" contains \"/\". Choose a name without it.").arg(text));
    if (std::any_of(text.cbegin(), text.cend(), isControl))
        return refuse(Tr::tr("The name contains a control character. Choose a name of letters, "
                             "digits, spaces and signs."));
    if (text == QLatin1String(".") || text == QLatin1String(".."))
        return refuse(Tr::tr("The name \"%1\" means a folder. Choose another name.").arg(text));
    if (text.startsWith(QLatin1Char('-')))
        return refuse(Tr::tr("The name \"%1\" begins with \"-\" and would be taken for an option. "
                             "Choose another name.")
                          .arg(text));
    if (!text.isValidUtf16())
        return refuse(Tr::tr("The name holds half a character. Type it again."));
    if (text.toUtf8().size() > maximumBytes)
        return refuse(
            Tr::tr("The name is longer than %1 bytes. Choose a shorter one.").arg(maximumBytes));
    if (ImageReference::isReference(text))
        return refuse(Tr::tr("The name \"%1\" reads as the reference of an image. Choose another "
                             "name.")
                          .arg(text));
    return MachineName(text);
}

Result<MachineName> MachineName::forNewMachine(const QString& text) {
    auto name = fromText(text);
    if (!name)
        return name;
    if (auto allowed = name->checkNew(); !allowed)
        return fail(allowed.error());
    return name;
}

Result<> MachineName::checkNew() const {
    if (isReserved(m_text))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The name \"%1\" is reserved for folders that are no machines. Choose "
                           "another name.")
                        .arg(m_text));
    const auto characters = m_text.toUcs4();
    if (std::any_of(characters.cbegin(), characters.cend(), isInvisible))
        return fail(
            Error::Kind::InvalidInput,
            Tr::tr("The name \"%1\" contains a character that cannot be seen or changes the "
                   "direction of the text. Choose a name without it.")
                .arg(plainText(m_text)));
    return {};
}

bool MachineName::isReserved(const QString& text) {
    static const std::array names{
        QLatin1String("lost+found"), // ext4
        QLatin1String(".Trash"),     // FreeDesktop.org, with .Trash-UID
        QLatin1String(".Trashes"),   // macOS, with the three below
        QLatin1String(".Spotlight-V100"),
        QLatin1String(".fseventsd"),
        QLatin1String(".TemporaryItems"),
        QLatin1String("$RECYCLE.BIN"), // Windows
        QLatin1String("System Volume Information"),
        QLatin1String(".snapshot"), // snapshots of file servers
        QLatin1String(".snapshots"),
        QLatin1String(".zfs"),
    };
    // Some volumes make no difference between large and small letters.
    const auto is = [&text](QLatin1String name) {
        return text.compare(name, Qt::CaseInsensitive) == 0;
    };
    return text.startsWith(QLatin1String(".vitrine-"), Qt::CaseInsensitive) ||
           text.startsWith(QLatin1String(".Trash-"), Qt::CaseInsensitive) ||
           std::any_of(names.begin(), names.end(), is);
}

} // namespace vitrine
