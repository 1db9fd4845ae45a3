// SPDX-License-Identifier: Apache-2.0
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "core/machine/sidecar.h"
#include "core/machine/stored_shares.h"
#include "core/sharing/share_status.h"

#include <QDir>

#include <algorithm>

namespace vitrine::cli {

namespace {

constexpr int quickAnswer = 10000; // ms
constexpr int slowAnswer = 120000; // ms; a slow guest mounts and looks through its processes

struct Options {
    std::string name;
    std::string action = "list";
    std::string share;
    bool writable = false;
    bool readOnly = false;
    std::string rename;
    bool once = false;
    bool force = false;
    std::string user;
    std::shared_ptr<bool> json;
};

QString stateText(const ShareStatus& share) {
    switch (share.state) {
    case ShareState::Adding:
        return Tr::tr("being added");
    case ShareState::Waiting:
        return Tr::tr("waits for the guest");
    case ShareState::Mounted:
        return Tr::tr("mounted");
    case ShareState::NotMounted:
        return Tr::tr("not mounted");
    case ShareState::Broken:
        return Tr::tr("broken");
    case ShareState::Failed:
        return Tr::tr("failed");
    }
    return {};
}

void tell(const QList<ShareStatus>& shares, bool running, bool json) {
    if (json) {
        QJsonArray list;
        for (const ShareStatus& share : shares) {
            QJsonObject object = share.toJson();
            object.insert(QStringLiteral("name"), share.spec.displayName());
            list.append(object);
        }
        printJson(list);
        return;
    }
    QList<QStringList> rows;
    for (const ShareStatus& share : shares)
        rows.append({share.spec.displayName(),
                     share.spec.path,
                     share.spec.guestPath(),
                     share.spec.readOnly ? Tr::tr("yes") : Tr::tr("no"),
                     running ? stateText(share) : Tr::tr("at next start")});
    print(table({Tr::tr("Name"),
                 Tr::tr("Folder"),
                 Tr::tr("In the guest"),
                 Tr::tr("Read-only"),
                 Tr::tr("State")},
                rows));
}

Result<ShareSpec> findShare(const QList<ShareSpec>& shares, const QString& wanted) {
    QList<ShareSpec> found;
    for (const ShareSpec& share : shares)
        if (share.displayName() == wanted ||
            (!share.name.isEmpty() && share.tag + QLatin1Char('/') + share.name == wanted))
            found.append(share);
    if (found.size() == 1)
        return found.first();
    if (found.isEmpty())
        return fail(
            Error::Kind::NotFound,
            Tr::tr("There is no share \"%1\". See: vitrinectl share NAME list").arg(wanted));
    return fail(
        Error::Kind::InvalidInput,
        Tr::tr("There are %1 shares \"%2\". Write TAG/NAME.").arg(found.size()).arg(wanted));
}

QJsonObject keyOf(const ShareSpec& share) {
    return {{QStringLiteral("tag"), share.tag}, {QStringLiteral("name"), share.name}};
}

// [name:]path[:ro,tag=T] as for --dir; a share without a tag gets one of its own.
Result<ShareSpec> typedShare(const Options& options) {
    auto share = ShareSpec::fromText(toQString(options.share));
    if (!share)
        return fail(share.error());
    if (share->isArchive())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("An archive can only be shared from the start: vitrinectl run NAME "
                           "--dir."));
    share->path = share->folder(QDir::currentPath());
    // What is shared in passing is read-only unless said otherwise.
    share->readOnly = share->readOnly || !options.writable;
    return share;
}

QList<ShareStatus> asStatus(const QList<ShareSpec>& shares) {
    QList<ShareStatus> list;
    for (const ShareSpec& share : shares) {
        ShareStatus status;
        status.spec = share;
        status.guestPath = share.guestPath();
        list.append(status);
    }
    return list;
}

// What guests left there belongs to ids of nobody here.
Result<int> own(const QList<ShareSpec>& shares, const QString& wanted) {
    const auto share = findShare(shares, wanted);
    if (!share)
        return fail(share.error());
    if (share->isArchive())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is an archive: what a guest writes there goes with the run.")
                        .arg(share->displayName()));
    const auto taken = takeOwnership(share->path);
    if (!taken)
        return fail(taken.error());
    note(*taken == 0 ? Tr::tr("Nothing in \"%1\" belongs to users of guests.").arg(share->path)
                     : Tr::tr("%n file(s) and folder(s) in \"%1\" belonged to users of guests and "
                              "are yours now.",
                              nullptr,
                              static_cast<int>(std::min<quint64>(*taken, 1 << 30)))
                           .arg(share->path));
    return 0;
}

ShareChange changeOf(const Options& options) {
    ShareChange change;
    if (options.readOnly || options.writable)
        change.readOnly = options.readOnly;
    if (!options.rename.empty())
        change.name = toQString(options.rename);
    return change;
}

Result<int> runStopped(const Options& options, const Library& library, const MachineInfo& machine) {
    const QStringList libraries{library.home()};
    if (options.action == "mount")
        return fail(Error::Kind::NotRunning,
                    Tr::tr("The machine \"%1\" is not running.").arg(machine.name));
    if (options.action == "add") {
        const auto share = typedShare(options);
        if (!share)
            return fail(share.error());
        const auto stored = addStoredShare(machine.directory, *share, libraries);
        if (!stored)
            return fail(stored.error());
        if (!stored->warning.isEmpty())
            note(stored->warning);
        printLine(plain(stored->share.guestPath()));
        return 0;
    }
    const auto sidecar = Sidecar::read(machine.directory);
    if (!sidecar)
        return fail(sidecar.error());
    if (options.action == "list") {
        tell(asStatus(sidecar->run.shares), false, *options.json);
        return 0;
    }
    if (options.action == "own")
        return own(sidecar->run.shares, toQString(options.share));
    const auto share = findShare(sidecar->run.shares, toQString(options.share));
    if (!share)
        return fail(share.error());
    const Result<> done =
        options.action == "remove"
            ? removeStoredShare(machine.directory, share->tag, share->name)
            : changeStoredShare(
                  machine.directory, share->tag, share->name, changeOf(options), libraries);
    if (!done)
        return fail(done.error());
    return 0;
}

int tellAdded(const ShareStatus& share) {
    printLine(plain(share.guestPath));
    if (share.state == ShareState::Waiting)
        note(Tr::tr("The guest agent does not answer yet: the guest is still starting or busy, or "
                    "has no agent. The share is mounted once one answers; by hand: %1")
                 .arg(plain(share.mountLine)));
    if (share.state != ShareState::NotMounted)
        return 0;
    note(plain(share.message));
    note(Tr::tr("By hand, in the guest: %1").arg(plain(share.mountLine)));
    return 1;
}

Result<int> runRunning(const Options& options, const ConnectedMachine& machine) {
    MachineClient& client = *machine.client;
    if (options.action == "add" || options.action == "change" || options.action == "mount")
        if (const auto ready = refusePaused(machine.info.name, client); !ready)
            return fail(ready.error());
    const auto answer = client.callAndWait(QStringLiteral("share.list"), {}, quickAnswer);
    if (!answer)
        return fail(answer.error());
    const ShareList list = ShareList::fromJson(*answer);
    if (options.action == "list") {
        tell(list.shares, true, *options.json);
        if (!*options.json) {
            for (const ShareStatus& share : list.shares)
                if (!share.message.isEmpty())
                    note(plain(share.spec.displayName() + QStringLiteral(": ") + share.message));
            for (const QString& text : {list.transportNote, list.refusal})
                if (!text.isEmpty())
                    note(plain(text));
        }
        return 0;
    }
    if (options.action == "add") {
        const auto share = typedShare(options);
        if (!share)
            return fail(share.error());
        QJsonObject parameters{{QStringLiteral("path"), share->path},
                               {QStringLiteral("name"), share->name},
                               {QStringLiteral("readOnly"), share->readOnly},
                               {QStringLiteral("keep"), !options.once}};
        if (share->tag != QLatin1String(defaultShareTag))
            parameters.insert(QStringLiteral("tag"), share->tag);
        const auto added = client.callAndWait(QStringLiteral("share.add"), parameters, slowAnswer);
        if (!added)
            return fail(added.error());
        return tellAdded(ShareStatus::fromJson(added->toObject()));
    }
    QList<ShareSpec> shares;
    for (const ShareStatus& share : list.shares)
        shares.append(share.spec);
    if (options.action == "own")
        return own(shares, toQString(options.share));
    const auto share = findShare(shares, toQString(options.share));
    if (!share)
        return fail(share.error());
    QJsonObject parameters = keyOf(*share);
    if (options.action == "remove")
        parameters.insert(QStringLiteral("force"), options.force);
    if (options.action == "mount" && !options.user.empty())
        parameters.insert(QStringLiteral("user"), toQString(options.user));
    if (options.action == "change") {
        const ShareChange change = changeOf(options);
        if (change.readOnly)
            parameters.insert(QStringLiteral("readOnly"), *change.readOnly);
        if (change.name)
            parameters.insert(QStringLiteral("newName"), *change.name);
    }
    const auto done = client.callAndWait(
        QStringLiteral("share.") + toQString(options.action), parameters, slowAnswer);
    if (!done)
        return fail(done.error());
    return 0;
}

Result<int> run(const Options& options) {
    if ((options.action == "list") != options.share.empty())
        return fail(Error::Kind::InvalidInput,
                    options.share.empty() ? Tr::tr("Name the share or folder.")
                                          : Tr::tr("\"list\" takes no share."));
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto machine = findMachine(*library, options.name);
    if (!machine)
        return fail(machine.error());
    if (machine->holderPid == 0 && machine->state != MachineState::RunningElsewhere)
        return runStopped(options, *library, *machine);
    const auto connected = connectToMachine(*library, options.name);
    if (!connected)
        return fail(connected.error());
    return runRunning(options, *connected);
}

} // namespace

void addShareCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app =
        root.add_subcommand("share", "Share folders with a machine, also while it runs");
    command.app = app;
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_option(
           "action",
           options->action,
           "list, add, remove, change, mount (once more) or own (makes yours what root and "
           "other users of the guest left there)")
        ->check(CLI::IsMember({"list", "add", "remove", "change", "mount", "own"}).description(""))
        ->type_name("");
    app->add_option("share",
                    options->share,
                    "For add: [NAME:]FOLDER[:ro,tag=TAG]; otherwise the share's name, or TAG/NAME")
        ->type_name("");
    CLI::Option* const writable =
        app->add_flag("--writable", options->writable, "The guest may change the files");
    app->add_flag("--read-only", options->readOnly, "It may not (as it is without --writable)")
        ->excludes(writable);
    app->add_option("--rename", options->rename, "For change: another name")->type_name("NAME");
    app->add_flag("--once", options->once, "For add: not at the next start again");
    app->add_flag("--force",
                  options->force,
                  "For remove: even while programs in the guest use it; they get errors");
    app->add_option(
           "-l,--user",
           options->user,
           "For mount over ssh, where no guest agent answers: who logs in there; the one of "
           "before, at first admin")
        ->type_name("NAME");
    options->json = addFormatOption(*app);
    app->footer(
        "What is added here is read-only unless --writable is given; a folder of run --dir is "
        "writable unless :ro is. A folder is mounted in a Linux guest at /mnt/vitrine/NAME "
        "by the guest agent. The guest's login user owns its files as you do here.");
    addProgressOption(command);
    command.run = [options] { return run(*options); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
