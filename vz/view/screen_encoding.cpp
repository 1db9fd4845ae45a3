// SPDX-License-Identifier: Apache-2.0
#include "vz/view/screen_encoding.h"

#include <QBuffer>

#include <algorithm>

namespace vitrine::vz {

namespace {

bool isTransparent(const QImage& picture) {
    if (!picture.hasAlphaChannel())
        return false;
    const QImage plain = picture.convertToFormat(QImage::Format_ARGB32_Premultiplied);
    for (int y = 0; y < plain.height(); ++y) {
        const auto* const line = reinterpret_cast<const QRgb*>(plain.constScanLine(y));
        if (std::any_of(line, line + plain.width(), [](QRgb pixel) { return qAlpha(pixel) != 0; }))
            return false;
    }
    return true;
}

} // namespace

Result<ScreenPicture> encodeScreen(const QImage& picture) {
    if (picture.isNull() || isTransparent(picture))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("macOS gave no picture of the machine's screen. Take one of the window "
                           "with Shift-Command-4 instead."));
    ScreenPicture screen;
    screen.width = picture.width();
    screen.height = picture.height();
    QBuffer file(&screen.png);
    if (!file.open(QIODevice::WriteOnly) ||
        !picture.convertToFormat(QImage::Format_RGB32).save(&file, "PNG"))
        return fail(Error::Kind::Internal,
                    Tr::tr("The picture of the machine's screen cannot be made into a file."));
    return screen;
}

} // namespace vitrine::vz
