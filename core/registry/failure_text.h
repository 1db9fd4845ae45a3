// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

class QSslError;

namespace vitrine {

// What to do about a registry that cannot be reached securely, in the words of the program that
// shows it: translated whole sentences, %1 is the registry as HOST or HOST:PORT. Empty: a sentence
// that fits every program.
struct TlsAdvice {
    QString plainHttp; // it seems to speak plain http
    QString authority; // nobody here knows who signed its certificate
};

// Why the secure connection to `registry` was not made and what to do, in whole sentences.
// `reason` is the library's word for it, `errors` what was wrong with the certificate. Any thread.
[[nodiscard]] QString tlsFailureText(const QString& registry,
                                     const QString& reason,
                                     const QList<QSslError>& errors,
                                     const TlsAdvice& advice);

// The text of a library as the end of a sentence: with a full stop, and only one.
[[nodiscard]] QString withFullStop(const QString& text);

} // namespace vitrine
