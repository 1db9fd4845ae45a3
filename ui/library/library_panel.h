// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/services.h"

#include <QWidget>

namespace vitrine::ui {

class NavigationRow;
class SideList;
class TextLabel;
class Thumbnails;

// The left side of the window: the list and, below it, the way to pages of no machine.
class LibraryPanel final : public QWidget {
    Q_OBJECT
public:
    LibraryPanel(const Services& services, Thumbnails* thumbnails, QWidget* parent = nullptr);

    [[nodiscard]] SideList* list() const { return m_list; }
    [[nodiscard]] TextLabel* leftOut() const { return m_leftOut; } // hidden when nothing is
    // Marks the row of the page that is shown.
    void setTransfersShown(bool shown);
    void setBenchmarksShown(bool shown);
    void setKernelRunsShown(bool shown);

Q_SIGNALS:
    void transfersRequested();
    void benchmarksRequested();
    void kernelRunsRequested();

private:
    void updateCount();
    void lookForUnnamed();
    void tellUnnamed(const QStringList& folders);
    Services m_services;
    SideList* m_list;
    TextLabel* m_leftOut;
    NavigationRow* m_transfers;
    NavigationRow* m_benchmarks;
    NavigationRow* m_kernelRuns;
};

} // namespace vitrine::ui
