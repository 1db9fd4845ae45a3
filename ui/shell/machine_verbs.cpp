// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/machine_verbs.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/job/child_job.h"
#include "core/library/memory_commitment.h"
#include "core/value/plain_text.h"
#include "ui/create/create_dialog.h"
#include "ui/library/machine_text.h"
#include "ui/machines/background.h"
#include "ui/machines/machine_clients.h"
#include "ui/shell/desktop.h"
#include "ui/shell/name_dialog.h"
#include "ui/shell/question.h"

#include <QFileInfo>
#include <QWidget>

#include <algorithm>

namespace vitrine::ui {

namespace {

QProcessEnvironment childEnvironment(const Library& library) {
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), library.home());
    return environment;
}

} // namespace

MachineVerbs::MachineVerbs(const Services& services, QWidget* window)
    : QObject(window)
    , m_services(services)
    , m_window(window) {}

MachineVerbs::~MachineVerbs() = default;

bool MachineVerbs::isTaken(const QString& name) const {
    return isMachineNameTaken(*m_services.library, *m_services.jobs, name);
}

void MachineVerbs::create() {
    createFrom({});
}

void MachineVerbs::createFrom(const QString& file) {
    auto* dialog = new CreateDialog(m_services, m_window);
    connect(dialog, &CreateDialog::chosen, this, &MachineVerbs::startCreation);
    dialog->open();
    if (!file.isEmpty())
        dialog->makeFrom(file);
}

void MachineVerbs::startCreation(const CreationChoice& choice) {
    const QString name = choice.name;
    const QString file = QFileInfo(choice.file).fileName();
    auto job = std::make_unique<Job>(
        QStringLiteral("create"),
        name,
        file.isEmpty() ? tr("New machine") : tr("New machine from %1").arg(plainText(file)),
        childWork(vitrinectlPath(),
                  choice.words({QStringLiteral("--progress"), QStringLiteral("json")}),
                  childEnvironment(m_services.library->library())));
    Job* record = job.get();
    record->setProperty("machine", name); // nobody else may take it meanwhile
    connect(record, &Job::finished, this, [this, record, name] {
        m_services.library->refresh();
        if (record->state() == Job::State::Succeeded)
            Q_EMIT machineMade(name);
        else if (record->state() == Job::State::Failed)
            Q_EMIT failed(name, tr("\"%1\" was not made.").arg(name), record->error());
    });
    m_services.jobs->add(std::move(job));
    Q_EMIT creationStarted();
}

void MachineVerbs::clone(const MachineInfo& info) {
    const auto taken = [this](const QString& name) { return isTaken(name); };
    NameDialog::Texts texts;
    QString base = info.name;
    if (info.isImage) {
        base = imageLabel(info.name).name;
        texts = {tr("Make a Machine"),
                 tr("A machine of its own is made from \"%1\". It shares the image's blocks where "
                    "the file system can.")
                     .arg(plainText(info.name)),
                 tr("Make Machine")};
    } else {
        texts = {tr("Clone \"%1\"").arg(plainText(info.name)),
                 tr("The copy gets a MAC address of its own. It shares the blocks of the "
                    "original where the file system can."),
                 tr("Clone")};
    }
    auto* dialog = new NameDialog(texts, freeName(base, taken), taken, m_window);
    connect(dialog, &NameDialog::chosen, this, [this, source = info.name](const QString& name) {
        startClone(source, name);
    });
    dialog->open();
}

void MachineVerbs::startClone(const QString& source, const QString& target) {
    auto job = std::make_unique<Job>(QStringLiteral("clone"),
                                     target,
                                     tr("Clone of %1").arg(plainText(source)),
                                     childWork(vitrinectlPath(),
                                               {QStringLiteral("clone"),
                                                QStringLiteral("--progress"),
                                                QStringLiteral("json"),
                                                QStringLiteral("--"),
                                                source,
                                                target},
                                               childEnvironment(m_services.library->library())));
    Job* record = job.get();
    connect(record, &Job::finished, this, [this, record, source, target] {
        m_services.library->refresh();
        if (record->state() == Job::State::Succeeded)
            Q_EMIT machineMade(target);
        else if (record->state() == Job::State::Failed)
            Q_EMIT failed(source, tr("\"%1\" was not made.").arg(target), record->error());
    });
    m_services.jobs->add(std::move(job));
}

void MachineVerbs::rename(const MachineInfo& info) {
    const QString old = info.name;
    auto* dialog = new NameDialog(
        {tr("Rename \"%1\"").arg(plainText(old)),
         tr("Only the name changes; the machine stays as it is."),
         tr("Rename")},
        old,
        [this, old](const QString& name) { return name != old && isTaken(name); },
        m_window);
    connect(dialog, &NameDialog::chosen, this, [this, old](const QString& name) {
        if (name != old)
            startRename(old, name);
    });
    dialog->open();
}

void MachineVerbs::startRename(const QString& from, const QString& to) {
    runChild({QStringLiteral("rename"),
              QStringLiteral("--progress"),
              QStringLiteral("json"),
              QStringLiteral("--"),
              from,
              to},
             [this, from, to](const Job& job) {
                 if (job.state() == Job::State::Succeeded)
                     Q_EMIT machineRenamed(from, to);
                 else
                     Q_EMIT failed(
                         from, tr("\"%1\" was not renamed.").arg(plainText(from)), job.error());
             });
}

void MachineVerbs::remove(const MachineInfo& info) {
    const QString size = info.allocated.toText();
    const QString folder = homeShortened(info.directory);
    Question* question = nullptr;
    if (info.isImage) {
        question = new Question(tr("Delete the image \"%1\"?").arg(plainText(info.name)),
                                tr("%1 become free. Machines made from it stay. It can be pulled "
                                   "again.")
                                    .arg(size),
                                {folder},
                                {{tr("Delete"),
                                  Question::Look::Destructive,
                                  [this, info] { startRemove(info, true); },
                                  false},
                                 {tr("Cancel"), Question::Look::Normal, {}, true}},
                                m_window);
    } else {
        question =
            new Question(tr("Move \"%1\" to the Trash?").arg(plainText(info.name)),
                         tr("Its folder with settings and disks (%1) goes to the Trash and can be "
                            "put back from there. Disks and folders elsewhere are not touched.")
                             .arg(size),
                         {folder},
                         {{tr("Cancel"), Question::Look::Normal, {}, true},
                          {tr("Move to Trash"),
                           Question::Look::Primary,
                           [this, info] { startRemove(info, false); },
                           false}},
                         m_window);
    }
    question->open();
}

void MachineVerbs::startRemove(const MachineInfo& info, bool permanent) {
    QStringList arguments{
        QStringLiteral("delete"), QStringLiteral("--progress"), QStringLiteral("json")};
    if (!permanent)
        arguments.append(QStringLiteral("--trash"));
    arguments << QStringLiteral("--") << info.name;
    runChild(arguments, [this, info, permanent](const Job& job) {
        if (job.state() == Job::State::Succeeded) {
            if (permanent)
                Q_EMIT machineRemoved(info.name, info.isImage);
            else
                Q_EMIT machineTrashed(info.name, info.directory);
            return;
        }
        if (permanent || job.error().kind != Error::Kind::Unsupported) {
            Q_EMIT failed(
                info.name, tr("\"%1\" was not deleted.").arg(plainText(info.name)), job.error());
            return;
        }
        auto* question =
            new Question(tr("Delete \"%1\" permanently?").arg(plainText(info.name)),
                         tr("%1 Deleting permanently cannot be undone.").arg(job.error().message),
                         {homeShortened(info.directory)},
                         {{tr("Delete Permanently"),
                           Question::Look::Destructive,
                           [this, info] { startRemove(info, true); },
                           false},
                          {tr("Cancel"), Question::Look::Normal, {}, true}},
                         m_window);
        question->open();
    });
}

void MachineVerbs::start(const MachineInfo& info, StartMode mode) {
    const auto begin = [this, name = info.name, mode] {
        Q_EMIT starting(name);
        m_services.clients->start(name, mode);
    };
    inBackground(
        this,
        [library = m_services.library->library(), info] {
            const auto commitment = memoryCommitment(library, info);
            return commitment ? commitment->warning() : QString();
        },
        [this, begin, name = info.name](const QString& warning) {
            if (warning.isEmpty()) {
                begin();
                return;
            }
            auto* question = new Question(tr("Start \"%1\" all the same?").arg(name),
                                          warning,
                                          {},
                                          {{tr("Cancel"), Question::Look::Normal, {}, true},
                                           {tr("Start"), Question::Look::Primary, begin, false}},
                                          m_window);
            question->open();
        });
}

void MachineVerbs::forceOff(const QString& name) {
    auto* question = new Question(
        tr("Force \"%1\" off?").arg(name),
        tr("This cuts the power. What the guest has not written to its disk is lost. Shutting down "
           "is safer."),
        {},
        {{tr("Force Off"),
          Question::Look::Destructive,
          [this, name] { m_services.clients->forceOff(name); },
          false},
         {tr("Cancel"), Question::Look::Normal, {}, true}},
        m_window);
    question->open();
}

void MachineVerbs::discardState(const QString& name) {
    const auto discard = [this, name] {
        runChild({QStringLiteral("stop"),
                  QStringLiteral("--progress"),
                  QStringLiteral("json"),
                  QStringLiteral("--discard-state"),
                  QStringLiteral("--"),
                  name},
                 [this, name](const Job& job) {
                     if (job.state() == Job::State::Failed)
                         Q_EMIT failed(name, tr("The saved state was not discarded."), job.error());
                 });
    };
    auto* question = new Question(
        tr("Discard the saved state of \"%1\"?").arg(name),
        tr("The memory is thrown away and the machine boots at next start, as after a power cut. "
           "What the guest has not written to its disk is lost."),
        {},
        {{tr("Discard"), Question::Look::Destructive, discard, false},
         {tr("Cancel"), Question::Look::Normal, {}, true}},
        m_window);
    question->open();
}

void MachineVerbs::stopDeaf(const QString& name) {
    const auto stop = [this, name] {
        runChild({QStringLiteral("stop"),
                  QStringLiteral("--progress"),
                  QStringLiteral("json"),
                  QStringLiteral("--"),
                  name},
                 [this, name](const Job& job) {
                     if (job.state() == Job::State::Failed)
                         Q_EMIT failed(name, tr("The machine was not stopped."), job.error());
                 });
    };
    auto* question = new Question(
        tr("Stop \"%1\"?").arg(name),
        tr("The program that runs it is told to end, as Ctrl-C would. If it has not ended after 30 "
           "seconds it is killed, which cuts the machine's power: what the guest has not written "
           "to its disk is lost."),
        {},
        {{tr("Stop"), Question::Look::Destructive, stop, false},
         {tr("Cancel"), Question::Look::Normal, {}, true}},
        m_window);
    question->open();
}

void MachineVerbs::openTerminal(const QString& name) {
    inBackground(
        this,
        [library = m_services.library->library(), name] { return ui::openTerminal(library, name); },
        [this, name](const Result<>& opened) {
            if (!opened)
                Q_EMIT failed(name, tr("No terminal was opened."), opened.error());
        });
}

void MachineVerbs::runChild(const QStringList& arguments, std::function<void(const Job&)> then) {
    auto job = std::make_unique<Job>(
        QStringLiteral("verb"),
        QString(),
        QString(),
        childWork(vitrinectlPath(), arguments, childEnvironment(m_services.library->library())));
    Job* record = job.get();
    connect(
        record,
        &Job::finished,
        this,
        [this, record, then = std::move(then)] {
            const auto mine =
                std::find_if(m_jobs.begin(), m_jobs.end(), [record](const auto& owned) {
                    return owned.get() == record;
                });
            if (mine == m_jobs.end())
                return;
            const std::unique_ptr<Job> finished = std::move(*mine);
            m_jobs.erase(mine);
            m_services.library->refresh();
            then(*finished);
        },
        Qt::QueuedConnection);
    m_jobs.push_back(std::move(job));
    record->start();
}

} // namespace vitrine::ui
