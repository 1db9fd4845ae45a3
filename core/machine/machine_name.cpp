// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine_name.h"

#include "core/image/image_reference.h"

#include <algorithm>

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

} // namespace vitrine
