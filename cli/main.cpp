// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"
#include "core/credentials/credential_store.h"

#include <QCoreApplication>

namespace {

// In the "C" locale Qt switches to UTF-8 by itself and says so; scripts do not want to read that.
void drop(QtMsgType /*type*/, const QMessageLogContext& /*context*/, const QString& /*text*/) {}

} // namespace

int main(int argc, char** argv) {
    vitrine::keepSecretsFromChildren();
#ifdef Q_OS_MACOS
    // Only that one serves the main dispatch queue, on which Apple's framework answers.
    qputenv("QT_EVENT_DISPATCHER_CORE_FOUNDATION", "1");
#endif
    const auto previous = qInstallMessageHandler(drop);
    QCoreApplication application(argc, argv);
    qInstallMessageHandler(previous);
    QCoreApplication::setApplicationName(QStringLiteral("vitrinectl"));
    QCoreApplication::setApplicationVersion(QStringLiteral(VITRINE_VERSION));
    return vitrine::cli::runProgram(argc, argv);
}
