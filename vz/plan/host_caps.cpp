// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/host_caps.h"

namespace vitrine::vz {

QString SystemVersion::toText() const {
    QString text = QStringLiteral("%1.%2").arg(major).arg(minor);
    if (patch != 0)
        text += QStringLiteral(".%1").arg(patch);
    return text;
}

} // namespace vitrine::vz
