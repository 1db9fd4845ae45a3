// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_roles.h"

#include "core/channel/local_socket.h"
#include "core/disk/disk_space.h"
#include "core/guest/spice_agent.h"
#include "core/library/machine_operations.h"
#include "core/machine/sidecar.h"
#include "core/sharing/share_safety.h"
#include "core/snapshot/snapshot_draft.h"
#include "core/snapshot/snapshot_operations.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QLocalSocket>
#include <QTimer>
#include <QtEndian>

#include <algorithm>
#include <array>

namespace vitrine::test {

namespace {

constexpr quint16 sshForward = 22022; // said, not listened on: many fakes run side by side
constexpr int snapshotTime = 30;      // ms

QJsonObject toJson(const PortForward& forward) {
    return {{QStringLiteral("hostPort"), forward.hostPort},
            {QStringLiteral("guestPort"), forward.guestPort}};
}

std::optional<quint16> portOf(const QJsonValue& value) {
    const int port = value.toInt(-1);
    return port >= 0 && port <= 65535 ? std::optional(static_cast<quint16>(port)) : std::nullopt;
}

} // namespace

FakeRoles::FakeRoles(Machine machine, ControlServer* server)
    : m_machine(std::move(machine))
    , m_server(server) {
    m_forwards.push_back({{sshForward, 22}, nullptr});
    on("forward.list", &FakeRoles::listForwards);
    on("forward.add", &FakeRoles::addForward);
    on("forward.remove", &FakeRoles::removeForward);
    on("disk.list", &FakeRoles::listDisks);
    on("disk.grow", &FakeRoles::growDisk);
    on("share.list", &FakeRoles::listShares);
    on("share.add", &FakeRoles::addShare);
    on("share.remove", &FakeRoles::removeShare);
    on("share.change", &FakeRoles::changeShare);
    on("share.mount", &FakeRoles::mountShare);
    on("clipboard.offer", &FakeRoles::offerText);
    on("clipboard.get", &FakeRoles::getText);
    on("clipboard.enable", &FakeRoles::enableClipboard);
    m_server->on(QStringLiteral("snapshot.create"),
                 [this](const QJsonObject& parameters, const Respond& respond) {
                     createSnapshot(parameters, respond);
                 });
    answerViewers();
    listenOnConsole();
    if (const auto sidecar = Sidecar::read(m_machine.directory)) {
        for (const ShareSpec& share : sidecar->run.shares) {
            m_shares.append(describe(share));
        }
    }
}

FakeRoles::~FakeRoles() {
    m_console.close();
}

void FakeRoles::on(const char* method, Handler handler) {
    m_server->on(QLatin1String(method),
                 [this, handler](const QJsonObject& parameters, const Respond& respond) {
                     respond((this->*handler)(parameters));
                 });
}

void FakeRoles::agentOpened() {
    m_agent = true;
    for (ShareStatus& share : m_shares) {
        share.state = ShareState::Mounted;
    }
    tellShares();
}

Result<QJsonValue> FakeRoles::listForwards(const QJsonObject&) {
    QJsonArray list;
    for (const Forward& forward : m_forwards) {
        list.append(toJson(forward.ports));
    }
    return QJsonObject{{QStringLiteral("forwards"), list}};
}

Result<QJsonValue> FakeRoles::addForward(const QJsonObject& parameters) {
    const auto hostPort = portOf(parameters.value(QLatin1String("hostPort")).toInt(0));
    const auto guestPort = portOf(parameters.value(QLatin1String("guestPort")));
    if (!hostPort || guestPort.value_or(0) == 0) {
        return fail(Error::Kind::InvalidInput, QStringLiteral("These are no ports."));
    }
    auto listener = std::make_unique<QTcpServer>();
    if (*hostPort == sshForward || !listener->listen(QHostAddress::LocalHost, *hostPort)) {
        return fail(Error::Kind::AlreadyExists, QStringLiteral("The port is taken."));
    }
    const PortForward ports{listener->serverPort(), *guestPort};
    m_forwards.push_back({ports, std::move(listener)});
    return toJson(ports);
}

Result<QJsonValue> FakeRoles::removeForward(const QJsonObject& parameters) {
    const auto port = portOf(parameters.value(QLatin1String("hostPort")));
    const auto found = std::find_if(m_forwards.begin(), m_forwards.end(), [&](const Forward& one) {
        return port && one.ports.hostPort == *port;
    });
    if (!port) {
        return fail(Error::Kind::InvalidInput, QStringLiteral("Name the port."));
    }
    if (found == m_forwards.end()) {
        return fail(Error::Kind::NotFound, QStringLiteral("There is no such forward."));
    }
    m_forwards.erase(found);
    return QJsonObject{};
}

Result<QJsonValue> FakeRoles::listDisks(const QJsonObject&) {
    const QString path = m_machine.directory + QLatin1String("/disk.img");
    const QJsonObject disk{{QStringLiteral("node"), QStringLiteral("disk0")},
                           {QStringLiteral("file"), path},
                           {QStringLiteral("size"), QFileInfo(path).size()},
                           {QStringLiteral("readOnly"), false},
                           {QStringLiteral("direct"), false},
                           {QStringLiteral("noFlush"), false}};
    return QJsonObject{{QStringLiteral("disks"), QJsonArray{disk}}};
}

Result<QJsonValue> FakeRoles::growDisk(const QJsonObject& parameters) {
    const qint64 bytes = parameters.value(QLatin1String("size")).toInteger(-1);
    const auto machine = m_machine.library.find(m_machine.name);
    if (bytes <= 0 || !machine) {
        return fail(Error::Kind::InvalidInput, QStringLiteral("Name the new size."));
    }
    MachineChanges changes;
    changes.diskSize = ByteCount::fromBytes(static_cast<quint64>(bytes));
    if (const auto valid = validateChanges(*machine, changes); !valid) {
        return fail(valid.error());
    }
    const auto sidecar = Sidecar::read(m_machine.directory);
    if (sidecar && takesAutomaticSnapshots(sidecar->snapshots) &&
        *changes.diskSize != machine->diskSize) {
        if (const auto kept = takeSnapshot(QStringLiteral("Before the disk grew"), false, true);
            !kept) {
            return kept;
        }
    }
    QFile::resize(m_machine.directory + QLatin1String("/disk.img"), bytes);
    MachineStatus now = m_machine.status();
    (void)Sidecar::update(m_machine.directory, [&now](Sidecar& stored) {
        stored.pending.removeIf(
            [](const PendingChange& change) { return change.key == QLatin1String("diskSize"); });
        now.pending = stored.pending;
    });
    m_machine.setStatus(now);
    const bool partition = parameters.value(QLatin1String("partition")).toBool(true);
    return QJsonObject{
        {QStringLiteral("size"), bytes},
        {QStringLiteral("partition"), partition ? QStringLiteral("nothing") : QString()},
        {QStringLiteral("text"), partition ? QStringLiteral("There is no partition.") : QString()}};
}

ShareStatus FakeRoles::describe(const ShareSpec& share) const {
    ShareStatus status;
    status.spec = share;
    status.guestPath = share.guestPath();
    status.state = m_agent ? ShareState::Mounted : ShareState::Waiting;
    status.mountLine = QStringLiteral("sudo mount -t virtiofs ") + share.tag;
    status.transport = QStringLiteral("virtiofs");
    return status;
}

ShareStatus* FakeRoles::findShare(const QJsonObject& parameters) {
    const QString tag =
        parameters.value(QLatin1String("tag")).toString(QLatin1String(defaultShareTag));
    const QString name = parameters.value(QLatin1String("name")).toString();
    for (ShareStatus& share : m_shares) {
        if (share.spec.tag == tag && share.spec.name == name) {
            return &share;
        }
    }
    return nullptr;
}

void FakeRoles::tellShares() {
    m_server->notify(QStringLiteral("event"),
                     {{QStringLiteral("kind"), QStringLiteral("shares-changed")}});
}

Result<> FakeRoles::storeShares(const std::function<void(QList<ShareSpec>&)>& edit) {
    tellShares();
    return Sidecar::update(m_machine.directory,
                           [&edit](Sidecar& sidecar) { edit(sidecar.run.shares); });
}

Result<QJsonValue> FakeRoles::listShares(const QJsonObject&) {
    ShareList list;
    list.shares = m_shares;
    list.transport = QStringLiteral("virtiofs");
    return list.toJson();
}

Result<QJsonValue> FakeRoles::addShare(const QJsonObject& parameters) {
    ShareSpec share;
    share.path = QFileInfo(parameters.value(QLatin1String("path")).toString()).canonicalFilePath();
    share.name = parameters.value(QLatin1String("name")).toString();
    share.readOnly = parameters.value(QLatin1String("readOnly")).toBool(true);
    share.tag = parameters.value(QLatin1String("tag")).toString();
    QStringList tags;
    QList<ShareSpec> all;
    for (const ShareStatus& other : m_shares) {
        tags.append(other.spec.tag);
        all.append(other.spec);
    }
    if (share.tag.isEmpty()) {
        share.tag = freeShareTag(share.name.isEmpty() ? share.path : share.name, tags);
        share.name.clear();
    }
    if (!isShareTag(share.tag) || (!share.name.isEmpty() && !isShareName(share.name))) {
        return fail(Error::Kind::InvalidInput, QStringLiteral("This cannot be its name."));
    }
    const auto checked =
        checkSharedFolder(share.path,
                          share.readOnly ? ShareAccess::ReadOnly : ShareAccess::Writable,
                          {m_machine.library.home()});
    if (!checked) {
        return fail(checked.error());
    }
    if (const auto groups = groupShares(all << share); !groups) {
        return fail(groups.error());
    }
    m_shares.append(describe(share));
    if (parameters.value(QLatin1String("keep")).toBool(true)) {
        const auto kept = storeShares([&](QList<ShareSpec>& shares) { shares.append(share); });
        if (!kept) {
            return fail(kept.error());
        }
    }
    tellShares();
    return m_shares.last().toJson();
}

Result<QJsonValue> FakeRoles::removeShare(const QJsonObject& parameters) {
    const ShareStatus* const found = findShare(parameters);
    if (found == nullptr) {
        return fail(Error::Kind::NotFound, QStringLiteral("There is no such share."));
    }
    const ShareSpec gone = found->spec;
    m_shares.removeIf([&](const ShareStatus& share) { return share.spec == gone; });
    const auto kept = storeShares([&](QList<ShareSpec>& shares) { shares.removeAll(gone); });
    return kept ? Result<QJsonValue>(QJsonObject{}) : fail(kept.error());
}

Result<QJsonValue> FakeRoles::changeShare(const QJsonObject& parameters) {
    ShareStatus* const found = findShare(parameters);
    if (found == nullptr) {
        return fail(Error::Kind::NotFound, QStringLiteral("There is no such share."));
    }
    const ShareSpec before = found->spec;
    ShareSpec after = before;
    after.readOnly = parameters.value(QLatin1String("readOnly")).toBool(before.readOnly);
    QString& name = after.name.isEmpty() ? after.tag : after.name;
    name = parameters.value(QLatin1String("newName")).toString(name);
    if (!isShareTag(name)) {
        return fail(Error::Kind::InvalidInput, QStringLiteral("This cannot be its name."));
    }
    const bool taken = std::any_of(m_shares.cbegin(), m_shares.cend(), [&](const auto& other) {
        return other.spec != before && other.spec.tag == after.tag && other.spec.name == after.name;
    });
    if (taken) {
        return fail(Error::Kind::AlreadyExists, QStringLiteral("The name is taken."));
    }
    const auto checked =
        checkSharedFolder(after.path,
                          after.readOnly ? ShareAccess::ReadOnly : ShareAccess::Writable,
                          {m_machine.library.home()});
    if (!checked) {
        return fail(checked.error());
    }
    *found = describe(after);
    const auto kept = storeShares([&](QList<ShareSpec>& shares) {
        std::replace(shares.begin(), shares.end(), before, after);
    });
    return kept ? Result<QJsonValue>(QJsonObject{}) : fail(kept.error());
}

Result<QJsonValue> FakeRoles::mountShare(const QJsonObject& parameters) {
    const QString tag =
        parameters.value(QLatin1String("tag")).toString(QLatin1String(defaultShareTag));
    const bool known = std::any_of(m_shares.cbegin(), m_shares.cend(), [&](const auto& share) {
        return share.spec.tag == tag;
    });
    return known ? Result<QJsonValue>(QJsonObject{})
                 : fail(Error::Kind::NotFound, QStringLiteral("There is no such share."));
}

std::optional<FakeRoles::Place> FakeRoles::behind(const QString& guestPath) const {
    for (const ShareStatus& share : m_shares) {
        if (guestPath.startsWith(share.guestPath + QLatin1Char('/'))) {
            return Place{share.spec.path + guestPath.mid(share.guestPath.size()),
                         share.spec.readOnly};
        }
    }
    return std::nullopt;
}

Result<QJsonValue> FakeRoles::offerText(const QJsonObject& parameters) {
    const QByteArray part =
        QByteArray::fromBase64(parameters.value(QLatin1String("text")).toString().toLatin1());
    const qint64 offset = parameters.value(QLatin1String("offset")).toInteger(-1);
    const qint64 size = parameters.value(QLatin1String("size")).toInteger(-1);
    if (offset == 0) {
        m_offered.clear();
    }
    if (size < 0 || size > SpiceAgent::maximumText || offset != m_offered.size() ||
        offset + part.size() > size) {
        m_offered.clear();
        return fail(Error::Kind::InvalidInput, QStringLiteral("This is no part of a text."));
    }
    m_offered += part;
    return QJsonObject{};
}

Result<QJsonValue> FakeRoles::getText(const QJsonObject&) {
    return QJsonObject{{QStringLiteral("text"), QString()},
                       {QStringLiteral("size"), 0},
                       {QStringLiteral("serial"), 0}};
}

Result<QJsonValue> FakeRoles::enableClipboard(const QJsonObject& parameters) {
    const QJsonValue value = parameters.value(QLatin1String("enabled"));
    if (!value.isBool()) {
        return fail(Error::Kind::InvalidInput, QStringLiteral("Say whether it is shared."));
    }
    MachineStatus now = m_machine.status();
    now.clipboard = value.toBool() ? QStringLiteral("waiting") : QStringLiteral("off");
    m_machine.setStatus(now);
    if (parameters.value(QLatin1String("keep")).toBool()) {
        (void)Sidecar::update(m_machine.directory,
                              [&](Sidecar& sidecar) { sidecar.run.clipboard = value.toBool(); });
    }
    return QJsonObject{};
}

void FakeRoles::createSnapshot(const QJsonObject& parameters, const Respond& respond) {
    if (std::exchange(m_takesSnapshot, true)) {
        respond(fail(Error::Kind::Busy, QStringLiteral("One is being taken already.")));
        return;
    }
    QTimer::singleShot(snapshotTime, this, [this, parameters, respond] {
        m_takesSnapshot = false;
        respond(takeSnapshot(parameters.value(QLatin1String("name")).toString(),
                             parameters.value(QLatin1String("memory")).toBool(true),
                             parameters.value(QLatin1String("automatic")).toBool()));
    });
}

Result<QJsonValue> FakeRoles::takeSnapshot(const QString& name, bool memory, bool automatic) {
    const auto folder = SnapshotFolder::open(m_machine.directory);
    const auto config = m_machine.held->config.read();
    if (!folder || !config) {
        return fail(folder ? config.error() : folder.error());
    }
    auto draft = SnapshotDraft::begin(*folder);
    if (!draft) {
        return fail(draft.error());
    }
    Snapshot snapshot;
    snapshot.name = name.simplified();
    snapshot.withMemory = memory;
    snapshot.automatic = automatic;
    if (snapshot.name.isEmpty()) {
        snapshot.name =
            freeSnapshotName(readSnapshots(m_machine.directory).value_or(SnapshotTree()));
    }
    for (const auto& step : {std::function([&] { return draft->copyDiskPart({}); }),
                             std::function([&] { return draft->placeDisk(); }),
                             std::function([&] { return draft->copyOthers(false, {}); })}) {
        if (const Result<> done = step(); !done) {
            return fail(done.error());
        }
    }
    if (memory) {
        SmallLibrary::write(draft->path() + QLatin1String("/state.qemu"), "memory");
    }
    const auto taken = draft->commit(snapshot, *config);
    return taken ? Result<QJsonValue>(taken->toJson()) : fail(taken.error());
}

void FakeRoles::answerViewers() {
    const RuntimeDirectory& runtime = m_machine.held->runtime;
    const auto tell = [this](const char* method, const std::function<QJsonObject()>& what) {
        m_server->on(QLatin1String(method),
                     [what](const QJsonObject&, const Respond& respond) { respond(what()); });
    };
    tell("snapshot.progress", [] {
        return QJsonObject{{QStringLiteral("done"), 0},
                           {QStringLiteral("total"), 0},
                           {QStringLiteral("step"), QString()}};
    });
    tell("snapshot.cancel", [] { return QJsonObject(); });
    tell("viewers", [] { return QJsonObject(); });
    tell("display.info", [this, socket = runtime.displaySocket()] {
        return QJsonObject{{QStringLiteral("socket"), socket},
                           {QStringLiteral("width"), m_machine.status().width},
                           {QStringLiteral("height"), m_machine.status().height}};
    });
    tell("log", [path = runtime.logFile()] {
        QFile file(path);
        const bool open = file.open(QIODevice::ReadOnly);
        return QJsonObject{
            {QStringLiteral("path"), path},
            {QStringLiteral("text"), open ? QString::fromUtf8(file.readAll()) : QString()}};
    });
    tell("serial.info",
         [socket = runtime.consoleSocket(), log = runtime.path() + QLatin1String("/serial.log")] {
             return QJsonObject{{QStringLiteral("socket"), socket},
                                {QStringLiteral("log"), log},
                                {QStringLiteral("pty"), QString()}};
         });
    SmallLibrary::write(runtime.logFile(), "The machine runs.\n");
}

void FakeRoles::listenOnConsole() {
    auto address = SocketAddress::of(m_machine.held->runtime.consoleSocket());
    if (!address) {
        return;
    }
    m_consoleAddress = std::move(*address);
    const auto descriptor = listenOnLocalSocket(m_consoleAddress->text());
    if (!descriptor || !m_console.listen(static_cast<qintptr>(*descriptor))) {
        return;
    }
    print("fake guest\r\n");
    connect(&m_console, &QLocalServer::newConnection, this, [this] {
        QLocalSocket* const viewer = m_console.nextPendingConnection();
        std::array<char, sizeof(quint32)> length{};
        qToBigEndian(static_cast<quint32>(m_printed.size()), length.data());
        viewer->write(QByteArray(length.data(), length.size()) + m_printed);
        m_viewers.append(viewer);
        connect(
            viewer, &QLocalSocket::readyRead, this, [this, viewer] { print(viewer->readAll()); });
        connect(viewer, &QLocalSocket::disconnected, this, [this, viewer] {
            m_viewers.removeAll(viewer);
            viewer->deleteLater();
        });
    });
}

void FakeRoles::print(const QByteArray& bytes) {
    m_printed += bytes;
    SmallLibrary::write(m_machine.held->runtime.path() + QLatin1String("/serial.log"), m_printed);
    for (QLocalSocket* viewer : std::as_const(m_viewers)) {
        viewer->write(bytes);
    }
}

} // namespace vitrine::test
