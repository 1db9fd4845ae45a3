// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QDateTime>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine {

// One restore point of a machine: a whole copy of its files in snapshots/<id>/.
struct Snapshot {
    QString id;     // names the folder: letters, digits and '-'
    QString parent; // id; empty: a root
    QString name;   // by the user, at most 200 characters; never empty
    QDateTime created;
    bool withMemory = false;      // the guest goes on exactly there; else it boots
    bool crashConsistent = false; // taken while the guest wrote and could not be asked to pause
    bool automatic = false;       // taken before something risky
    QStringList otherDisks;       // that the guest may write and that it has no copy of

    // Which folder it is, and what it says of itself. nullopt for what is none.
    [[nodiscard]] static std::optional<Snapshot> fromJson(const QJsonObject& object);
    [[nodiscard]] QJsonObject toJson() const;
    friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

// The key "snapshots" of vitrine.json. A plain value; the folders are another matter.
class SnapshotTree final {
public:
    [[nodiscard]] static SnapshotTree fromJson(const QJsonObject& object);
    // Keys of newer programs in `before` are kept.
    [[nodiscard]] QJsonObject toJson(QJsonObject before = {}) const;

    [[nodiscard]] const QList<Snapshot>& all() const { return m_all; } // oldest first
    [[nodiscard]] const QString& current() const { return m_current; } // what the machine grew from
    [[nodiscard]] const Snapshot* find(const QString& id) const;
    // By id, the beginning of one, or a name; NotFound and InvalidInput (several) name the text.
    [[nodiscard]] Result<Snapshot> choose(const QString& text) const;
    [[nodiscard]] QList<Snapshot> childrenOf(const QString& id) const; // "" for the roots
    // Depth first, a node before its children, with how deep it is.
    struct Row {
        Snapshot snapshot;
        int depth = 0;
    };
    [[nodiscard]] QList<Row> rows() const;

    // A child of where the machine is, which is there from now on.
    void add(Snapshot snapshot);
    // As it is, with its own parent; the machine stays where it is.
    void adopt(const Snapshot& snapshot);
    // Its children, and the machine if it is there, belong to its parent then.
    void remove(const QString& id);
    void setCurrent(const QString& id);

private:
    void repair(); // parents that are missing, circles
    QList<Snapshot> m_all;
    QString m_current;
};

// "20261130-175005-3f2a": sorts by time; safe as a folder's name.
[[nodiscard]] QString newSnapshotId(const QDateTime& now);
[[nodiscard]] bool isSnapshotId(const QString& text);

} // namespace vitrine
