// SPDX-License-Identifier: Apache-2.0
#include "core/value/plain_text.h"

#include <QChar>

namespace vitrine {

bool isInvisible(char32_t character) {
    switch (QChar::category(character)) {
    case QChar::Other_Format:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return true;
    default:
        // Letters of Hangul that fill a place and are drawn as nothing.
        return character == 0x115F || character == 0x1160 || character == 0x3164 ||
               character == 0xFFA0;
    }
}

QString plainText(const QString& untrusted) {
    QString result;
    result.reserve(untrusted.size());
    for (qsizetype i = 0; i < untrusted.size(); ++i) {
        const QChar c = untrusted.at(i);
        char32_t code = c.unicode();
        if (c.isHighSurrogate() && i + 1 < untrusted.size() && untrusted.at(i + 1).isLowSurrogate())
            code = QChar::surrogateToUcs4(c, untrusted.at(++i));
        else if (c.isSurrogate())
            code = QChar::ReplacementCharacter;
        if (code < 0x20 || (code >= 0x7F && code < 0xA0))
            result += QStringLiteral("\\x%1").arg(static_cast<uint>(code), 2, 16, QLatin1Char('0'));
        else if (isInvisible(code))
            result += QStringLiteral("\\u%1").arg(static_cast<uint>(code), 4, 16, QLatin1Char('0'));
        else
            result += QString::fromUcs4(&code, 1);
    }
    return result;
}

} // namespace vitrine
