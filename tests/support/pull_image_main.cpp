// SPDX-License-Identifier: Apache-2.0
// vitrine-pull-image HOME REFERENCE [CONCURRENCY]
// Pulls from a plain-http registry into the library at HOME, in a process that tests can kill and
// benchmarks can measure. Prints the directory and the bytes fetched.
#include "core/registry/image_pull.h"

#include <QCoreApplication>

#include <cstdio>
#include <cstdlib>

using namespace vitrine;

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    const auto reference = ImageReference::fromText(arguments.value(2));
    const auto library = Library::open(arguments.value(1));
    if (arguments.size() < 3 || !reference || !library) {
        std::fputs("Usage: vitrine-pull-image HOME REFERENCE [CONCURRENCY]\n", stderr);
        return 64;
    }
    PullRequest request{*reference, {}, arguments.value(3, QStringLiteral("4")).toInt()};
    request.registry.insecure = true;
    JobContext context;
    if (std::getenv("VITRINE_PULL_LOG") != nullptr)
        context.log = [](const QString& line) { std::fprintf(stderr, "%s\n", qPrintable(line)); };
    const auto pulled = pullImage(*library, request, context);
    if (!pulled) {
        std::fprintf(stderr,
                     "%s\n%s\n",
                     qPrintable(pulled.error().message),
                     qPrintable(pulled.error().detail));
        return 1;
    }
    std::printf("%s\n%llu\n", qPrintable(pulled->directory), pulled->bytesFetched);
    return 0;
}
