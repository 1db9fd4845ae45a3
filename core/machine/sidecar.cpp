// SPDX-License-Identifier: Apache-2.0
#include "core/machine/sidecar.h"

#include "core/disk/file_lock.h"
#include "core/disk/small_file.h"

#include <QFile>
#include <QJsonDocument>

#include <cerrno>
#include <fcntl.h>

namespace vitrine {

namespace {

constexpr int maximumEvents = 50;
constexpr int lockTimeout = 10000; // milliseconds

QString filePath(const QString& machineDirectory) {
    return machineDirectory + QStringLiteral("/vitrine.json");
}

// Reads one value after the other and keeps the first error.
class Reader final {
public:
    explicit Reader(QJsonObject object)
        : m_rest(std::move(object)) {}

    QJsonValue take(const char* key, QJsonValue::Type type, const QString& wanted) {
        const QJsonValue value = m_rest.take(QLatin1String(key));
        if (value.isUndefined() || value.type() == type)
            return value;
        refuse(QLatin1String(key), wanted);
        return {};
    }
    QString text(const char* key) {
        return take(key, QJsonValue::String, Tr::tr("a text")).toString();
    }
    QJsonArray list(const char* key) {
        return take(key, QJsonValue::Array, Tr::tr("a list")).toArray();
    }
    QJsonObject object(const char* key) {
        return take(key, QJsonValue::Object, Tr::tr("an object")).toObject();
    }
    void refuse(const QString& key, const QString& wanted) {
        note(Error{Error::Kind::InvalidInput,
                   Tr::tr("The key \"%1\" of vitrine.json must be %2. Correct or remove the key.")
                       .arg(key, wanted),
                   {}});
    }
    void note(const Error& error) {
        if (!m_error)
            m_error = error;
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] const QJsonObject& rest() const { return m_rest; }

private:
    QJsonObject m_rest;
    std::optional<Error> m_error;
};

Result<Sidecar> fromJson(const QByteArray& bytes, const QString& path) {
    // What a crash leaves of a program that does not write safely. Not taken for "no settings":
    // they may have kept the guest from a network or a folder from being written.
    if (bytes.trimmed().isEmpty())
        return fail(
            Error::Kind::InvalidInput,
            Tr::tr("\"%1\" is empty: its settings are lost. Restore the file from a copy, or "
                   "delete it to start with default settings.")
                .arg(path));
    QJsonParseError parsing{};
    const QJsonDocument document = QJsonDocument::fromJson(bytes, &parsing);
    if (parsing.error != QJsonParseError::NoError || !document.isObject())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is damaged at byte %2. Repair the file, or move it away to "
                           "start with default settings.")
                        .arg(path)
                        .arg(parsing.offset),
                    parsing.errorString());
    Reader reader(document.object());
    Sidecar sidecar;
    const auto run = RunOptions::fromJson(reader.object("run"));
    if (run)
        sidecar.run = *run;
    else
        reader.note(run.error());
    for (const QJsonValue& item : reader.list("pending")) {
        const QJsonObject entry = item.toObject();
        const QString key = entry.value(QLatin1String("key")).toString();
        if (key.isEmpty())
            reader.refuse(QStringLiteral("pending"), Tr::tr("a list of objects with a key"));
        sidecar.pending.append(
            {key, entry.value(QLatin1String("old")), entry.value(QLatin1String("new"))});
    }
    sidecar.notes = reader.text("notes");
    sidecar.sourceImage = reader.text("sourceImage");
    sidecar.sshUser = reader.text("sshUser");
    sidecar.efivars = reader.text("efivars");
    sidecar.growPartition =
        reader.take("growPartition", QJsonValue::Bool, Tr::tr("true or false")).toBool();
    sidecar.deviceSlots = reader.object("deviceSlots");
    sidecar.snapshots = reader.object("snapshots");
    sidecar.events = reader.list("events");
    if (reader.error())
        return fail(*reader.error());
    sidecar.unknown = reader.rest();
    return sidecar;
}

QByteArray toJson(const Sidecar& sidecar) {
    QJsonObject object = sidecar.unknown;
    const auto set = [&object](const char* key, const auto& value) {
        if (!value.isEmpty())
            object[QLatin1String(key)] = value;
    };
    set("run", sidecar.run.toJson());
    QJsonArray pending;
    for (const PendingChange& change : sidecar.pending)
        pending.append(QJsonObject{{QStringLiteral("key"), change.key},
                                   {QStringLiteral("old"), change.oldValue},
                                   {QStringLiteral("new"), change.newValue}});
    set("pending", pending);
    set("notes", sidecar.notes);
    set("sourceImage", sidecar.sourceImage);
    set("sshUser", sidecar.sshUser);
    set("efivars", sidecar.efivars);
    if (sidecar.growPartition)
        object[QStringLiteral("growPartition")] = true;
    set("deviceSlots", sidecar.deviceSlots);
    set("snapshots", sidecar.snapshots);
    set("events", sidecar.events);
    return QJsonDocument(object).toJson(QJsonDocument::Indented);
}

} // namespace

Result<Sidecar> Sidecar::read(const QString& machineDirectory) {
    const QString path = filePath(machineDirectory);
    // Whatever is wrong with the file, the one who asked gave no wrong input.
    const auto damaged = [](Error error) {
        if (error.kind == Error::Kind::InvalidInput || error.kind == Error::Kind::Unsupported)
            error.kind = Error::Kind::Integrity;
        return fail(std::move(error));
    };
    const auto bytes = readSmallFile(path);
    if (!bytes) {
        if (bytes.error().kind == Error::Kind::NotFound)
            return Sidecar();
        return damaged(bytes.error());
    }
    auto sidecar = fromJson(*bytes, path);
    if (!sidecar)
        return damaged(sidecar.error());
    return sidecar;
}

Result<> Sidecar::update(const QString& machineDirectory,
                         const std::function<void(Sidecar&)>& edit) {
    const QString path = filePath(machineDirectory);
    const QString lockPath = path + QStringLiteral(".lock");
    const FileDescriptor made(::open(QFile::encodeName(lockPath).constData(),
                                     O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                                     0600));
    if (!made.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(lockPath), errno));
    const auto lock = DirectoryLock::lock(lockPath, lockTimeout);
    if (!lock)
        return fail(lock.error());
    const auto before = read(machineDirectory);
    if (!before)
        return fail(before.error());
    Sidecar sidecar = *before;
    edit(sidecar);
    while (sidecar.events.size() > maximumEvents)
        sidecar.events.removeFirst();
    if (sidecar == *before)
        return {};
    const QByteArray bytes = toJson(sidecar);
    if (bytes.size() > maximumSmallFile)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Cannot write \"%1\". It would be larger than 1 MB. Shorten the notes.")
                        .arg(path));
    return replaceFile(path, bytes);
}

void Sidecar::addEvent(const QString& kind, const QString& text, const QDateTime& time) {
    events.append(QJsonObject{{QStringLiteral("time"), time.toUTC().toString(Qt::ISODateWithMs)},
                              {QStringLiteral("kind"), kind},
                              {QStringLiteral("text"), text}});
    while (events.size() > maximumEvents)
        events.removeFirst();
}

Result<> Sidecar::addEvent(const QString& machineDirectory,
                           const QString& kind,
                           const QString& text,
                           const QDateTime& time) {
    return update(machineDirectory, [&](Sidecar& sidecar) { sidecar.addEvent(kind, text, time); });
}

} // namespace vitrine
