// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

#include <compare>

namespace vitrine {

// Name of a local machine: non-empty, at most 255 bytes of UTF-8, no '/', no control characters,
// not "." or "..", no leading '-' and nothing that parses as an image reference (specification 5.7,
// W13).
class MachineName final {
public:
    // A name that a machine may have, also one that another program gave it.
    [[nodiscard]] static Result<MachineName> fromText(const QString& text);
    // A name that a machine may get: moreover nothing that isReserved() and no character that
    // nobody sees or that changes the direction of the text (isInvisible()).
    [[nodiscard]] static Result<MachineName> forNewMachine(const QString& text);
    // Of forNewMachine(), for a name that is there.
    [[nodiscard]] Result<> checkNew() const;
    // What vms/ holds beside machines: the library's own folders (".vitrine-…") and those that
    // systems keep at the top of a volume (Trash, lost+found and the like).
    [[nodiscard]] static bool isReserved(const QString& text);
    [[nodiscard]] const QString& text() const { return m_text; }
    friend auto operator<=>(const MachineName& a, const MachineName& b) {
        return a.m_text.compare(b.m_text) <=> 0;
    }
    friend bool operator==(const MachineName&, const MachineName&) = default;

private:
    explicit MachineName(QString text)
        : m_text(std::move(text)) {}
    QString m_text;
};

} // namespace vitrine
