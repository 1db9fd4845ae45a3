// SPDX-License-Identifier: Apache-2.0
// The composition root of the window: makes the backend and hands everything down.
#include "app/application.h"
#include "app/backend.h"
#include "app/options.h"
#include "app/single_window.h"
#include "app/startup_trace.h"
#include "app/tour_script.h"
#include "app/window_picture.h"
#include "core/credentials/credential_store.h"
#include "core/run/run_request_file.h"
#include "ui/machines/asked_starts.h"
#include "ui/machines/background.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"
#include "ui/machines/thumbnails.h"
#include "ui/shell/main_window.h"
#include "ui/shell/question.h"

#include <QFile>
#include <QProcess>
#include <QSessionManager>
#include <QSettings>
#include <QTimer>

#include <cstdio>

using namespace vitrine;

namespace {

constexpr int usageError = 64; // as vitrinectl

QStringList wordsOf(int argc, char** argv) {
    QStringList words;
    for (int i = 1; i < argc; ++i)
        words.append(QString::fromLocal8Bit(argv[i]));
    return words;
}

void say(FILE* stream, const QString& text) {
    std::fprintf(stream, "%s\n", qPrintable(text));
}

// Qt would end with a core dump.
bool hasNoDisplay() {
#ifdef Q_OS_LINUX
    return qEnvironmentVariableIsEmpty("DISPLAY") &&
           qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
           qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
#else
    return false;
#endif
}

int showLibraryError(const app::Options& options, const Error& error) {
    say(stderr, error.message);
    if (options.isForPictures())
        return 1;
    auto* box = new ui::Question(
        QCoreApplication::translate("main", "The library cannot be opened."),
        error.message,
        {},
        {{QCoreApplication::translate("main", "Close"), ui::Question::Look::Normal, {}, true}},
        nullptr);
    QObject::connect(box, &QDialog::finished, qApp, [] { QCoreApplication::exit(1); });
    box->open();
    return QCoreApplication::exec();
}

// Writes the picture when the library is read and nothing has changed for a moment.
void takePicture(ui::MainWindow& window, const ui::Services& services, const QString& path) {
    auto* settled = new QTimer(&window);
    settled->setSingleShot(true);
    settled->setInterval(1500);
    const auto again = [settled, services] {
        if (services.library->isLoaded())
            settled->start();
    };
    QObject::connect(services.library, &LibraryModel::loaded, settled, again);
    QObject::connect(services.host, &ui::HostReport::changed, settled, again);
    QObject::connect(services.thumbnails, &ui::Thumbnails::largeChanged, settled, again);
    QObject::connect(settled, &QTimer::timeout, &window, [&window, path] {
        const auto written = app::writePicture(app::pictureOf(&window), path);
        if (!written)
            say(stderr, written.error().message);
        QCoreApplication::exit(written ? 0 : 1);
    });
    again();
}

constexpr int tourTooSlow = 3; // everything worked, but the window's thread was busy for too long

int finishTour(const QString& failure, const app::Watchdog* watchdog) {
    if (!failure.isEmpty())
        say(stderr, QStringLiteral("The tour failed. %1").arg(failure));
    if (watchdog == nullptr)
        return failure.isEmpty() ? 0 : 1;
    say(stderr,
        QStringLiteral("watchdog: %1 events; the longest took %2 ms, %3 ms outside painting")
            .arg(watchdog->deliveries())
            .arg(watchdog->longestWhole(), 0, 'f', 1)
            .arg(watchdog->longestOwn(), 0, 'f', 1));
    for (const app::Watchdog::Violation& violation : watchdog->violations())
        say(stderr,
            QStringLiteral("watchdog: %1 ms (%2 ms outside painting): %3")
                .arg(violation.whole, 0, 'f', 1)
                .arg(violation.own, 0, 'f', 1)
                .arg(violation.what));
    if (!failure.isEmpty())
        return 1;
    return watchdog->violations().isEmpty() ? 0 : tourTooSlow;
}

ui::SchemeChoice themeOf(const app::Options& options) {
    if (options.theme || options.isForPictures())
        return options.theme.value_or(ui::SchemeChoice::Automatic);
    const QString chosen = QSettings().value(QLatin1String(ui::schemeChoiceKey)).toString();
    return ui::schemeChoiceFromText(chosen).value_or(ui::SchemeChoice::Automatic);
}

int runWindow(app::Application& application, const app::Options& options, Library library) {
    // vitrinectl children work on the same library.
    qputenv("VITRINE_HOME", QFile::encodeName(library.home()));
    QString start;
    if (!options.start.isEmpty()) {
        const auto id = RunRequestFile::idOf(library.home(), options.start);
        if (!id) {
            say(stderr,
                QStringLiteral("\"%1\" is nothing to start in the library \"%2\".")
                    .arg(options.start, library.home()));
            return usageError;
        }
        start = *id;
    }
    app::SingleWindow single(library.home());
    if (!options.isForPictures() &&
        single.enter(options.console, start) == app::SingleWindow::Role::HandedOver)
        return 0;

    const app::Backend backend = app::makeBackend();
    LibraryModel model(std::move(library));
    JobListModel jobs;
    ui::MachineClients clients(&model, backend.machineHost.get());
    ui::HostReport host(backend.hypervisor.get());
    ui::Thumbnails thumbnails(&clients);
    const ui::Services services{&model,
                                &jobs,
                                &clients,
                                backend.hypervisor.get(),
                                &host,
                                &thumbnails,
                                backend.machineHost.get(),
                                backend.openHostedSurface};
    ui::MainWindow window(services);
    if (!options.isForPictures())
        window.restoreSizes();
    if (!options.size.isEmpty())
        window.resize(options.size);
    app::traceStartup(&window);
    if (!options.console.isEmpty())
        window.showMachineWhenKnown(options.console, ui::MachinePage::Tab::Console);
    window.show();

    ui::AskedStarts starts(&model, &clients, backend.machineHost.get());
    QObject::connect(&starts, &ui::AskedStarts::starting, &window, &ui::MainWindow::tellStarting);
    if (!start.isEmpty())
        starts.take(options.console, start);
    QObject::connect(&single,
                     &app::SingleWindow::asked,
                     &window,
                     [&window, &starts](const QString& name, const QString& wanted) {
                         if (!name.isEmpty())
                             window.showMachineWhenKnown(name, ui::MachinePage::Tab::Console);
                         window.showAgain();
                         if (!wanted.isEmpty())
                             starts.take(name, wanted);
                     });
    // Not quit(): everything has been asked, and that would ask the window again.
    QObject::connect(
        &window, &ui::MainWindow::quitRequested, &application, [] { QCoreApplication::exit(0); });
    if (backend.machineHost != nullptr) {
        QGuiApplication::setQuitOnLastWindowClosed(false);
        QObject::connect(
            &application,
            &QGuiApplication::commitDataRequest,
            &window,
            [&window](QSessionManager& session) {
                const bool mayAsk = session.allowsInteraction();
                if (!window.sessionEnds(mayAsk) && mayAsk)
                    session.cancel(); // the answer quits; the session can end then
                if (mayAsk)
                    session.release();
            },
            Qt::DirectConnection);
    }
    QObject::connect(
        &window, &ui::MainWindow::openLibraryRequested, &application, [](const QString& folder) {
            QProcess::startDetached(QCoreApplication::applicationFilePath(),
                                    {QStringLiteral("--library"), folder});
        });
    if (!options.page.isEmpty()) {
        // After the first reading, which chooses what is shown.
        auto connection = std::make_shared<QMetaObject::Connection>();
        *connection = QObject::connect(
            &model, &LibraryModel::loaded, &window, [&window, page = options.page, connection] {
                QObject::disconnect(*connection);
                QTimer::singleShot(50, &window, [&window, page] { window.showPage(page); });
            });
    }

    bool watched = !options.tour.isEmpty();
#ifndef NDEBUG
    watched = true;
#endif
    if (watched)
        QTimer::singleShot(0, &application, [&application] { application.watch(); });
    std::unique_ptr<app::Tour> tour;
    if (!options.tour.isEmpty()) {
        application.watch();
        tour = std::make_unique<app::Tour>(&window, options.tour, application.watchdog());
        app::fillTour(*tour, window, services, options);
        QObject::connect(
            tour.get(), &app::Tour::finished, &application, [&application](const QString& failure) {
                QCoreApplication::exit(finishTour(failure, application.watchdog()));
            });
        QTimer::singleShot(0, tour.get(), &app::Tour::start);
    } else if (!options.screenshot.isEmpty()) {
        takePicture(window, services, options.screenshot);
    }
    const int code = QCoreApplication::exec();
    ui::finishBackground();
    return code;
}

} // namespace

int main(int argc, char** argv) {
    keepSecretsFromChildren();
    const auto options = app::Options::parse(wordsOf(argc, argv));
    if (!options) {
        say(stderr, options.error().message);
        return usageError;
    }
    if (options->help || options->version) {
        say(stdout,
            options->help ? app::Options::helpText()
                          : QStringLiteral("vitrine %1").arg(QStringLiteral(VITRINE_VERSION)));
        return 0;
    }
    if (hasNoDisplay()) {
        say(stderr,
            QStringLiteral("There is no display to show the window on. Machines are run without "
                           "one by: vitrinectl run NAME --no-graphics"));
        return 1;
    }
    app::Application application(argc, argv);
    ui::applyTheme(themeOf(*options));
    auto library =
        Library::open(options->library.isEmpty() ? Library::defaultHome() : options->library);
    if (!library)
        return showLibraryError(*options, library.error());
    return runWindow(application, *options, *std::move(library));
}
