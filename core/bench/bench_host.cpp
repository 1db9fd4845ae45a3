// SPDX-License-Identifier: Apache-2.0
#include "core/bench/bench_host.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSysInfo>

#include <optional>

namespace vitrine::bench {

namespace {

constexpr qint64 longestFile = 1 << 20;

// Files of /proc have no size.
QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.read(longestFile)) : QString();
}

QString captured(const QString& text, const char* pattern) {
    static constexpr auto options = QRegularExpression::MultilineOption;
    return QRegularExpression(QLatin1String(pattern), options).match(text).captured(1).trimmed();
}

void setNumber(QJsonObject& object, const char* key, const QString& text, double scale = 1) {
    bool isNumber = false;
    const double value = text.toDouble(&isNumber);
    if (isNumber)
        object.insert(QLatin1String(key), value * scale);
}

std::optional<double> hottest(const QString& folder) {
    std::optional<double> most;
    const QStringList zones = QDir(folder).entryList({QStringLiteral("thermal_zone*")}, QDir::Dirs);
    for (const QString& zone : zones) {
        bool isNumber = false;
        const double value = textOf(folder + QLatin1Char('/') + zone + QStringLiteral("/temp"))
                                 .trimmed()
                                 .toDouble(&isNumber) /
                             1000;
        if (isNumber && value > most.value_or(0))
            most = value;
    }
    return most;
}

// nullopt for a computer without a battery.
std::optional<bool> onBattery(const QString& folder) {
    std::optional<bool> discharging;
    const QStringList supplies = QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString& supply : supplies) {
        const QString path = folder + QLatin1Char('/') + supply;
        if (textOf(path + QStringLiteral("/type")).trimmed() != QLatin1String("Battery") ||
            textOf(path + QStringLiteral("/scope")).trimmed() == QLatin1String("Device"))
            continue;
        const bool isDischarging =
            textOf(path + QStringLiteral("/status")).trimmed() == QLatin1String("Discharging");
        discharging = discharging.value_or(false) || isDischarging;
    }
    return discharging;
}

} // namespace

QJsonObject hostInfo(const QString& root) {
    QJsonObject info;
    const QString cpus = textOf(root + QStringLiteral("/proc/cpuinfo"));
    const QString model = captured(cpus, "^model name\\s*:\\s*(.+)$");
    const auto count = cpus.count(
        QRegularExpression(QStringLiteral("^processor\\s*:"), QRegularExpression::MultilineOption));
    if (count > 0)
        info.insert(QStringLiteral("hardware"),
                    QStringLiteral("%1, %2 processors")
                        .arg(model.isEmpty() ? QSysInfo::currentCpuArchitecture() : model)
                        .arg(count));
    const QString system = textOf(root + QStringLiteral("/etc/os-release"));
    const QString name = captured(system, "^PRETTY_NAME=\"?([^\"\\n]*)\"?$");
    info.insert(QStringLiteral("os"), name.isEmpty() ? QSysInfo::prettyProductName() : name);
    info.insert(QStringLiteral("kernel"), QSysInfo::kernelVersion());
    setNumber(info,
              "memory_bytes",
              captured(textOf(root + QStringLiteral("/proc/meminfo")), "^MemTotal:\\s*(\\d+) kB$"),
              1024);
    return info;
}

QJsonObject hostNoise(const QString& root) {
    QJsonObject noise;
    setNumber(noise,
              "load",
              textOf(root + QStringLiteral("/proc/loadavg")).section(QLatin1Char(' '), 0, 0));
    setNumber(noise,
              "mhz",
              textOf(root + QStringLiteral("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"))
                  .trimmed(),
              0.001);
    setNumber(
        noise,
        "memory_pressure",
        captured(textOf(root + QStringLiteral("/proc/pressure/memory")), "^some avg10=([0-9.]+)"));
    if (const auto celsius = hottest(root + QStringLiteral("/sys/class/thermal")))
        noise.insert(QStringLiteral("celsius"), *celsius);
    if (const auto battery = onBattery(root + QStringLiteral("/sys/class/power_supply")))
        noise.insert(QStringLiteral("on_battery"), *battery);
    return noise;
}

} // namespace vitrine::bench
