// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QImage>

class QWidget;

namespace vitrine::app {

// The window as it looks, with the dialogue in front of it where there is one.
[[nodiscard]] QImage pictureOf(QWidget* window);
// As PNG; makes missing folders.
Result<> writePicture(const QImage& picture, const QString& path);

} // namespace vitrine::app
