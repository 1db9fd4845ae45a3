// SPDX-License-Identifier: Apache-2.0
#include "core/library/library_model.h"

#include "core/library/library_watch.h"
#include "core/library/machine_reader.h"
#include "core/library/runtime_directory.h"
#include "core/posix/processes.h"

#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QSocketNotifier>
#include <QThreadPool>
#include <QTimer>

#include <algorithm>
#include <mutex>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace vitrine {

namespace {

constexpr int pollInterval = 2000;      // milliseconds, contract 2 "Live state"
constexpr int settleTime = 80;          // milliseconds: events of one change come together
constexpr int unwatchedInterval = 5000; // milliseconds, when not everything can be watched
constexpr int patience = 500;           // milliseconds for readings to end before they are left
constexpr int maximumHolders = 256;     // process descriptors

struct Row {
    MachineInfo info; // with the overlay's state
    MachineState lockState = MachineState::Stopped;
};

bool isBefore(const MachineInfo& a, const MachineInfo& b) {
    return std::tie(a.isImage, a.name) < std::tie(b.isImage, b.name);
}

struct Reading {
    Result<QList<MachineInfo>> entries;
    QStringList foldersToWatch;
    bool isRemote = false; // on a network volume: changes by other computers raise no event
};

struct PolledState {
    QString name;
    MachineState state = MachineState::Stopped;
    qint64 holderPid = 0;
};

// What background work holds of the model: it may outlive it.
struct Anchor {
    std::mutex mutex;
    LibraryModel* model = nullptr;

    template <class F>
    void post(F function) {
        const std::scoped_lock lock(mutex);
        if (model)
            QMetaObject::invokeMethod(model, std::move(function), Qt::QueuedConnection);
    }
};

Reading readAll(const Library& library) {
    Reading reading;
    // An opened library has its folder: without it nothing is known, which is not "empty".
    if (!QFileInfo::exists(library.home())) {
        reading.entries =
            fail(Error::Kind::NotFound,
                 Tr::tr("The folder of the library, \"%1\", is missing. Move it back, "
                        "connect the disk it lies on, or open another library.")
                     .arg(library.home()));
        return reading;
    }
    reading.entries = library.machines();
    if (!reading.entries)
        return reading;
    const auto images = library.images();
    if (images)
        reading.entries->append(*images);
    else
        reading.entries = fail(images.error());
    reading.foldersToWatch = library.foldersToWatch();
    reading.isRemote =
        !RuntimeDirectory::basePath(library.home()).startsWith(library.home() + QLatin1Char('/'));
    return reading;
}

} // namespace

struct LibraryModel::Private {
    explicit Private(LibraryModel& owner)
        : q(owner)
        , watch(new LibraryWatch(&owner)) {
        pool->setMaxThreadCount(2);
        anchor->model = &owner;
    }

    void start();
    void stop();
    void readSoon(const QString& machineDirectory); // empty: everything
    void read();
    void accept(const Reading& reading);
    void acceptMachines(const QList<MachineInfo>& machines);
    void replaceRow(int row, MachineInfo info);
    void poll(const QSet<QString>& names);
    void acceptStates(const QList<PolledState>& states);
    void watchPaths();
    void watchHolder(const Row& row);
    void onPathChanged(const QString& path);
    // What its client knows goes over what the lock says.
    void show(MachineInfo& info) const {
        const auto found = overlays.constFind(info.name);
        info.responding = found == overlays.constEnd() || found->responding;
        if (found != overlays.constEnd())
            info.state = found->state;
    }
    [[nodiscard]] int rowOf(bool isImage, const QString& name) const;

    LibraryModel& q;
    std::shared_ptr<Anchor> anchor = std::make_shared<Anchor>();
    LibraryWatch* watch;
    QThreadPool* pool = new QThreadPool;
    QTimer pollTimer;
    QTimer settleTimer;
    QTimer unwatchedTimer;
    std::vector<Row> rows;
    struct Overlay {
        MachineState state = MachineState::Stopped;
        bool responding = true;
    };
    QHash<QString, Overlay> overlays;
    QSet<QString> inView;
    QSet<QString> toPoll;
    QStringList folders;
    QSet<QString> changedMachines; // directories to read when the events have settled
    bool everythingChanged = false;
    bool isReading = false;
    bool isPolling = false;
    bool isRemote = false;
    struct Holder {
        qint64 pid = 0;
        FileDescriptor process;
        std::unique_ptr<QSocketNotifier> notifier;
    };
    QHash<QString, std::shared_ptr<Holder>> holders;
};

void LibraryModel::Private::start() {
    settleTimer.setSingleShot(true);
    settleTimer.setInterval(settleTime);
    settleTimer.setObjectName(QStringLiteral("LibraryModel::settle"));
    pollTimer.setObjectName(QStringLiteral("LibraryModel::poll"));
    unwatchedTimer.setObjectName(QStringLiteral("LibraryModel::unwatched"));
    connect(&settleTimer, &QTimer::timeout, &q, [this] { read(); });
    pollTimer.setInterval(pollInterval);
    connect(&pollTimer, &QTimer::timeout, &q, [this] { poll(inView); });
    pollTimer.start();
    unwatchedTimer.setInterval(unwatchedInterval);
    connect(&unwatchedTimer, &QTimer::timeout, &q, [this] { readSoon({}); });
    connect(
        watch, &LibraryWatch::changed, &q, [this](const QString& path) { onPathChanged(path); });
    connect(watch, &LibraryWatch::watching, &q, [this](bool anyNew, bool complete) {
        if (complete && !isRemote)
            unwatchedTimer.stop();
        else if (!unwatchedTimer.isActive())
            unwatchedTimer.start();
        if (anyNew)
            readSoon({});
    });
    everythingChanged = true;
    read();
}

void LibraryModel::Private::stop() {
    {
        const std::scoped_lock lock(anchor->mutex);
        anchor->model = nullptr;
    }
    pool->clear();
    // Work that hangs in a dead volume is left to itself; the program does not wait for it.
    if (pool->waitForDone(patience))
        delete pool;
}

int LibraryModel::Private::rowOf(bool isImage, const QString& name) const {
    MachineInfo wanted;
    wanted.isImage = isImage;
    wanted.name = name;
    const auto it = std::lower_bound(
        rows.begin(), rows.end(), wanted, [](const Row& row, const MachineInfo& info) {
            return isBefore(row.info, info);
        });
    return it != rows.end() && it->info.name == name && it->info.isImage == isImage
               ? static_cast<int>(it - rows.begin())
               : -1;
}

void LibraryModel::Private::onPathChanged(const QString& path) {
    const QString vms = q.m_library.machinesPath() + QLatin1Char('/');
    if (!path.startsWith(vms))
        return readSoon({});
    const QString name = path.sliced(vms.size()).section(QLatin1Char('/'), 0, 0);
    readSoon(vms + name);
}

void LibraryModel::Private::readSoon(const QString& machineDirectory) {
    if (machineDirectory.isEmpty())
        everythingChanged = true;
    else
        changedMachines.insert(machineDirectory);
    if (!settleTimer.isActive() && !isReading)
        settleTimer.start();
}

void LibraryModel::Private::read() {
    if (isReading || (!everythingChanged && changedMachines.isEmpty()))
        return;
    isReading = true;
    if (everythingChanged) {
        pool->start([anchor = anchor, library = q.m_library, d = this] {
            auto reading = std::make_shared<Reading>(readAll(library));
            anchor->post([d, reading] { d->accept(*reading); });
        });
    } else {
        pool->start([anchor = anchor, library = q.m_library, d = this, changed = changedMachines] {
            const MachineReader reader(library.home());
            QList<MachineInfo> machines;
            for (const QString& directory : changed)
                machines.append(reader.read(directory, QFileInfo(directory).fileName()));
            anchor->post([d, machines] { d->acceptMachines(machines); });
        });
    }
    everythingChanged = false;
    changedMachines.clear();
}

void LibraryModel::Private::acceptMachines(const QList<MachineInfo>& machines) {
    isReading = false;
    for (const MachineInfo& machine : machines) {
        const int row = rowOf(false, machine.name);
        if (row < 0 || !machine.accessed.isValid()) { // new or gone: the whole list knows
            everythingChanged = true;
            continue;
        }
        replaceRow(row, machine);
    }
    watchPaths(); // a config.json that was replaced is watched anew
    if (everythingChanged || !changedMachines.isEmpty())
        settleTimer.start();
}

void LibraryModel::Private::replaceRow(int row, MachineInfo info) {
    Row& old = rows[static_cast<size_t>(row)];
    old.lockState = info.state;
    if (!info.isImage)
        show(info);
    if (old.info == info)
        return;
    old.info = std::move(info);
    watchHolder(old);
    const QString name = old.info.name;
    const bool isImage = old.info.isImage;
    Q_EMIT q.dataChanged(q.index(row), q.index(row));
    if (!isImage)
        Q_EMIT q.machineChanged(name);
}

void LibraryModel::Private::accept(const Reading& reading) {
    isReading = false;
    if (everythingChanged || !changedMachines.isEmpty())
        settleTimer.start();
    if (!reading.entries) {
        Q_EMIT q.failed(reading.entries.error());
        return;
    }
    const QList<MachineInfo>& entries = *reading.entries;
    folders = reading.foldersToWatch;
    isRemote = reading.isRemote;
    const auto isGone = [&entries](const Row& row) {
        return !std::binary_search(entries.begin(), entries.end(), row.info, isBefore);
    };
    // Both lists are sorted alike. First rows that are gone, from the end and run by run.
    for (int last = static_cast<int>(rows.size()) - 1; last >= 0; --last) {
        if (!isGone(rows[static_cast<size_t>(last)]))
            continue;
        int first = last;
        while (first > 0 && isGone(rows[static_cast<size_t>(first - 1)]))
            --first;
        q.beginRemoveRows({}, first, last);
        for (int row = first; row <= last; ++row)
            holders.remove(rows[static_cast<size_t>(row)].info.name);
        rows.erase(rows.begin() + first, rows.begin() + last + 1);
        q.endRemoveRows();
        last = first;
    }
    // Then new ones, run by run, and changed ones.
    qsizetype next = 0;
    for (int row = 0; next < entries.size(); ++row) {
        qsizetype end = next;
        while (end < entries.size() &&
               (row == static_cast<int>(rows.size()) ||
                isBefore(entries[end], rows[static_cast<size_t>(row)].info)))
            ++end;
        const auto count = static_cast<int>(end - next);
        if (count == 0) {
            replaceRow(row, entries[next++]);
            continue;
        }
        std::vector<Row> fresh;
        fresh.reserve(static_cast<size_t>(count));
        for (; next < end; ++next) {
            Row item{entries[next], entries[next].state};
            if (!item.info.isImage)
                show(item.info);
            watchHolder(item);
            fresh.push_back(std::move(item));
        }
        q.beginInsertRows({}, row, row + count - 1);
        rows.insert(rows.begin() + row,
                    std::make_move_iterator(fresh.begin()),
                    std::make_move_iterator(fresh.end()));
        q.endInsertRows();
        row += count - 1;
    }
    watchPaths();
    q.m_loaded = true;
    Q_EMIT q.loaded();
}

void LibraryModel::Private::watchPaths() {
    QStringList paths = folders;
    for (const Row& row : rows) {
        if (row.info.isImage)
            break;
        if (!row.info.accessed.isValid()) // gone, or on a volume that would hang the watch too
            continue;
        paths.append(row.info.directory);
        // Written in place by other programs, which changes no folder.
        paths.append(row.info.directory + QStringLiteral("/config.json"));
    }
    watch->watch(paths);
}

void LibraryModel::Private::poll(const QSet<QString>& names) {
    toPoll += names;
    if (isPolling || toPoll.isEmpty())
        return;
    QList<std::pair<QString, QString>> asked; // name and directory
    for (const QString& name : std::as_const(toPoll))
        if (const int row = rowOf(false, name); row >= 0)
            asked.append({name, rows[static_cast<size_t>(row)].info.directory});
    toPoll.clear();
    if (asked.isEmpty())
        return;
    isPolling = true;
    pool->start([anchor = anchor, home = q.m_library.home(), d = this, asked] {
        const MachineReader reader(home);
        QList<PolledState> states;
        for (const auto& [name, directory] : asked) {
            PolledState state;
            state.name = name;
            state.state = reader.stateOf(directory, &state.holderPid);
            states.append(state);
        }
        anchor->post([d, states] { d->acceptStates(states); });
    });
}

void LibraryModel::Private::acceptStates(const QList<PolledState>& states) {
    isPolling = false;
    for (const PolledState& polled : states) {
        const int row = rowOf(false, polled.name);
        if (row < 0)
            continue;
        Row& item = rows[static_cast<size_t>(row)];
        MachineInfo info = item.info;
        info.state = polled.state;
        info.holderPid = polled.holderPid;
        const bool isHeld = polled.holderPid != 0 || polled.state == MachineState::RunningElsewhere;
        if (polled.state == MachineState::Broken) { // config.json is gone or unreadable
            if (item.lockState != MachineState::Broken)
                readSoon(info.directory);
            continue;
        }
        if (!isHeld && !info.brokenReason.isEmpty()) {
            info.state = MachineState::Broken;
            readSoon(info.directory); // its volume may have come back, which raises no event
        }
        const bool ended = item.info.holderPid != 0 && polled.holderPid == 0;
        replaceRow(row, std::move(info));
        if (ended) // it may have written its last changes, sizes differ
            readSoon(rows[static_cast<size_t>(row)].info.directory);
    }
    if (!toPoll.isEmpty())
        poll({});
}

void LibraryModel::Private::watchHolder(const Row& row) {
    if (row.info.isImage)
        return;
    const QString& name = row.info.name;
    const qint64 pid = row.info.holderPid;
    if (const auto known = holders.value(name); known && known->pid == pid)
        return;
    holders.remove(name);
    if (pid <= 0 || pid == ::getpid() || holders.size() >= maximumHolders)
        return;
    auto holder = std::make_shared<Holder>();
    holder->pid = pid;
    holder->process = FileDescriptor(posix::watchProcess(static_cast<pid_t>(pid)));
    if (holder->process.isValid()) {
        holder->notifier =
            std::make_unique<QSocketNotifier>(holder->process.get(), QSocketNotifier::Read);
        connect(holder->notifier.get(), &QSocketNotifier::activated, &q, [this, name] {
            if (const auto ended = holders.value(name)) {
                ended->notifier->setEnabled(false);
                poll({name});
            }
        });
        holders.insert(name, std::move(holder));
    }
    // The number may have gone to another process meanwhile: ask the lock again.
    QMetaObject::invokeMethod(
        &q, [this, name] { poll({name}); }, Qt::QueuedConnection);
}

LibraryModel::LibraryModel(Library library, QObject* parent)
    : QAbstractListModel(parent)
    , m_library(std::move(library))
    , m_d(std::make_unique<Private>(*this)) {
    m_d->start();
}

LibraryModel::~LibraryModel() {
    m_d->stop();
}

void LibraryModel::refresh() {
    m_d->readSoon({});
}

const MachineInfo* LibraryModel::infoAt(int row) const {
    return row >= 0 && row < static_cast<int>(m_d->rows.size())
               ? &m_d->rows[static_cast<size_t>(row)].info
               : nullptr;
}

int LibraryModel::rowOf(const QString& name) const {
    const int machine = m_d->rowOf(false, name);
    return machine >= 0 ? machine : m_d->rowOf(true, name);
}

void LibraryModel::setNamesInView(const QSet<QString>& names) {
    const QSet<QString> fresh = names - m_d->inView;
    m_d->inView = names;
    m_d->poll(fresh);
}

void LibraryModel::overlayState(const QString& name,
                                std::optional<MachineState> state,
                                bool responding) {
    if (state)
        m_d->overlays.insert(name, {*state, responding});
    else
        m_d->overlays.remove(name);
    const int row = m_d->rowOf(false, name);
    if (row < 0)
        return;
    MachineInfo info = m_d->rows[static_cast<size_t>(row)].info;
    info.state = m_d->rows[static_cast<size_t>(row)].lockState;
    m_d->replaceRow(row, std::move(info));
}

int LibraryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_d->rows.size());
}

QVariant LibraryModel::data(const QModelIndex& index, int role) const {
    const MachineInfo* info = index.isValid() ? infoAt(index.row()) : nullptr;
    if (!info)
        return {};
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return info->name;
    case InfoRole:
        return QVariant::fromValue(*info);
    case StateRole:
        return static_cast<int>(info->state);
    case IsImageRole:
        return info->isImage;
    case DirectoryRole:
        return info->directory;
    default:
        return {};
    }
}

} // namespace vitrine
