// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/desktop_scheme.h"

#include "ui/theme/portal_watch.h"

namespace vitrine::ui {

void watchDesktopScheme(QObject* parent, std::function<void(std::optional<Scheme>)> said) {
    new PortalWatch(parent, std::move(said));
}

} // namespace vitrine::ui
