// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"

#include <QByteArray>

#include <optional>
#include <variant>

namespace vitrine {

// What `vitrinectl --progress json` writes to its standard output: one JSON object a line, ended by
// '\n'. Updates, log lines, and at the end exactly one of "error" and "finished":
//   {"done":n,"total":n|null,"step":"…"}   {"log":"…"}
//   {"error":{"kind":"DiskFull","message":"…","detail":"…"}}   {"finished":true}
// Unknown keys and lines of newer programs are to be passed over.
namespace progressline {

struct Log {
    QString line;
};
struct Finished {};
using Message = std::variant<Progress, Log, Error, Finished>;

[[nodiscard]] QByteArray encode(const Message& message);
// nullopt for anything that is not such a line.
[[nodiscard]] std::optional<Message> decode(QByteArrayView line);

} // namespace progressline

// "DiskFull" and back; a name that is not known means Internal.
[[nodiscard]] QString toText(Error::Kind kind);
[[nodiscard]] Error::Kind errorKindFromText(const QString& name);

} // namespace vitrine
