// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QJsonObject>
#include <QStringList>

namespace vitrine {

// A change of two lists of rules that says nothing of the rules it leaves alone, so that it can be
// made to lists that differ: to what holds now and to what is stored. As on the control socket:
// {add: {allow, block}, remove: {allow, block}}, each a list of texts and none of them required.
struct NetworkEdit {
    QStringList addAllow;
    QStringList addBlock;
    QStringList removeAllow;
    QStringList removeBlock;

    [[nodiscard]] static NetworkEdit fromJson(const QJsonObject& object);
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] Result<> check() const; // the rules to add can be read
    // Rules to remove that neither list has where it should; compared as normalNetworkRule().
    [[nodiscard]] QStringList missing(const QStringList& allow, const QStringList& block) const;
    // What is missing is passed over. A rule that is added leaves the other list: the last word
    // counts.
    void applyTo(QStringList& allow, QStringList& block) const;
};

} // namespace vitrine
