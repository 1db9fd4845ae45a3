// SPDX-License-Identifier: Apache-2.0
#include "core/machine/run_options.h"

#include "core/image/image_reference.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>
#include <array>
#include <sys/stat.h>
#include <tuple>
#include <utility>

namespace vitrine {

namespace {

template <class T, std::size_t N>
using Words = std::array<std::pair<const char*, T>, N>;

constexpr Words<Synchronisation, 3> synchronisations{{{"full", Synchronisation::Full},
                                                      {"fsync", Synchronisation::Fsync},
                                                      {"none", Synchronisation::None}}};
constexpr Words<Caching, 3> cachings{{{"automatic", Caching::Automatic},
                                      {"cached", Caching::Cached},
                                      {"uncached", Caching::Uncached}}};
constexpr Words<AcceleratorChoice, 3> accelerators{{{"automatic", AcceleratorChoice::Automatic},
                                                    {"kvm", AcceleratorChoice::Kvm},
                                                    {"tcg", AcceleratorChoice::Tcg}}};

template <class T, std::size_t N>
std::optional<T> find(const Words<T, N>& words, QStringView name) {
    for (const auto& [word, value] : words)
        if (name == QLatin1String(word))
            return value;
    return std::nullopt;
}

template <class T, std::size_t N>
QString nameOf(const Words<T, N>& words, T wanted) {
    for (const auto& [word, value] : words)
        if (value == wanted)
            return QLatin1String(word);
    return {};
}

template <class T, std::size_t N>
QString listOf(const Words<T, N>& words) {
    QStringList names;
    for (const auto& [word, value] : words)
        names.append(QLatin1String(word));
    return names.join(QStringLiteral(", "));
}

enum class Word { Taken, Unknown };

// Empty value: the default.
template <class T, std::size_t N>
Result<Word> takeValue(const Words<T, N>& words, const QString& word, QStringView value, T& out) {
    if (value.isEmpty()) {
        out = words[0].second;
        return Word::Taken;
    }
    const auto found = find(words, value);
    if (!found)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The disk option \"%1\" has an unknown value. Known values are %2.")
                        .arg(word, listOf(words)));
    out = *found;
    return Word::Taken;
}

Result<Word> takeWord(const QString& word, DiskOptions& options) {
    static const QString sync = QStringLiteral("sync=");
    static const QString caching = QStringLiteral("caching=");
    if (word == QLatin1String("ro")) {
        options.readOnly = true;
        return Word::Taken;
    }
    if (word.startsWith(sync))
        return takeValue(
            synchronisations, word, QStringView(word).sliced(sync.size()), options.synchronisation);
    if (word.startsWith(caching))
        return takeValue(cachings, word, QStringView(word).sliced(caching.size()), options.caching);
    return Word::Unknown;
}

bool isNetworkDisk(const QString& path) {
    static constexpr std::array schemes{"nbd://", "nbds://", "nbd+unix://", "nbds+unix://"};
    return std::any_of(schemes.begin(), schemes.end(), [&path](const char* scheme) {
        return path.startsWith(QLatin1String(scheme));
    });
}

Error wrongKey(const QString& key, const QString& wanted) {
    return Error{Error::Kind::InvalidInput,
                 Tr::tr("The key \"%1\" of vitrine.json must be %2. Correct or remove the key.")
                     .arg(key, wanted),
                 {}};
}

Result<bool> booleanOf(const QJsonObject& object, const QString& key, bool otherwise) {
    const QJsonValue value = object.value(key);
    if (value.isUndefined())
        return otherwise;
    if (!value.isBool())
        return fail(wrongKey(key, Tr::tr("true or false")));
    return value.toBool();
}

Result<quint16> portOf(const QJsonObject& object, const QString& key, int minimum) {
    const int port = static_cast<int>(object.value(key).toInteger(-1));
    if (object.value(key).toInteger(-1) < minimum || object.value(key).toInteger(-1) > 65535)
        return fail(wrongKey(QStringLiteral("forwards.") + key,
                             Tr::tr("a port number from %1 to 65535").arg(minimum)));
    return static_cast<quint16>(port);
}

Result<QString> textOf(const QJsonObject& object, const QString& parent, const QString& key) {
    const QJsonValue value = object.value(key);
    if (!value.isUndefined() && !value.isString())
        return fail(wrongKey(parent + QLatin1Char('.') + key, Tr::tr("a text")));
    return value.toString();
}

Result<QList<ExtraDisk>> disksOf(const QJsonValue& value) {
    static const QString key = QStringLiteral("disks");
    QList<ExtraDisk> disks;
    if (value.isUndefined())
        return disks;
    if (!value.isArray())
        return fail(wrongKey(key, Tr::tr("a list")));
    for (const QJsonValue& item : value.toArray()) {
        if (!item.isObject())
            return fail(wrongKey(key, Tr::tr("a list of objects")));
        const auto path = textOf(item.toObject(), key, QStringLiteral("path"));
        const auto words = textOf(item.toObject(), key, QStringLiteral("options"));
        if (!path || !words)
            return fail(!path ? path.error() : words.error());
        if (path->isEmpty())
            return fail(wrongKey(QStringLiteral("disks.path"), Tr::tr("a text that is not empty")));
        const auto options = DiskOptions::fromText(*words);
        if (!options)
            return fail(options.error());
        disks.append({*path, *options});
    }
    return disks;
}

Result<QList<PortForward>> forwardsOf(const QJsonValue& value) {
    static const QString key = QStringLiteral("forwards");
    QList<PortForward> forwards;
    if (value.isUndefined())
        return forwards;
    if (!value.isArray())
        return fail(wrongKey(key, Tr::tr("a list")));
    for (const QJsonValue& item : value.toArray()) {
        const auto host = portOf(item.toObject(), QStringLiteral("hostPort"), 0);
        const auto guest = portOf(item.toObject(), QStringLiteral("guestPort"), 1);
        if (!host || !guest)
            return fail(!host ? host.error() : guest.error());
        forwards.append({*host, *guest});
    }
    return forwards;
}

Result<std::optional<KernelBoot>> kernelOf(const QJsonValue& value) {
    static const QString key = QStringLiteral("kernel");
    if (value.isUndefined() || value.isNull())
        return std::optional<KernelBoot>();
    if (!value.isObject())
        return fail(wrongKey(key, Tr::tr("an object")));
    const auto kernel = textOf(value.toObject(), key, QStringLiteral("kernel"));
    const auto initrd = textOf(value.toObject(), key, QStringLiteral("initrd"));
    const auto commandLine = textOf(value.toObject(), key, QStringLiteral("commandLine"));
    for (const auto* part : {&kernel, &initrd, &commandLine})
        if (!*part)
            return fail(part->error());
    if (kernel->isEmpty())
        return fail(wrongKey(QStringLiteral("kernel.kernel"), Tr::tr("a text that is not empty")));
    return std::optional<KernelBoot>(KernelBoot{*kernel, *initrd, *commandLine});
}

// Switches with their values when the key is missing.
template <class Options>
auto switchesOf(Options& options) {
    return std::array{std::tuple("audio", &options.audio, true),
                      std::tuple("clipboard", &options.clipboard, true),
                      std::tuple("pointer", &options.pointer, true),
                      std::tuple("keyboard", &options.keyboard, true),
                      std::tuple("vncServer", &options.vncServer, false),
                      std::tuple("nested", &options.nested, false)};
}

// Network, boot order and serial line.
Result<> readStart(const QJsonObject& object, RunOptions& options) {
    static const QString networkKey = QStringLiteral("network");
    const QJsonValue network = object.value(networkKey);
    if (!network.isUndefined() && !network.isObject())
        return fail(wrongKey(networkKey, Tr::tr("an object")));
    auto attached = NetworkOptions::fromJson(network.toObject());
    if (!attached)
        return fail(attached.error());
    options.network = *std::move(attached);
    for (const char* key : {"bootOrder", "serial"})
        if (!object.value(QLatin1String(key)).isUndefined() &&
            !object.value(QLatin1String(key)).isString())
            return fail(wrongKey(QLatin1String(key), Tr::tr("a text")));
    auto order = bootOrderFromText(object.value(QLatin1String("bootOrder")).toString());
    if (!order)
        return fail(order.error());
    options.bootOrder = *std::move(order);
    options.serial = SerialLine::fromText(object.value(QLatin1String("serial")).toString());
    return {};
}

} // namespace

Result<DiskOptions> DiskOptions::fromText(const QString& text) {
    DiskOptions options;
    for (const QString& word : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const auto taken = takeWord(word, options);
        if (!taken)
            return fail(taken.error());
        if (*taken == Word::Unknown)
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("The disk option \"%1\" is not known. Known options are ro, "
                               "sync=(%2) and caching=(%3).")
                            .arg(word, listOf(synchronisations), listOf(cachings)));
    }
    return options;
}

QString DiskOptions::toText() const {
    QStringList words;
    if (readOnly)
        words.append(QStringLiteral("ro"));
    if (synchronisation != Synchronisation::Full)
        words.append(QStringLiteral("sync=") + nameOf(synchronisations, synchronisation));
    if (caching != Caching::Automatic)
        words.append(QStringLiteral("caching=") + nameOf(cachings, caching));
    return words.join(QLatin1Char(','));
}

Result<ExtraDisk> ExtraDisk::fromText(const QString& text) {
    QStringList pieces = text.split(QLatin1Char(':'), Qt::SkipEmptyParts);
    ExtraDisk disk;
    if (!pieces.isEmpty()) {
        bool anyOption = false;
        for (const QString& word : pieces.last().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
            const auto taken = takeWord(word, disk.options);
            if (!taken)
                return fail(taken.error());
            anyOption |= *taken == Word::Taken;
        }
        if (anyOption)
            pieces.removeLast();
    }
    disk.path = pieces.join(QLatin1Char(':'));
    if (disk.path.isEmpty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The disk \"%1\" has no path. Write it as path or path:options, for "
                           "example \"data.img:ro\".")
                        .arg(text));
    return disk;
}

QString ExtraDisk::toText() const {
    const QString words = options.toText();
    if (!words.isEmpty())
        return path + QLatin1Char(':') + words;
    // A path such as "a:ro" needs a piece of options behind it to stay a path.
    const auto again = fromText(path);
    if (again && again->path == path)
        return path;
    return path + QStringLiteral(":sync=");
}

QString ExtraDisk::filePath(const QString& base) const {
    QString file = path;
    if (file == QLatin1String("~") || file.startsWith(QLatin1String("~/")))
        file = QDir::homePath() + file.sliced(1);
    return QDir::cleanPath(QDir(base).absoluteFilePath(file));
}

bool ExtraDisk::isOptical() const {
    return path.endsWith(QLatin1String(".iso"), Qt::CaseInsensitive) && !isNetworkDisk(path);
}

ExtraDisk::Kind ExtraDisk::kind(const QString& base) const {
    if (isNetworkDisk(path))
        return Kind::NetworkDisk;
    struct stat info {};
    if (::stat(QFile::encodeName(filePath(base)).constData(), &info) == 0)
        return S_ISBLK(info.st_mode) ? Kind::BlockDevice : Kind::File;
    return ImageReference::isReference(path) ? Kind::CachedImage : Kind::File;
}

Result<RunOptions> RunOptions::fromJson(const QJsonObject& object) {
    RunOptions options;
    const QString rootDiskKey = QStringLiteral("rootDisk");
    if (!object.value(rootDiskKey).isUndefined() && !object.value(rootDiskKey).isString())
        return fail(wrongKey(rootDiskKey, Tr::tr("a text")));
    const auto root = DiskOptions::fromText(object.value(rootDiskKey).toString());
    if (!root)
        return fail(root.error());
    options.rootDisk = *root;
    const auto disks = disksOf(object.value(QLatin1String("disks")));
    if (!disks)
        return fail(disks.error());
    options.disks = *disks;
    const auto forwards = forwardsOf(object.value(QLatin1String("forwards")));
    if (!forwards)
        return fail(forwards.error());
    options.forwards = *forwards;
    const auto shares = ShareSpec::listFromJson(object.value(QLatin1String("shares")));
    if (!shares)
        return fail(shares.error());
    options.shares = *shares;
    const auto sharing = ShareOptions::fromJson(object.value(QLatin1String("sharing")));
    if (!sharing)
        return fail(sharing.error());
    options.sharing = *sharing;
    const auto kernel = kernelOf(object.value(QLatin1String("kernel")));
    if (!kernel)
        return fail(kernel.error());
    options.kernel = *kernel;
    const QString acceleratorKey = QStringLiteral("accelerator");
    if (object.contains(acceleratorKey)) {
        const auto choice = find(accelerators, object.value(acceleratorKey).toString());
        if (!choice)
            return fail(wrongKey(acceleratorKey, listOf(accelerators)));
        options.accelerator = *choice;
    }
    for (const auto& [key, member, otherwise] : switchesOf(options)) {
        const auto value = booleanOf(object, QLatin1String(key), otherwise);
        if (!value)
            return fail(value.error());
        *member = *value;
    }
    if (const auto read = readStart(object, options); !read)
        return fail(read.error());
    options.unknown = object;
    for (const char* key : {"rootDisk",
                            "disks",
                            "forwards",
                            "shares",
                            "sharing",
                            "kernel",
                            "accelerator",
                            "audio",
                            "clipboard",
                            "pointer",
                            "keyboard",
                            "network",
                            "bootOrder",
                            "serial",
                            "vncServer",
                            "nested"})
        options.unknown.remove(QLatin1String(key));
    return options;
}

QJsonObject RunOptions::toJson() const {
    QJsonObject object = unknown;
    const auto setText = [](QJsonObject& target, const char* key, const QString& text) {
        if (!text.isEmpty())
            target[QLatin1String(key)] = text;
    };
    setText(object, "rootDisk", rootDisk.toText());
    QJsonArray diskArray;
    for (const ExtraDisk& disk : disks) {
        QJsonObject item{{QStringLiteral("path"), disk.path}};
        setText(item, "options", disk.options.toText());
        diskArray.append(item);
    }
    if (!diskArray.isEmpty())
        object[QStringLiteral("disks")] = diskArray;
    QJsonArray forwardArray;
    for (const PortForward& forward : forwards)
        forwardArray.append(QJsonObject{{QStringLiteral("hostPort"), forward.hostPort},
                                        {QStringLiteral("guestPort"), forward.guestPort}});
    if (!forwardArray.isEmpty())
        object[QStringLiteral("forwards")] = forwardArray;
    if (!shares.isEmpty())
        object[QStringLiteral("shares")] = ShareSpec::listToJson(shares);
    if (!sharing.isDefault())
        object[QStringLiteral("sharing")] = sharing.toJson();
    if (kernel) {
        QJsonObject item{{QStringLiteral("kernel"), kernel->kernel}};
        setText(item, "initrd", kernel->initrd);
        setText(item, "commandLine", kernel->commandLine);
        object[QStringLiteral("kernel")] = item;
    }
    if (accelerator != AcceleratorChoice::Automatic)
        object[QStringLiteral("accelerator")] = nameOf(accelerators, accelerator);
    if (const QJsonObject attached = network.toJson(); !attached.isEmpty())
        object[QStringLiteral("network")] = attached;
    setText(object, "bootOrder", toText(bootOrder));
    setText(object, "serial", serial.toText());
    for (const auto& [key, value, otherwise] : switchesOf(*this))
        if (*value != otherwise)
            object[QLatin1String(key)] = *value;
    return object;
}

} // namespace vitrine
