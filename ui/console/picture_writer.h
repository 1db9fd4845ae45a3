// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QString>

#include <functional>

class QObject;

namespace vitrine::ui {

// Writes `picture` as a PNG file on another thread, whole or not at all. `done` is called on the
// caller's thread, with a translated sentence when it failed, and never after `context` has gone.
void writePicture(const QImage& picture,
                  const QString& path,
                  QObject* context,
                  std::function<void(const QString& error)> done);

} // namespace vitrine::ui
