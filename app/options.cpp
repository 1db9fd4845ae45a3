// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <QDir>
#include <QFileInfo>

namespace vitrine::app {

namespace {

const QStringList& pages() {
    static const QStringList words{QStringLiteral("overview"),
                                   QStringLiteral("console"),
                                   QStringLiteral("settings"),
                                   QStringLiteral("sharing"),
                                   QStringLiteral("network"),
                                   QStringLiteral("snapshots"),
                                   QStringLiteral("benchmarks"),
                                   QStringLiteral("all-benchmarks"),
                                   QStringLiteral("kernel-runs"),
                                   QStringLiteral("transfers"),
                                   QStringLiteral("image"),
                                   QStringLiteral("pull"),
                                   QStringLiteral("create")};
    return words;
}

Result<QSize> sizeFromText(const QString& text) {
    const QStringList parts = text.split(QLatin1Char('x'));
    bool wide = false;
    bool high = false;
    const QSize size(parts.value(0).toInt(&wide), parts.value(1).toInt(&high));
    if (parts.size() != 2 || !wide || !high || size.width() < 320 || size.height() < 240 ||
        size.width() > 8192 || size.height() > 8192)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is not a size. Write it as 1280x800.").arg(text));
    return size;
}

} // namespace

QString Options::helpText() {
    return Tr::tr(
        "Usage: vitrine [OPTIONS]\n"
        "\n"
        "Keeps, runs and shares virtual machines.\n"
        "\n"
        "  --library DIR              the library to open (else VITRINE_HOME, TART_HOME, default)\n"
        "  --console NAME             show the screen of this machine\n"
        "  --page PAGE                overview, console, settings, sharing, network,\n"
        "                             snapshots, benchmarks, all-benchmarks, kernel-runs,\n"
        "                             transfers, image, pull or create\n"
        "  --theme light|dark|auto    colours of this start; auto follows the system\n"
        "  --size WIDTHxHEIGHT        size of the window\n"
        "  --screenshot FILE          write a picture of the window as PNG and end\n"
        "  --tour DIR                 drive the window by itself, leave pictures in DIR\n"
        "  --tour-image REFERENCE     image that the tour pulls and starts\n"
        "  --insecure-registry HOST   the tour talks plain HTTP to this registry\n"
        "  --version                  print the version and end\n"
        "  --help                     print this text and end\n");
}

Result<Options> Options::parse(const QStringList& arguments) {
    Options options;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        QString name = arguments.at(i);
        std::optional<QString> joined;
        if (const qsizetype sign = name.indexOf(QLatin1Char('='));
            name.startsWith(QLatin1String("--")) && sign > 0) {
            joined = name.mid(sign + 1);
            name.truncate(sign);
        }
        if (name == QLatin1String("--help") || name == QLatin1String("-h")) {
            options.help = true;
            continue;
        }
        if (name == QLatin1String("--version")) {
            options.version = true;
            continue;
        }
        const QStringList known{QStringLiteral("--library"),
                                QStringLiteral("--console"),
                                QStringLiteral("--start"),
                                QStringLiteral("--page"),
                                QStringLiteral("--theme"),
                                QStringLiteral("--size"),
                                QStringLiteral("--screenshot"),
                                QStringLiteral("--tour"),
                                QStringLiteral("--tour-image"),
                                QStringLiteral("--insecure-registry")};
        if (!known.contains(name))
            return fail(
                Error::Kind::InvalidInput,
                Tr::tr("\"%1\" is not an option of vitrine. See vitrine --help.").arg(name));
        if (!joined && i + 1 >= arguments.size())
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("\"%1\" needs a value. See vitrine --help.").arg(name));
        const QString value = joined ? *joined : arguments.at(++i);
        if (value.isEmpty())
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("The value of \"%1\" is empty. See vitrine --help.").arg(name));
        if (name == QLatin1String("--library")) {
            options.library = QFileInfo(value).absoluteFilePath();
        } else if (name == QLatin1String("--console")) {
            options.console = value;
        } else if (name == QLatin1String("--start")) {
            options.start = QFileInfo(value).absoluteFilePath();
        } else if (name == QLatin1String("--page")) {
            if (!pages().contains(value))
                return fail(Error::Kind::InvalidInput,
                            Tr::tr("There is no page \"%1\". Pages are: %2.")
                                .arg(value, pages().join(QLatin1String(", "))));
            options.page = value;
        } else if (name == QLatin1String("--theme")) {
            const auto choice = ui::schemeChoiceFromText(value);
            if (!choice)
                return fail(Error::Kind::InvalidInput,
                            Tr::tr("\"%1\" is not a theme. Write light, dark or auto.").arg(value));
            options.theme = choice;
        } else if (name == QLatin1String("--size")) {
            const auto size = sizeFromText(value);
            if (!size)
                return fail(size.error());
            options.size = *size;
        } else if (name == QLatin1String("--screenshot")) {
            options.screenshot = QFileInfo(value).absoluteFilePath();
        } else if (name == QLatin1String("--tour")) {
            options.tour = QFileInfo(value).absoluteFilePath();
        } else if (name == QLatin1String("--tour-image")) {
            options.tourImage = value;
        } else {
            options.insecureHost = value;
        }
    }
    if (!options.start.isEmpty() && (options.console.isEmpty() || options.isForPictures()))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--start is for \"vitrinectl run\", with --console. See vitrine "
                           "--help."));
    if (!options.tourImage.isEmpty() && options.tour.isEmpty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--tour-image is for --tour. See vitrine --help."));
    return options;
}

} // namespace vitrine::app
