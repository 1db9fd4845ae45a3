// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/softnet/softnet_values.h"

namespace vitrine {

enum class SoftnetList { Allow, Block };

// Puts the rule into one list and takes it out of the other: the last word counts. The same rule
// written otherwise is the same. Rules that are none are put as they are.
void putSoftnetRule(SoftnetPolicy& policy, SoftnetList list, const QString& rule);
// False when it is not there.
bool takeSoftnetRule(SoftnetPolicy& policy, SoftnetList list, const QString& rule);
// One rule with a direction makes all of them follow connections.
[[nodiscard]] bool hasSoftnetDirections(const SoftnetPolicy& policy);

// The rule that is about one destination: of its port, or of its address whatever the port. Has a
// direction where the policy has them already, and always for what comes in.
enum class SoftnetScope { Port, Address };
[[nodiscard]] QString softnetRuleFor(const SoftnetDestination& destination,
                                     const SoftnetPolicy& policy,
                                     SoftnetScope scope);
// Empty, or why no rule changes what happens to it, translated.
[[nodiscard]] QString whyNoSoftnetRule(const SoftnetDestination& destination);

// What "would this pass?" asks about: "10.0.0.5:443" or "10.0.0.5".
struct SoftnetEndpoint {
    QString address;
    int port = 0; // 0: none

    [[nodiscard]] static Result<SoftnetEndpoint> fromText(const QString& text);
    friend bool operator==(const SoftnetEndpoint&, const SoftnetEndpoint&) = default;
};

// The question of "vitrine.test" about a destination that was seen.
[[nodiscard]] QJsonObject softnetQuestion(const SoftnetDestination& destination);

// The line to type that does it: "vitrinectl net build allow 10.0.0.0/8".
[[nodiscard]] QString netCommandLine(const QString& machineName, const QStringList& words);

} // namespace vitrine
