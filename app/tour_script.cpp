// SPDX-License-Identifier: Apache-2.0
#include "app/tour_script.h"

#include "ui/console/console_page.h"
#include "ui/console/full_screen_window.h"
#include "ui/library/side_list_model.h"
#include "ui/machines/machine_clients.h"
#include "ui/machines/thumbnails.h"
#include "ui/pull/pull_dialog.h"
#include "ui/settings/settings_page.h"
#include "ui/shell/machine_actions.h"
#include "ui/shell/main_window.h"
#include "ui/shell/name_dialog.h"

#include <QApplication>
#include <QJsonArray>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>

#include <memory>

namespace vitrine::app {

namespace {

using ui::MachinePage;

const QString guestName = QStringLiteral("tour");
constexpr int bootSeconds = 150; // a guest without hardware acceleration
constexpr int shutDownSeconds = 120;

class Script {
public:
    Script(Tour& tour, ui::MainWindow& window, const ui::Services& services, const Options& options)
        : m_tour(tour)
        , m_window(window)
        , m_services(services)
        , m_options(options) {}

    void fill() {
        library();
        if (!m_options.tourImage.isEmpty())
            pull();
        makeMachine();
        start();
        signIn();
        look();
        pauseAndShutDown();
    }

private:
    void step(const char* name,
              std::function<void()> act,
              std::function<bool()> done = {},
              int seconds = 30) {
        Tour::Step step;
        step.name = QString::fromLatin1(name);
        step.act = std::move(act);
        step.done = std::move(done);
        step.seconds = seconds;
        step.failure = [this] { return messageOfFailure(); };
        m_tour.add(std::move(step));
    }

    // What the window itself says went wrong.
    [[nodiscard]] QString messageOfFailure() const {
        for (int row = 0; row < m_services.jobs->rowCount(); ++row) {
            const Job* job = m_services.jobs->jobAt(row);
            if (job->state() == Job::State::Failed)
                return job->error().message + QLatin1Char(' ') + job->error().detail;
        }
        return *m_startFailure;
    }

    [[nodiscard]] const MachineInfo* machine() const {
        const int row = m_services.library->rowOf(guestName);
        return row >= 0 ? m_services.library->infoAt(row) : nullptr;
    }
    [[nodiscard]] bool isInState(MachineState state) const {
        const MachineInfo* info = machine();
        return info != nullptr && info->state == state;
    }
    template <class Dialog>
    [[nodiscard]] Dialog* dialog() const {
        for (Dialog* candidate : m_window.findChildren<Dialog*>()) {
            if (candidate->isVisible())
                return candidate;
        }
        return nullptr;
    }
    template <class Dialog>
    void pressPrimary() const {
        Dialog* open = dialog<Dialog>();
        if (open == nullptr)
            return;
        for (QPushButton* button : open->template findChildren<QPushButton*>()) {
            if (button->isDefault())
                button->click();
        }
    }

    void library() {
        step("the library is read", {}, [this] { return m_services.library->isLoaded(); });
        m_tour.addPictures(QStringLiteral("01-library"));
    }

    void pull() {
        const bool insecure =
            !m_options.insecureHost.isEmpty() &&
            m_options.tourImage.startsWith(m_options.insecureHost + QLatin1Char('/'));
        step(
            "the plan of the pull is made",
            [this, insecure] { m_window.showPullDialog(m_options.tourImage, insecure); },
            [this] {
                const auto* open = dialog<ui::PullDialog>();
                return open != nullptr && open->isReady();
            });
        m_tour.addPictures(QStringLiteral("02-pull"));
        step(
            "the pull is under way",
            [this] { pressPrimary<ui::PullDialog>(); },
            [this] {
                const Job* job = m_services.jobs->jobAt(0);
                return job != nullptr && (job->progress().done > 0 || job->isFinished());
            });
        m_tour.addPictures(QStringLiteral("03-transfers"));
        step(
            "the image is here",
            {},
            [this] { return m_services.jobs->jobAt(0)->state() == Job::State::Succeeded; },
            300);
        m_tour.addPictures(QStringLiteral("04-transfers-done"));
        step(
            "the image is in the library",
            [this] { m_services.library->refresh(); },
            [this] {
                return m_window.sideList()->select({m_options.tourImage, true});
            });
        m_tour.addPictures(QStringLiteral("05-image"));
    }

    void makeMachine() {
        step(
            "a name is asked for",
            [this] { m_window.actions()->clone->trigger(); },
            [this] { return dialog<ui::NameDialog>() != nullptr; });
        step("the name is typed", [this] {
            if (auto* open = dialog<ui::NameDialog>())
                open->field()->setText(guestName);
        });
        m_tour.addPictures(QStringLiteral("06-make-machine"));
        step(
            "the machine is made",
            [this] { pressPrimary<ui::NameDialog>(); },
            [this] {
                return machine() != nullptr && m_window.machinePage()->isVisible() &&
                       m_window.machinePage()->machineName() == guestName;
            },
            120);
        m_tour.addPictures(QStringLiteral("07-overview-stopped"));
    }

    void start() {
        QObject::connect(m_services.clients,
                         &ui::MachineClients::startFailed,
                         &m_tour,
                         [why = m_startFailure](const QString&, const ui::StartFailure& failure) {
                             *why = failure.message + QLatin1Char('\n') +
                                    failure.lines.join(QLatin1Char('\n'));
                         });
        step(
            "the machine starts",
            [this] { m_window.actions()->startAndShow->trigger(); },
            [this] {
                return isInState(MachineState::Starting) || isInState(MachineState::Running);
            });
        m_tour.addPictures(QStringLiteral("08-console-starting"));
        step(
            "the machine runs", {}, [this] { return isInState(MachineState::Running); }, 60);
        step(
            "the guest agent answers",
            {},
            [this] {
                const MachineStatus* status = m_services.clients->status(guestName);
                return status != nullptr && status->agentAnswers;
            },
            bootSeconds);
        waitForGuest("the login prompt is on the screen",
                     QStringLiteral("ps | grep -q '[g]etty.*tty1'"));
        step("the console shows it", {}, [this] { return screenHasContent(); });
        m_tour.addPictures(QStringLiteral("09-console"));
    }

    void signIn() {
        step(
            "the keyboard is in the guest",
            [this] { console()->surface()->grabKeyboard(); },
            [this] { return console()->surface()->isKeyboardGrabbed(); });
        step("the user name is typed", [this] { type(QStringLiteral("admin\n")); });
        waitForGuest("the password is asked for", QStringLiteral("ps | grep -q '[l]ogin'"));
        step("the password is typed", [this] { type(QStringLiteral("admin\n")); });
        waitForGuest("the shell is there",
                     QStringLiteral("ps | grep -q '[-]bash\\|[-]sh\\|[-]ash'"));
        step("a command is typed", [this] { type(QStringLiteral("touch /tmp/tour\n")); });
        waitForGuest("the command did what it says", QStringLiteral("test -e /tmp/tour"));
        m_tour.addPictures(QStringLiteral("10-console-signed-in"));
        step("the keyboard is back", [this] { console()->surface()->releaseKeyboard(); });
    }

    void look() {
        step(
            "the overview has a picture",
            [this] { m_window.showMachine(guestName, MachinePage::Tab::Overview); },
            [this] { return !m_services.thumbnails->large().isNull(); });
        m_tour.addPictures(QStringLiteral("11-overview"));
        const char* const panes[] = {"general", "system", "display", "disks"};
        for (int pane = 0; pane < 4; ++pane) {
            step("a pane of the settings", [this, pane] {
                m_window.machinePage()->showTab(MachinePage::Tab::Settings);
                m_window.machinePage()->settings()->selectPane(pane);
            });
            m_tour.addPictures(
                QStringLiteral("12-settings-%1").arg(QString::fromLatin1(panes[pane])));
        }
    }

    void pauseAndShutDown() {
        step(
            "the machine is paused",
            [this] {
                m_window.machinePage()->showTab(MachinePage::Tab::Overview);
                m_window.actions()->pause->trigger();
            },
            [this] { return isInState(MachineState::Paused); });
        m_tour.addPictures(QStringLiteral("13-paused"));
        step(
            "the machine goes on",
            [this] { m_window.actions()->pause->trigger(); },
            [this] { return isInState(MachineState::Running); });
        step(
            "the machine is shut down",
            [this] { m_window.actions()->shutDown->trigger(); },
            [this] {
                return isInState(MachineState::Stopped) &&
                       m_services.clients->status(guestName) == nullptr;
            },
            shutDownSeconds);
        m_tour.addPictures(QStringLiteral("14-shut-down"));
    }

    [[nodiscard]] ui::ConsolePage* console() const { return m_window.machinePage()->console(); }

    [[nodiscard]] bool screenHasContent() const {
        const ui::ConsoleSurface* surface = console()->surface();
        if (surface == nullptr || !console()->isScreenShown())
            return false;
        const QImage picture = surface->picture();
        if (picture.isNull())
            return false;
        const QRgb first = picture.pixel(0, 0);
        for (int y = 0; y < picture.height(); y += 2) {
            for (int x = 0; x < picture.width(); x += 2) {
                if (picture.pixel(x, y) != first)
                    return true;
            }
        }
        return false;
    }

    // Keys as the window gets them; the console turns them into the guest's scan codes.
    void type(const QString& text) const {
        ui::ConsoleSurface* surface = console()->surface();
        QWidget* target = surface->widget();
        if (auto* area = qobject_cast<QAbstractScrollArea*>(target)) {
            if (auto* scroll = qobject_cast<QScrollArea*>(area))
                target = scroll->widget();
        }
        for (const QChar c : text) {
            int key = c.toUpper().unicode();
            if (c == QLatin1Char('\n'))
                key = Qt::Key_Return;
            const QString typed = c == QLatin1Char('\n') ? QStringLiteral("\r") : QString(c);
            QCoreApplication::postEvent(
                target, new QKeyEvent(QEvent::KeyPress, key, Qt::NoModifier, typed));
            QCoreApplication::postEvent(
                target, new QKeyEvent(QEvent::KeyRelease, key, Qt::NoModifier, typed));
        }
    }

    // Until a shell command succeeds in the guest.
    void waitForGuest(const char* name, const QString& command) {
        struct State {
            bool asking = false;
            bool met = false;
        };
        auto state = std::make_shared<State>();
        step(
            name,
            {},
            [this, state, command] {
                if (!state->asking && !state->met) {
                    state->asking = true;
                    m_services.clients->call(
                        guestName,
                        QStringLiteral("agent.exec"),
                        {{QStringLiteral("path"), QStringLiteral("/bin/sh")},
                         {QStringLiteral("arguments"), QJsonArray{QStringLiteral("-c"), command}}},
                        [state](const Result<QJsonValue>& answer) {
                            state->asking = false;
                            state->met =
                                answer &&
                                answer->toObject().value(QLatin1String("exitCode")).toInt(-1) == 0;
                        });
                }
                return state->met;
            },
            60);
    }

    Tour& m_tour;
    ui::MainWindow& m_window;
    ui::Services m_services;
    Options m_options;
    std::shared_ptr<QString> m_startFailure = std::make_shared<QString>();
};

} // namespace

void fillTour(Tour& tour,
              ui::MainWindow& window,
              const ui::Services& services,
              const Options& options) {
    // Steps refer to the script for as long as the tour lives.
    auto script = std::make_shared<Script>(tour, window, services, options);
    script->fill();
    QObject::connect(&tour, &QObject::destroyed, &tour, [script] {});
}

} // namespace vitrine::app
