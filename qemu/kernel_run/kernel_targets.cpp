// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_targets.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>

#define TOML_EXCEPTIONS 0
// toml++ 3.3 assumes of "[[[" what it only checks afterwards: an abort, or worse without asserts.
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <limits>
#include <string_view>

namespace vitrine::qemu {

namespace {

constexpr qint64 largestFile = 1 << 20; // bytes
constexpr qsizetype mostTargets = 1000;

QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

class Reader final {
public:
    explicit Reader(const QString& path)
        : m_path(path)
        , m_folder(QFileInfo(path).absoluteDir()) {}

    Result<QList<KernelRunRequest>> read() {
        QFile file(m_path);
        if (!file.open(QIODevice::ReadOnly)) {
            return fail(file.exists() ? Error::Kind::Permission : Error::Kind::NotFound,
                        Tr::tr("The list \"%1\" cannot be read. The system says: %2.")
                            .arg(m_path, file.errorString()));
        }
        if (file.size() > largestFile) {
            return fail(refused(0, Tr::tr("It is larger than 1 MiB.")));
        }
        const QByteArray bytes = file.readAll();
        const toml::parse_result parsed =
            toml::parse(std::string_view(bytes.constData(), static_cast<size_t>(bytes.size())));
        if (!parsed) {
            return fail(
                refused(parsed.error().source().begin.line, textOf(parsed.error().description())));
        }
        return readRoot(parsed.table());
    }

private:
    [[nodiscard]] Error refused(std::uint32_t line, const QString& reason) const {
        return {Error::Kind::Integrity,
                line > 0
                    ? Tr::tr("Line %1 of \"%2\" cannot be used. %3").arg(line).arg(m_path, reason)
                    : Tr::tr("\"%1\" cannot be used. %2").arg(m_path, reason),
                {}};
    }

    Result<QList<KernelRunRequest>> readRoot(const toml::table& root) {
        for (const auto& [key, value] : root) {
            if (key.str() != "target") {
                return fail(refused(key.source().begin.line, unknown(key.str())));
            }
        }
        const toml::array* const list = root["target"].as_array();
        if (list == nullptr || list->empty() || !list->is_array_of_tables()) {
            return fail(refused(0, Tr::tr("It has no [[target]].")));
        }
        if (list->size() > static_cast<std::size_t>(mostTargets)) {
            return fail(refused(0, Tr::tr("It has more than 1,000 targets.")));
        }
        QList<KernelRunRequest> targets;
        QSet<QString> names;
        for (const toml::node& node : *list) {
            auto target = readTarget(*node.as_table());
            if (!target) {
                return fail(target.error());
            }
            if (target->name.isEmpty()) {
                target->name = Tr::tr("target %1").arg(targets.size() + 1);
            }
            if (names.contains(target->name)) {
                return fail(refused(node.source().begin.line,
                                    Tr::tr("There is a target \"%1\" before it. Give it another "
                                           "name.")
                                        .arg(target->name)));
            }
            names.insert(target->name);
            targets.append(*target);
        }
        return targets;
    }

    static QString unknown(std::string_view key) {
        return Tr::tr("The key \"%1\" is not known here. Perhaps it is mistyped.").arg(textOf(key));
    }

    Result<KernelRunRequest> readTarget(const toml::table& table) {
        KernelRunRequest target;
        for (const auto& [key, value] : table) {
            if (auto read = readKey(target, key.str(), value); !read) {
                return fail(refused(key.source().begin.line, read.error().message));
            }
        }
        const std::uint32_t line = table.source().begin.line;
        if (target.kernel.isEmpty()) {
            return fail(refused(line, Tr::tr("This target has no \"kernel\".")));
        }
        if (target.command.isEmpty() || target.command == QLatin1String("-")) {
            return fail(refused(line,
                                Tr::tr("This target has no \"command\"; a shell cannot be "
                                       "one of a list.")));
        }
        return target;
    }

    Result<> readKey(KernelRunRequest& target, std::string_view key, const toml::node& value) {
        if (key == "name") {
            return readText(value, target.name);
        }
        if (key == "kernel") {
            return readPath(value, target.kernel);
        }
        if (key == "rootfs") {
            return readPath(value, target.root);
        }
        if (key == "modules") {
            return readPath(value, target.modules);
        }
        if (key == "busybox") {
            return readPath(value, target.busybox);
        }
        if (key == "kernel_args") {
            return readText(value, target.arguments);
        }
        if (key == "command") {
            return readText(value, target.command);
        }
        if (key == "timeout") {
            return readNumber(value, target.timeoutSeconds);
        }
        if (key == "memory") {
            return readNumber(value, target.memory);
        }
        if (key == "cpus") {
            return readNumber(value, target.cpus);
        }
        if (key == "arch") {
            return readArchitecture(value, target);
        }
        if (key == "share") {
            return readShare(value, target);
        }
        if (key == "mounts") {
            return readMounts(value, target);
        }
        if (key == "rw") {
            if (!value.is_boolean()) {
                return fail(Error::Kind::Integrity, Tr::tr("Write true or false."));
            }
            target.writable = value.as_boolean()->get();
            return {};
        }
        return fail(Error::Kind::Integrity, unknown(key));
    }

    static Result<> readText(const toml::node& value, QString& text) {
        if (!value.is_string()) {
            return fail(Error::Kind::Integrity, Tr::tr("A text in quotes is expected."));
        }
        text = textOf(value.as_string()->get());
        return {};
    }

    Result<> readPath(const toml::node& value, QString& path) const {
        if (const auto read = readText(value, path); !read) {
            return read;
        }
        if (path.isEmpty()) {
            return fail(Error::Kind::Integrity, Tr::tr("A path is expected."));
        }
        if (path.startsWith(QLatin1String("~/"))) {
            path = QDir::homePath() + path.mid(1);
        }
        path = QDir::cleanPath(m_folder.absoluteFilePath(path));
        return {};
    }

    static Result<> readNumber(const toml::node& value, int& number) {
        const std::int64_t wanted = value.is_integer() ? value.as_integer()->get() : -1;
        if (wanted < 0 || wanted > std::numeric_limits<int>::max()) {
            return fail(Error::Kind::Integrity, Tr::tr("A whole number is expected."));
        }
        number = static_cast<int>(wanted);
        return {};
    }

    static Result<> readArchitecture(const toml::node& value, KernelRunRequest& target) {
        QString text;
        if (const auto read = readText(value, text); !read) {
            return read;
        }
        if (text == QLatin1String("amd64") || text == QLatin1String("x86_64")) {
            target.architecture = Architecture::Amd64;
        } else if (text == QLatin1String("arm64") || text == QLatin1String("aarch64")) {
            target.architecture = Architecture::Arm64;
        } else {
            return fail(Error::Kind::Integrity, Tr::tr("Write \"amd64\" or \"arm64\"."));
        }
        return {};
    }

    static Result<> readShare(const toml::node& value, KernelRunRequest& target) {
        QString text;
        if (const auto read = readText(value, text); !read) {
            return read;
        }
        const auto share = kernelShareFromText(text);
        if (!share) {
            return fail(Error::Kind::Integrity, Tr::tr("Write \"auto\", \"virtiofs\" or \"9p\"."));
        }
        target.share = *share;
        return {};
    }

    Result<> readMounts(const toml::node& value, KernelRunRequest& target) const {
        const toml::array* const list = value.as_array();
        if (list == nullptr) {
            return fail(Error::Kind::Integrity,
                        Tr::tr("A list is expected, such as [\"data:/mnt:ro\"]."));
        }
        for (const toml::node& node : *list) {
            QString text;
            if (const auto read = readText(node, text); !read) {
                return read;
            }
            const auto mount = KernelMount::fromText(text, m_folder.absolutePath());
            if (!mount) {
                return fail(mount.error());
            }
            target.mounts.append(*mount);
        }
        return {};
    }

    QString m_path;
    QDir m_folder;
};

} // namespace

Result<QList<KernelRunRequest>> readKernelTargets(const QString& path) {
    return Reader(path).read();
}

} // namespace vitrine::qemu
