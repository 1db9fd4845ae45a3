// SPDX-License-Identifier: Apache-2.0
#include "core/bench/suite.h"

#include "core/bench/executor_spec.h"
#include "core/bench/json_reader.h"
#include "core/bench/resources.h"
#include "core/disk/small_file.h"

#include <QDir>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <cmath>

namespace vitrine::bench {

namespace {

constexpr int suiteVersion = 1;
constexpr double mebi = 1024 * 1024;
constexpr qsizetype longestName = 100;
constexpr qsizetype longestCommandName = 90;
constexpr qsizetype longestCommand = 16384;
constexpr qsizetype mostWorkloads = 200;
constexpr int mostRounds = 1000;
const QLatin1String formatName("vitrine-suite");

bool isName(const QString& text) {
    return !text.trimmed().isEmpty() && text.size() <= longestName &&
           std::all_of(text.begin(), text.end(), [](QChar c) { return c.isPrint(); });
}

bool isCommand(const QString& text) {
    return text.size() <= longestCommand && !text.contains(QChar(0));
}

void refuseUnknown(JsonReader& reader) {
    if (reader.rest().isEmpty() || reader.error())
        return;
    reader.refuse(reader.rest().keys().first(),
                  Tr::tr("left out: there is no such key in a suite"));
}

Result<Workload> workloadFrom(const QJsonValue& value, const QString& at, bool hasWorkingSet) {
    if (!value.isObject())
        return fail(wrongType(at, Tr::tr("an object")));
    JsonReader reader(value.toObject(), at);
    Workload workload;
    workload.name = reader.text("name");
    const auto kind = kindFrom(reader.text("kind"));
    workload.setup = reader.text("setup");
    workload.command = reader.text("command");
    workload.pair = reader.text("pair");
    const auto cache = cacheFrom(reader.text("cache"));
    workload.cache = cache.value_or(Workload::Cache::Emptied);
    workload.kind = kind.value_or(Workload::Kind::Fio);
    if (!isName(workload.name))
        reader.refuse(QStringLiteral("name"),
                      Tr::tr("a name of at most %1 printable characters").arg(longestName));
    if (!kind)
        reader.refuse(QStringLiteral("kind"), Tr::tr("\"fio\", \"time\" or \"reported\""));
    if (workload.command.trimmed().isEmpty() || !isCommand(workload.command))
        reader.refuse(QStringLiteral("command"), Tr::tr("a line for the shell"));
    if (!isCommand(workload.setup))
        reader.refuse(QStringLiteral("setup"), Tr::tr("a line for the shell"));
    static const QRegularExpression json(QStringLiteral("--output-format[= ]json"));
    if (workload.kind == Workload::Kind::Fio && !workload.command.contains(json))
        reader.refuse(QStringLiteral("command"), Tr::tr("a line of fio with --output-format json"));
    if (!cache)
        reader.refuse(QStringLiteral("cache"), Tr::tr("\"cached\" or \"invalidated\""));
    if (workload.cache != Workload::Cache::Emptied &&
        (workload.kind != Workload::Kind::Fio || workload.setup.isEmpty()))
        reader.refuse(QStringLiteral("cache"),
                      Tr::tr("left out, or the workload needs the kind \"fio\" and a \"setup\" "
                             "that reads the file"));
    if (workload.command.contains(QLatin1String("${SIZE}")) && !hasWorkingSet)
        reader.refuse(QStringLiteral("command"),
                      Tr::tr("a line without ${SIZE}, or the suite needs \"workingSet\""));
    refuseUnknown(reader);
    if (reader.error())
        return fail(*reader.error());
    return workload;
}

Result<std::optional<WorkingSet>> workingSetFrom(const QJsonObject& object) {
    if (object.isEmpty())
        return std::nullopt;
    JsonReader reader(object, QStringLiteral("workingSet"));
    const double times = reader.number("timesMemory").value_or(1);
    const double least = reader.number("atLeast").value_or(mebi);
    const double most = reader.number("atMost").value_or(1e15);
    if (times <= 0 || times > 100)
        reader.refuse(QStringLiteral("timesMemory"), Tr::tr("a number from above 0 to 100"));
    if (least < mebi || least > 1e15)
        reader.refuse(QStringLiteral("atLeast"), Tr::tr("a number of bytes from 1 MiB on"));
    if (most < least || most > 1e15)
        reader.refuse(QStringLiteral("atMost"), Tr::tr("a number of bytes from \"atLeast\" on"));
    refuseUnknown(reader);
    if (reader.error())
        return fail(*reader.error());
    return WorkingSet{times, static_cast<quint64>(least), static_cast<quint64>(most)};
}

Result<> checkNames(const QList<Workload>& workloads) {
    QSet<QString> names;
    for (const Workload& workload : workloads) {
        if (names.contains(workload.name))
            return fail(wrongType(
                QStringLiteral("name"),
                Tr::tr("different for every workload; \"%1\" is there twice").arg(workload.name)));
        names.insert(workload.name);
    }
    for (const Workload& workload : workloads) {
        if (!workload.pair.isEmpty() && !names.contains(workload.pair))
            return fail(
                wrongType(QStringLiteral("pair"),
                          Tr::tr("the name of a workload; there is no \"%1\"").arg(workload.pair)));
        const bool hasOther =
            std::any_of(workloads.begin(), workloads.end(), [&workload](const Workload& other) {
                return other.name == workload.pair && other.cache == Workload::Cache::Invalidated;
            });
        if (workload.cache == Workload::Cache::Cached && !hasOther)
            return fail(wrongType(QStringLiteral("pair"),
                                  Tr::tr("for \"%1\", the name of the workload whose \"cache\" is "
                                         "\"invalidated\"")
                                      .arg(workload.name)));
    }
    return {};
}

} // namespace

Result<Suite> Suite::fromJson(const QByteArray& bytes) {
    const auto json = jsonObjectFrom(bytes, Tr::tr("The suite"));
    if (!json)
        return fail(json.error());
    JsonReader reader(*json);
    Suite suite;
    const QString format = reader.text("format");
    const double version = reader.number("version").value_or(0);
    if (format != formatName || version < 1)
        return fail(Error::Kind::Integrity,
                    Tr::tr("This is no suite: \"format\" must be \"%1\" and \"version\" 1. Take "
                           "the right file.")
                        .arg(formatName));
    if (version > suiteVersion)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The suite is for a newer Vitrine (version %1 of the file; this one "
                           "reads %2). Use the newer one.")
                        .arg(version)
                        .arg(suiteVersion));
    suite.id = reader.text("id");
    suite.title = reader.text("title");
    suite.description = reader.text("description");
    const QJsonObject workingSet = reader.object("workingSet");
    const double rounds = reader.number("rounds").value_or(suite.rounds);
    for (const QJsonValue& word : reader.list("executors")) {
        const auto spec = ExecutorSpec::fromText(word.toString());
        if (spec)
            suite.executors.append(spec->text);
        else
            reader.refuse(QStringLiteral("executors"),
                          Tr::tr("a list of words that --executor takes, such as \"host\""));
    }
    const QJsonArray workloads = reader.list("workloads");
    static const QRegularExpression id(QStringLiteral("\\A[a-z0-9][a-z0-9-]{0,39}\\z"));
    if (!id.match(suite.id).hasMatch())
        reader.refuse(QStringLiteral("id"), Tr::tr("up to 40 small letters, digits and hyphens"));
    if (!isName(suite.title))
        reader.refuse(QStringLiteral("title"),
                      Tr::tr("a name of at most %1 printable characters").arg(longestName));
    if (!(rounds >= 1 && rounds <= mostRounds) || rounds != std::floor(rounds))
        reader.refuse(QStringLiteral("rounds"),
                      Tr::tr("a whole number from 1 to %1").arg(mostRounds));
    if (workloads.isEmpty() || workloads.size() > mostWorkloads)
        reader.refuse(QStringLiteral("workloads"),
                      Tr::tr("a list of 1 to %1 workloads").arg(mostWorkloads));
    refuseUnknown(reader);
    if (reader.error())
        return fail(*reader.error());
    const auto set = workingSetFrom(workingSet);
    if (!set)
        return fail(set.error());
    suite.workingSet = *set;
    suite.rounds = static_cast<int>(rounds);
    for (qsizetype i = 0; i < workloads.size(); ++i) {
        const auto workload = workloadFrom(
            workloads.at(i), QStringLiteral("workloads[%1]").arg(i), suite.workingSet.has_value());
        if (!workload)
            return fail(workload.error());
        suite.workloads.append(*workload);
    }
    if (const auto checked = checkNames(suite.workloads); !checked)
        return fail(checked.error());
    return suite;
}

quint64 Suite::workingSetFor(quint64 memory) const {
    if (!workingSet)
        return 0;
    const auto wanted = static_cast<quint64>(workingSet->timesMemory * static_cast<double>(memory));
    const quint64 bytes = std::clamp(wanted, workingSet->atLeast, workingSet->atMost);
    return bytes / static_cast<quint64>(mebi) * static_cast<quint64>(mebi);
}

bool Suite::isLimitedFor(quint64 memory) const {
    return workingSet && workingSet->timesMemory * static_cast<double>(memory) >
                             static_cast<double>(workingSet->atMost);
}

QString Suite::commandOf(const Workload& workload, quint64 memory) const {
    QString command = workload.command;
    const quint64 mebibytes = workingSetFor(memory) / static_cast<quint64>(mebi);
    return command.replace(QLatin1String("${SIZE}"), QStringLiteral("%1m").arg(mebibytes));
}

QString wordOf(Workload::Kind kind) {
    switch (kind) {
    case Workload::Kind::Fio:
        return QStringLiteral("fio");
    case Workload::Kind::Time:
        return QStringLiteral("time");
    case Workload::Kind::Reported:
        break;
    }
    return QStringLiteral("reported");
}

std::optional<Workload::Kind> kindFrom(const QString& word) {
    for (const auto kind : {Workload::Kind::Fio, Workload::Kind::Time, Workload::Kind::Reported})
        if (word == wordOf(kind))
            return kind;
    return {};
}

QString wordOf(Workload::Cache cache) {
    switch (cache) {
    case Workload::Cache::Cached:
        return QStringLiteral("cached");
    case Workload::Cache::Invalidated:
        return QStringLiteral("invalidated");
    case Workload::Cache::Emptied:
        break;
    }
    return {};
}

std::optional<Workload::Cache> cacheFrom(const QString& word) {
    for (const auto cache :
         {Workload::Cache::Emptied, Workload::Cache::Cached, Workload::Cache::Invalidated})
        if (word == wordOf(cache))
            return cache;
    return {};
}

QString shortened(const QString& command) {
    static const std::pair<QRegularExpression, QString> changes[]{
        {QRegularExpression(QStringLiteral("--runtime[= ]\\S+")), QStringLiteral("--runtime=1")},
        {QRegularExpression(QStringLiteral("--ramp_time[= ]\\S+")),
         QStringLiteral("--ramp_time=0")},
        {QRegularExpression(QStringLiteral("--size[= ]\\d+[kK]?[gGmMtT]\\w*")),
         QStringLiteral("--size=4m")},
        {QRegularExpression(QStringLiteral("\\bbs=1048576 count=\\d+")),
         QStringLiteral("bs=1048576 count=4")},
        {QRegularExpression(QStringLiteral("\\bfolders=\\d+")), QStringLiteral("folders=2")}};
    QString shorter = command;
    for (const auto& [pattern, replacement] : changes)
        shorter.replace(pattern, replacement);
    return shorter;
}

QList<Suite> shippedSuites() {
    QList<Suite> suites;
    for (const QString& path : shippedFiles(QStringLiteral("suites")))
        if (const auto suite = Suite::fromJson(shippedFile(path)))
            suites.append(*suite);
    return suites;
}

Result<Suite> commandSuite(const QStringList& lines, const QString& setup, Workload::Kind kind) {
    QJsonArray workloads;
    QSet<QString> names;
    for (const QString& line : lines) {
        QString name = line.simplified();
        if (name.size() > longestCommandName)
            name = name.left(longestCommandName) + QChar(0x2026);
        for (int copy = 2; names.contains(name); ++copy)
            name = QStringLiteral("%1 (%2)").arg(line.simplified().left(longestCommandName),
                                                 QString::number(copy));
        names.insert(name);
        QJsonObject workload{{QStringLiteral("name"), name},
                             {QStringLiteral("kind"), wordOf(kind)},
                             {QStringLiteral("command"), line}};
        if (!setup.isEmpty())
            workload.insert(QStringLiteral("setup"), setup);
        workloads.append(workload);
    }
    const QJsonObject file{{QStringLiteral("format"), formatName},
                           {QStringLiteral("version"), suiteVersion},
                           {QStringLiteral("id"), QStringLiteral("command")},
                           {QStringLiteral("title"), Tr::tr("Command timing")},
                           {QStringLiteral("workloads"), workloads}};
    return Suite::fromJson(QJsonDocument(file).toJson());
}

QList<SuiteEntry> allSuites(const QString& folder) {
    QList<SuiteEntry> entries;
    QSet<QString> taken;
    for (const Suite& suite : shippedSuites()) {
        entries.append({{}, suite});
        taken.insert(suite.id);
    }
    const QStringList names =
        QDir(folder).entryList({QStringLiteral("*.json")}, QDir::Files | QDir::System, QDir::Name);
    for (const QString& name : names) {
        const QString path = folder + QLatin1Char('/') + name;
        const auto bytes = readSmallFile(path);
        auto suite = bytes ? Suite::fromJson(*bytes) : Result<Suite>(fail(bytes.error()));
        if (suite && taken.contains(suite->id))
            suite = fail(Error::Kind::AlreadyExists,
                         Tr::tr("There is another suite \"%1\". Change \"id\".").arg(suite->id));
        if (suite)
            taken.insert(suite->id);
        else
            suite =
                fail(suite.error().kind,
                     Tr::tr("The suite \"%1\" cannot be used. %2").arg(path, suite.error().message),
                     suite.error().detail);
        entries.append({path, std::move(suite)});
    }
    return entries;
}

Result<Suite> findSuite(const QString& id, const QString& folder) {
    QStringList known;
    for (const SuiteEntry& entry : allSuites(folder)) {
        // A file of that name is meant, also when it cannot be read.
        const bool isMeant =
            entry.suite ? entry.suite->id == id
                        : entry.path == folder + QLatin1Char('/') + id + QStringLiteral(".json");
        if (isMeant)
            return entry.suite;
        if (entry.suite)
            known.append(entry.suite->id);
    }
    return fail(Error::Kind::NotFound,
                Tr::tr("There is no suite \"%1\". There are: %2. One of your own is a file in "
                       "\"%3\".")
                    .arg(id, known.join(QStringLiteral(", ")), folder));
}

} // namespace vitrine::bench
