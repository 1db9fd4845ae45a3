// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_tree.h"

#include <QJsonArray>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <functional>

namespace vitrine {

namespace {

constexpr qsizetype longestName = 200;

QString textOf(const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toString();
}

bool flagOf(const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toBool();
}

} // namespace

std::optional<Snapshot> Snapshot::fromJson(const QJsonObject& object) {
    Snapshot snapshot;
    snapshot.id = textOf(object, "id");
    if (!isSnapshotId(snapshot.id))
        return std::nullopt;
    snapshot.parent = textOf(object, "parent");
    if (!isSnapshotId(snapshot.parent))
        snapshot.parent.clear();
    snapshot.name = textOf(object, "name").simplified().left(longestName);
    if (snapshot.name.isEmpty())
        snapshot.name = snapshot.id;
    snapshot.created = QDateTime::fromString(textOf(object, "created"), Qt::ISODateWithMs).toUTC();
    snapshot.withMemory = flagOf(object, "withMemory");
    snapshot.crashConsistent = flagOf(object, "crashConsistent");
    snapshot.automatic = flagOf(object, "automatic");
    for (const QJsonValue& disk : object.value(QLatin1String("otherDisks")).toArray())
        snapshot.otherDisks << disk.toString();
    return snapshot;
}

QJsonObject Snapshot::toJson() const {
    QJsonObject object{{QStringLiteral("id"), id},
                       {QStringLiteral("name"), name},
                       {QStringLiteral("created"), created.toUTC().toString(Qt::ISODateWithMs)}};
    if (!parent.isEmpty())
        object.insert(QStringLiteral("parent"), parent);
    const auto flag = [&object](const char* key, bool value) {
        if (value)
            object.insert(QLatin1String(key), true);
    };
    flag("withMemory", withMemory);
    flag("crashConsistent", crashConsistent);
    flag("automatic", automatic);
    if (!otherDisks.isEmpty())
        object.insert(QStringLiteral("otherDisks"), QJsonArray::fromStringList(otherDisks));
    return object;
}

SnapshotTree SnapshotTree::fromJson(const QJsonObject& object) {
    SnapshotTree tree;
    for (const QJsonValue& item : object.value(QLatin1String("list")).toArray()) {
        const auto snapshot = Snapshot::fromJson(item.toObject());
        if (snapshot && !tree.find(snapshot->id))
            tree.m_all.append(*snapshot);
    }
    tree.m_current = textOf(object, "current");
    tree.repair();
    return tree;
}

QJsonObject SnapshotTree::toJson(QJsonObject before) const {
    QJsonArray list;
    for (const Snapshot& snapshot : m_all)
        list.append(snapshot.toJson());
    before.remove(QStringLiteral("list"));
    before.remove(QStringLiteral("current"));
    if (!list.isEmpty())
        before.insert(QStringLiteral("list"), list);
    if (!m_current.isEmpty())
        before.insert(QStringLiteral("current"), m_current);
    return before;
}

const Snapshot* SnapshotTree::find(const QString& id) const {
    const auto found = std::find_if(
        m_all.begin(), m_all.end(), [&id](const Snapshot& snapshot) { return snapshot.id == id; });
    return found == m_all.end() ? nullptr : &*found;
}

Result<Snapshot> SnapshotTree::choose(const QString& text) const {
    if (const Snapshot* const exact = find(text))
        return *exact;
    QList<Snapshot> found;
    for (const Snapshot& snapshot : m_all)
        if (snapshot.name == text || (text.size() >= 4 && snapshot.id.startsWith(text)))
            found.append(snapshot);
    if (found.size() == 1)
        return found.constFirst();
    if (found.isEmpty())
        return fail(Error::Kind::NotFound,
                    Tr::tr("There is no snapshot \"%1\". \"vitrinectl snapshot NAME list\" shows "
                           "those there are.")
                        .arg(text));
    return fail(Error::Kind::InvalidInput,
                Tr::tr("%1 snapshots are called \"%2\". Give the whole identifier of one of them.")
                    .arg(found.size())
                    .arg(text));
}

QList<Snapshot> SnapshotTree::childrenOf(const QString& id) const {
    QList<Snapshot> children;
    for (const Snapshot& snapshot : m_all)
        if (snapshot.parent == id)
            children.append(snapshot);
    return children;
}

QList<SnapshotTree::Row> SnapshotTree::rows() const {
    QList<Row> rows;
    const std::function<void(const QString&, int)> addBelow = [&](const QString& id, int depth) {
        for (const Snapshot& child : childrenOf(id)) {
            rows.append({child, depth});
            addBelow(child.id, depth + 1);
        }
    };
    addBelow({}, 0);
    return rows;
}

void SnapshotTree::add(Snapshot snapshot) {
    snapshot.parent = m_current;
    m_current = snapshot.id;
    m_all.append(std::move(snapshot));
}

void SnapshotTree::adopt(const Snapshot& snapshot) {
    m_all.append(snapshot);
    repair();
}

void SnapshotTree::remove(const QString& id) {
    const Snapshot* const found = find(id);
    if (!found)
        return;
    const QString parent = found->parent;
    for (Snapshot& snapshot : m_all)
        if (snapshot.parent == id)
            snapshot.parent = parent;
    if (m_current == id)
        m_current = parent;
    m_all.removeIf([&id](const Snapshot& snapshot) { return snapshot.id == id; });
}

void SnapshotTree::setCurrent(const QString& id) {
    m_current = find(id) ? id : QString();
}

void SnapshotTree::repair() {
    std::stable_sort(m_all.begin(), m_all.end(), [](const Snapshot& a, const Snapshot& b) {
        return a.created < b.created;
    });
    for (Snapshot& snapshot : m_all) {
        QSet<QString> seen{snapshot.id};
        for (const Snapshot* above = find(snapshot.parent); above; above = find(above->parent)) {
            if (seen.contains(above->id)) {
                snapshot.parent.clear();
                break;
            }
            seen.insert(above->id);
        }
        if (!find(snapshot.parent))
            snapshot.parent.clear();
    }
    setCurrent(m_current);
}

QString newSnapshotId(const QDateTime& now) {
    return now.toUTC().toString(QStringLiteral("yyyyMMdd-HHmmss-")) +
           QStringLiteral("%1").arg(
               QRandomGenerator::system()->bounded(0x10000), 4, 16, QLatin1Char('0'));
}

bool isSnapshotId(const QString& text) {
    static const QRegularExpression pattern(QStringLiteral("\\A[A-Za-z0-9][A-Za-z0-9-]{0,63}\\z"));
    return pattern.match(text).hasMatch();
}

} // namespace vitrine
