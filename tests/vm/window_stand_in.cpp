// SPDX-License-Identifier: Apache-2.0
// The window, without its program's options: LIBRARY NAME presses Start for that machine and stays
// until it is killed.
#include "core/job/job_list_model.h"
#include "core/library/library_model.h"
#include "qemu/qemu_hypervisor.h"
#include "ui/library/side_list.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"
#include "ui/machines/thumbnails.h"
#include "ui/shell/machine_actions.h"
#include "ui/shell/main_window.h"

#include <QAction>
#include <QApplication>
#include <QTimer>

using namespace vitrine;

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    auto library = words.size() == 3 ? Library::open(words.at(1))
                                     : fail(Error::Kind::InvalidInput, QStringLiteral("usage"));
    if (!library)
        return 64;
    const std::unique_ptr<Hypervisor> hypervisor = qemu::makeHypervisor();
    LibraryModel model(*std::move(library));
    JobListModel jobs;
    ui::MachineClients clients(&model);
    ui::HostReport host(hypervisor.get());
    ui::Thumbnails thumbnails(&clients);
    ui::MainWindow window({&model, &jobs, &clients, hypervisor.get(), &host, &thumbnails});
    window.show();
    QTimer pressing;
    QObject::connect(&pressing, &QTimer::timeout, &window, [&] {
        if (host.info() == nullptr || !window.sideList()->select({words.at(2), false}))
            return;
        if (window.actions()->start->isEnabled()) {
            window.actions()->start->trigger();
            pressing.stop();
        }
    });
    pressing.start(20);
    return QApplication::exec();
}
