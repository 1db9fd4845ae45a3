// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/creation_request.h"
#include "core/job/job.h"
#include "core/library/new_machine.h"
#include "core/result/result.h"
#include "vz/plan/host_services.h"
#include "vz/plan/install_flow.h"

#include <QEventLoop>
#include <QObject>
#include <QString>
#include <QUrl>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::vz {

// What making a machine needs of a Mac. The seams outlive the work.
struct CreationServices {
    HostCaps host;
    RestoreImages* images = nullptr;
    MacFiles* files = nullptr;
    std::function<std::unique_ptr<Installer>()> makeInstaller;
    // Fetches a restore image into the library's cache and returns its path, which ends in
    // "sha256:<hex>.ipsw"; on a thread that may wait. Not set: fetchRestoreImage().
    std::function<Result<QString>(const QUrl&, const JobContext&)> fetch = {};
};

// Makes a macOS machine from a restore image: found, fetched, its digest compared, loaded, then
// InstallFlow. On the main thread with its event loop, which run() runs inside.
//
// The progress counts the bytes of the image twice, fetched and installed, and never goes back but
// when a server makes the fetching start over. Cancelling: what was fetched stays for the next
// time; everything else goes. Errors are whole sentences.
class MacCreation final : public QObject {
    Q_OBJECT
public:
    MacCreation(CreationServices services,
                Library library,
                MachineName name,
                NewMacMachine wanted,
                const JobContext& context);
    ~MacCreation() override;

    [[nodiscard]] Result<> run(); // once

private:
    enum Part { Fetching, Installing };
    [[nodiscard]] Result<> check() const;
    [[nodiscard]] Result<QString> findImage(); // path without links
    [[nodiscard]] Result<QUrl> latestAddress();
    [[nodiscard]] Result<QString> fetch(const QUrl& url);
    [[nodiscard]] Result<> compareDigest(const QString& path);
    [[nodiscard]] Result<> install(const QString& path);
    void perform(const InstallFlow::Actions& actions);
    [[nodiscard]] Result<> makeFiles(const MachineConfig& planned);
    [[nodiscard]] Result<MachineConfig> adjusted(MachineConfig config) const;
    void startInstaller();
    [[nodiscard]] Result<> publish();
    void report(const QString& step, quint64 done, Part part) const;
    // Waits in the event loop for `start` to call what it is given, or for the cancel.
    template <class Value, class Start>
    std::optional<Value> await(Start start);
    // Its result, with the event loop going on; waited for also when it is cancelled, as it puts
    // what it has in order.
    template <class Value, class Work>
    Result<Value> inThread(Work work);

    CreationServices m_services;
    Library m_library;
    MachineName m_name;
    NewMacMachine m_wanted;
    JobContext m_context;
    bool m_fetches = false;   // it has to come from the network
    quint64 m_imageBytes = 0; // of the file, once it is there
    QString m_image;          // the file
    QString m_system;         // "macOS 15.5 (24F74)"
    std::optional<InstallFlow> m_flow;
    std::optional<NewMachine> m_machine;
    std::optional<MachinePlan> m_plan;
    std::unique_ptr<Installer> m_installer;
    std::optional<Result<>> m_end;
    QEventLoop m_loop; // of the installation
};

} // namespace vitrine::vz
