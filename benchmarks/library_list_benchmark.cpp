// SPDX-License-Identifier: Apache-2.0
// How long a library takes to list, everything in the page cache. The machines are made in a
// temporary folder ($TMPDIR). The argument of a row is the number of machines.
#include "core/library/library.h"
#include "core/library/library_model.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <ctime>

namespace vitrine {
namespace {

void put(const QString& path, const QByteArray& bytes, qint64 size) {
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(bytes);
        file.resize(size);
    }
}

// Processor time of this thread: waiting for others does not count.
double threadMilliseconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// A home with `count` machines; one for each number, kept until the end.
Library libraryOf(int count) {
    static const QTemporaryDir folder;
    const QString home = folder.filePath(QString::number(count));
    const Library library = *Library::open(home);
    if (QFile::exists(library.machinesPath()))
        return library;
    MachineConfig config;
    for (int i = 0; i < count; ++i) {
        const QString directory =
            library.machinesPath() + QStringLiteral("/machine-%1").arg(i, 5, 10, QLatin1Char('0'));
        QDir().mkpath(directory);
        config.macAddress = MacAddress::random();
        const QByteArray text = config.toJson();
        put(directory + QStringLiteral("/config.json"), text, text.size());
        put(directory + QStringLiteral("/disk.img"), "boot", 50000000000);
        put(directory + QStringLiteral("/nvram.bin"), "variables", 540672);
    }
    return library;
}

void listMachines(benchmark::State& state) {
    const Library library = libraryOf(static_cast<int>(state.range(0)));
    for (auto _ : state) {
        const auto machines = library.machines();
        if (!machines || machines->size() != state.range(0))
            state.SkipWithError("wrong list");
        benchmark::DoNotOptimize(machines);
    }
}
BENCHMARK(listMachines)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

// The rows the window polls every 2 s.
void pollStates(benchmark::State& state) {
    const Library library = libraryOf(1000);
    const auto machines = library.machines();
    for (auto _ : state)
        for (int i = 0; i < state.range(0); ++i)
            benchmark::DoNotOptimize(library.stateOf(machines->at(i).directory));
}
BENCHMARK(pollStates)->Arg(30)->Unit(benchmark::kMillisecond);

// From nothing to all rows there; `longest_turn_ms` is what the model's thread was held at once.
void loadModel(benchmark::State& state) {
    const Library library = libraryOf(static_cast<int>(state.range(0)));
    double longest = 0;
    for (auto _ : state) {
        double before = threadMilliseconds();
        LibraryModel model(library);
        longest = std::max(longest, threadMilliseconds() - before);
        while (!model.isLoaded()) {
            before = threadMilliseconds();
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            longest = std::max(longest, threadMilliseconds() - before);
        }
        if (model.rowCount() != state.range(0))
            state.SkipWithError("wrong list");
    }
    state.counters["longest_turn_ms"] = longest;
}
BENCHMARK(loadModel)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
} // namespace vitrine

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 64;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
