// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/overview/page_frame.h"
#include "ui/services.h"

namespace vitrine::ui {

// Shown while the library holds nothing: the first steps and what this computer can do.
class EmptyLibraryPage final : public PageFrame {
    Q_OBJECT
public:
    explicit EmptyLibraryPage(const Services& services, QWidget* parent = nullptr);

Q_SIGNALS:
    void pullRequested();
    void createRequested();
    void openLibraryRequested();
};

} // namespace vitrine::ui
