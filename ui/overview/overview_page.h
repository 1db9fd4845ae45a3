// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library_watch.h"
#include "core/machine/sidecar.h"
#include "ui/overview/page_frame.h"
#include "ui/services.h"

#include <QTimer>

class QHBoxLayout;
class QPushButton;

namespace vitrine {
struct MachineStatus;
} // namespace vitrine

namespace vitrine::ui {

class EventList;
class LivePicture;
class MachineFacts;
class NotesEditor;
class TextLabel;

// Overview of one machine: its screen in small, facts, last events, notes.
class OverviewPage final : public PageFrame {
    Q_OBJECT
public:
    explicit OverviewPage(const Services& services, QWidget* parent = nullptr);

    // Called again when something about the machine changed.
    void showMachine(const MachineInfo& info);
    [[nodiscard]] NotesEditor* notes() const { return m_notes; }

Q_SIGNALS:
    void consoleRequested();
    void startRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void readSidecar();
    void watch();
    void updateFacts();
    void askForViewer(const MachineStatus* status);
    void updatePicture();

    Services m_services;
    MachineInfo m_info;
    Sidecar m_sidecar;
    // Of the machine's folder while the page is shown: events and notes are also written by other
    // processes.
    LibraryWatch m_watch;
    QTimer m_readSoon{this};
    LivePicture* m_picture;
    QPushButton* m_primary; // Open Console, or Start while it is stopped
    TextLabel* m_pictureNote;
    MachineFacts* m_facts;
    qint64 m_viewerAsked = 0; // process of the machine that was asked for its VNC server
    EventList* m_events;
    NotesEditor* m_notes;
    QHBoxLayout* m_top;
    QHBoxLayout* m_bottom;
};

} // namespace vitrine::ui
