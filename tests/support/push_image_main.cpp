// SPDX-License-Identifier: Apache-2.0
// vitrine-push-image DIR HOST/NAMESPACE:TAG [BYTES A LAYER]
// Puts a machine directory as an image into a plain-http registry without sign-in.
#include "core/image/image_reference.h"
#include "tests/support/image_push.h"

#include <QCoreApplication>

#include <cstdio>

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    const auto layerSize = arguments.value(3, QStringLiteral("536870912")).toLongLong();
    if (arguments.size() < 3 || layerSize <= 0) {
        std::fputs("Usage: vitrine-push-image DIR HOST/NAMESPACE:TAG [BYTES A LAYER]\n", stderr);
        return 64;
    }
    const auto reference = vitrine::ImageReference::fromText(arguments.at(2));
    if (!reference || reference->isByDigest()) {
        std::fprintf(
            stderr, "Not an image reference with a tag: %s\n", qPrintable(arguments.at(2)));
        return 64;
    }
    const auto digest = vitrine::test::pushMachine(
        arguments.at(1), reference->host(), reference->repository(), reference->tag(), layerSize);
    if (!digest) {
        std::fprintf(stderr, "%s\n", qPrintable(digest.error().message));
        return 1;
    }
    std::printf("%s\n", qPrintable(digest->toText()));
    return 0;
}
