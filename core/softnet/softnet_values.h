// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine {

// What is said on the control channel of Softnet (specification softnet.md 1.15) and, in the same
// words, on the machine's own socket. Texts of the helper are shown as plain text.

struct SoftnetPolicy {
    QStringList allow;
    QStringList block;

    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static SoftnetPolicy fromJson(const QJsonObject& object);
    friend bool operator==(const SoftnetPolicy&, const SoftnetPolicy&) = default;
};

struct SoftnetAnswer {
    bool passes = false;
    QString rule;
    QString reason;

    [[nodiscard]] static SoftnetAnswer fromJson(const QJsonObject& object);
    friend bool operator==(const SoftnetAnswer&, const SoftnetAnswer&) = default;
};

// Everything the guest and one port of one address had to do with each other.
struct SoftnetDestination {
    QString address;
    int port = 0;     // 0: none, such as ICMP
    QString protocol; // "tcp", "udp", "icmp", or a number
    bool incoming = false;
    QString name; // from the answers of name servers that passed; a guest can make it say anything
    qint64 bytesOut = 0;
    qint64 bytesIn = 0;
    qint64 packets = 0;
    bool allowed = false;             // the last time it happened, as the next two
    QString rule;                     // the text of the one that decided; empty when none did
    QString reason;                   // word of the helper, see softnetReasonText()
    qint64 lastMs = 0;                // of the helper's clock, SoftnetStats::uptimeMs
    bool isHost = false;              // one of this computer's own addresses
    bool isLearned = true;            // false while learning: nothing passed since that began
    std::optional<SoftnetAnswer> now; // of the rules in force, where they say something else

    [[nodiscard]] bool passesNow() const { return now ? now->passes : allowed; }

    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static SoftnetDestination fromJson(const QJsonObject& object);
    friend bool operator==(const SoftnetDestination&, const SoftnetDestination&) = default;
};

[[nodiscard]] QList<SoftnetDestination> softnetDestinationsFromJson(const QJsonObject& answer);

// The list of destinations put together from several answers, each since the one before: an answer
// holds only so much, and a destination comes again when it changed meanwhile.
class SoftnetDestinations {
public:
    // Whether there is more to ask for, since sequence().
    bool take(const QJsonObject& answer);
    [[nodiscard]] qint64 sequence() const { return m_sequence; }
    [[nodiscard]] const QList<SoftnetDestination>& list() const { return m_list; }

private:
    QList<SoftnetDestination> m_list;
    QHash<QString, qsizetype> m_places; // by what tells them apart
    qint64 m_sequence = 0;
};

// A sentence without full stop, translated: "Public address", "Rule 10.0.0.0/8".
[[nodiscard]] QString softnetReasonText(const QString& reason, const QString& rule);
// The same of what happened, and whether it would be otherwise now: "Public address (now blocked)".
[[nodiscard]] QString softnetReasonText(const SoftnetDestination& destination);

} // namespace vitrine
