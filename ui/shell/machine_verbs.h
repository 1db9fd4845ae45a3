// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/machines/machine_clients.h"
#include "ui/services.h"

#include <QObject>

#include <memory>
#include <vector>

class QWidget;

namespace vitrine::ui {

struct CreationChoice;

// What the verbs that ask or take time do: dialogues, jobs in a vitrinectl child, questions. The
// window never holds a machine's lock itself.
class MachineVerbs final : public QObject {
    Q_OBJECT
public:
    MachineVerbs(const Services& services, QWidget* window);
    ~MachineVerbs() override;

    void create();                        // asks what is to be made
    void createFrom(const QString& file); // likewise, with that file
    void clone(const MachineInfo& info);  // also makes a machine of an image
    void rename(const MachineInfo& info);
    void remove(const MachineInfo& info);
    void forceOff(const QString& name);
    // Asks first when the machines together would have more memory than this computer.
    void start(const MachineInfo& info, StartMode mode = StartMode::Ordinary);
    void discardState(const QString& name); // of a suspended machine
    void stopDeaf(const QString& name);     // held by a process that does not answer
    void openTerminal(const QString& name);

Q_SIGNALS:
    void starting(const QString& name); // nothing was asked, or it was answered with yes
    void creationStarted();             // listed under Transfers
    void machineMade(const QString& name);
    void machineRenamed(const QString& from, const QString& to);
    void machineRemoved(const QString& name, bool isImage); // for good
    void machineTrashed(const QString& name, const QString& directory);
    void failed(const QString& name, const QString& title, const vitrine::Error& error);

private:
    [[nodiscard]] bool isTaken(const QString& name) const;
    void startCreation(const CreationChoice& choice);
    void startClone(const QString& source, const QString& target);
    void startRename(const QString& from, const QString& to);
    void startRemove(const MachineInfo& info, bool permanent);
    // A short piece of work that is not listed under Transfers.
    void runChild(const QStringList& arguments, std::function<void(const Job&)> then);

    Services m_services;
    QWidget* m_window;
    std::vector<std::unique_ptr<Job>> m_jobs;
};

} // namespace vitrine::ui
