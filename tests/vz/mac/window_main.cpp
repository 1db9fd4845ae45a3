// SPDX-License-Identifier: Apache-2.0
// The window's program without the window: what app/main.cpp puts together of it for machines that
// live in its process, over a Mac that is made up.
#include "app/single_window.h"
#include "core/run/run_request_file.h"
#include "tests/vz/mac/pretended_services.h"
#include "ui/machines/asked_starts.h"
#include "ui/machines/background.h"
#include "ui/machines/machine_clients.h"
#include "vz/host/vz_machine_host.h"

#include <QCoreApplication>
#include <QFile>

#include <unistd.h>

using namespace vitrine;

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    const auto valueOf = [&words](const char* option) {
        const qsizetype at = words.indexOf(QLatin1String(option));
        return at < 0 ? QString() : words.value(at + 1);
    };
    const QString console = valueOf("--console");
    const auto library = Library::open();
    if (!library)
        return 1;
    const auto start = RunRequestFile::idOf(library->home(), valueOf("--start"));
    if (!start)
        return 64;
    app::SingleWindow single(library->home());
    if (single.enter(console, *start) == app::SingleWindow::Role::HandedOver)
        return 0;
    // For the test, which ends every window that it caused.
    QFile mark(qEnvironmentVariable("VITRINE_TEST_WINDOWS") + QLatin1Char('/') +
               QString::number(::getpid()));
    if (!mark.open(QIODevice::WriteOnly))
        return 1;
    vz::VzMachineHost host(vz::test::pretendedServices());
    LibraryModel model(*library);
    ui::MachineClients clients(&model, &host);
    ui::AskedStarts starts(&model, &clients, &host);
    starts.take(console, *start);
    QObject::connect(&single,
                     &app::SingleWindow::asked,
                     &starts,
                     [&starts](const QString& name, const QString& id) { starts.take(name, id); });
    const int code = QCoreApplication::exec();
    ui::finishBackground();
    return code;
}
