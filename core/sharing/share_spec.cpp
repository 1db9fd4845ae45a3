// SPDX-License-Identifier: Apache-2.0
#include "core/sharing/share_spec.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonObject>
#include <QStringList>

namespace vitrine {

namespace {

constexpr qsizetype longestTag = 36; // bytes, of the virtio file system device
constexpr qsizetype longestName = 255;
const QString tagWord = QStringLiteral("tag=");

// Where the default tag is mounted in a guest that does not do it by itself.
QString placeOf(const QString& tag) {
    return tag == QLatin1String(defaultShareTag) ? QStringLiteral("shared") : tag;
}

bool isUrl(const QString& path) {
    return path.startsWith(QLatin1String("https://")) || path.startsWith(QLatin1String("http://"));
}

Error badShare(const QString& text, const QString& reason) {
    //: %1: what was typed, %2: whole sentence
    return {Error::Kind::InvalidInput,
            Tr::tr("\"%1\" is not a shared folder. %2 Write it as [name:]path[:ro,tag=TAG].")
                .arg(text, reason),
            {}};
}

// Takes the last ':' piece when it holds an option.
Result<> takeOptions(const QString& text, QStringList& pieces, ShareSpec& share) {
    if (pieces.isEmpty())
        return {};
    const QStringList words = pieces.last().split(QLatin1Char(','), Qt::SkipEmptyParts);
    QStringList unknown;
    bool any = false;
    for (const QString& word : words) {
        if (word == QLatin1String("ro")) {
            share.readOnly = true;
        } else if (word.startsWith(tagWord)) {
            share.tag = word.sliced(tagWord.size());
        } else {
            unknown << word;
            continue;
        }
        any = true;
    }
    if (!any)
        return {};
    if (!unknown.isEmpty())
        return fail(badShare(text, Tr::tr("The option \"%1\" is not known.").arg(unknown.first())));
    pieces.removeLast();
    return {};
}

Result<> check(const QString& text, const ShareSpec& share) {
    if (share.path.isEmpty())
        return fail(badShare(text, Tr::tr("It has no path.")));
    if (!share.name.isEmpty() && !isShareName(share.name))
        return fail(badShare(
            text,
            Tr::tr("The name \"%1\" must be one part of a path, without \"/\".").arg(share.name)));
    if (!isShareTag(share.tag))
        return fail(badShare(text,
                             Tr::tr("The tag \"%1\" must have 1 to %2 letters, digits, dots, "
                                    "hyphens and underscores.")
                                 .arg(share.tag)
                                 .arg(longestTag)));
    return {};
}

} // namespace

bool isShareTag(const QString& text) {
    if (text.isEmpty() || text.size() > longestTag || text == QLatin1String(".") ||
        text == QLatin1String(".."))
        return false;
    for (const QChar c : text) {
        const char16_t u = c.unicode();
        const bool good = (u >= u'a' && u <= u'z') || (u >= u'A' && u <= u'Z') ||
                          (u >= u'0' && u <= u'9') || u == u'.' || u == u'_' || u == u'-';
        if (!good)
            return false;
    }
    return true;
}

bool isShareName(const QString& text) {
    if (text.isEmpty() || text.toUtf8().size() > longestName || text == QLatin1String(".") ||
        text == QLatin1String(".."))
        return false;
    for (const QChar c : text)
        if (c == u'/' || c == u':' || c.unicode() < 0x20 || c.unicode() == 0x7f)
            return false;
    return true;
}

QString freeShareTag(const QString& folder, const QStringList& taken) {
    QString base = QFileInfo(QDir::cleanPath(folder)).fileName();
    for (QChar& c : base)
        if (!isShareTag(QString(c)) && c != u'.')
            c = u'-';
    while (base.startsWith(QLatin1Char('.')) || base.startsWith(QLatin1Char('-')))
        base.remove(0, 1);
    base = base.left(longestTag - 4);
    if (base.isEmpty())
        base = QStringLiteral("folder");
    QString tag = base;
    for (int number = 2; taken.contains(tag) || tag == placeOf(QLatin1String(defaultShareTag));
         ++number)
        tag = base + QLatin1Char('-') + QString::number(number);
    return tag;
}

Result<ShareSpec> ShareSpec::fromText(const QString& text) {
    QStringList pieces = text.split(QLatin1Char(':'), Qt::SkipEmptyParts);
    ShareSpec share;
    if (const auto taken = takeOptions(text, pieces, share); !taken)
        return fail(taken.error());
    const QString rest = pieces.join(QLatin1Char(':'));
    const bool url =
        rest.startsWith(QLatin1String("http:")) || rest.startsWith(QLatin1String("https:"));
    const qsizetype colon = url ? -1 : rest.indexOf(QLatin1Char(':'));
    if (colon >= 0)
        share.name = rest.left(colon);
    share.path = rest.mid(colon + 1);
    if (const auto good = check(text, share); !good)
        return fail(good.error());
    return share;
}

QString ShareSpec::toText() const {
    QString text = name.isEmpty() ? path : name + QLatin1Char(':') + path;
    QStringList words;
    if (readOnly)
        words << QStringLiteral("ro");
    if (tag != QLatin1String(defaultShareTag))
        words << tagWord + tag;
    if (words.isEmpty()) {
        // A path such as "/a:ro" needs options behind it to stay a path.
        const auto again = fromText(text);
        if (again && *again == *this)
            return text;
        words << tagWord + tag;
    }
    return text + QLatin1Char(':') + words.join(QLatin1Char(','));
}

bool ShareSpec::isArchive() const {
    return isUrl(path);
}

QString ShareSpec::folder(const QString& base) const {
    QString text = path;
    if (text == QLatin1String("~") || text.startsWith(QLatin1String("~/")))
        text = QDir::homePath() + text.sliced(1);
    return QDir::cleanPath(QDir(base).absoluteFilePath(text));
}

QString ShareSpec::displayName() const {
    return name.isEmpty() ? placeOf(tag) : name;
}

QString ShareSpec::guestPath() const {
    const QString whole = QLatin1String(guestShareFolder) + QStringLiteral("/") + placeOf(tag);
    return name.isEmpty() ? whole : whole + QLatin1Char('/') + name;
}

QString ShareGroup::guestPath() const {
    return QLatin1String(guestShareFolder) + QStringLiteral("/") + placeOf(tag);
}

Result<QList<ShareSpec>> ShareSpec::listFromJson(const QJsonValue& value) {
    QList<ShareSpec> shares;
    if (value.isUndefined())
        return shares;
    const Error wrong{Error::Kind::InvalidInput,
                      Tr::tr("The key \"%1\" of vitrine.json must be %2. Correct or remove the "
                             "key.")
                          .arg(QStringLiteral("shares"),
                               Tr::tr("a list of objects with a path, and a good name and tag")),
                      {}};
    if (!value.isArray())
        return fail(wrong);
    for (const QJsonValue& item : value.toArray()) {
        const QJsonObject object = item.toObject();
        ShareSpec share;
        share.name = object.value(QLatin1String("name")).toString();
        share.path = object.value(QLatin1String("path")).toString();
        share.readOnly = object.value(QLatin1String("readOnly")).toBool();
        share.tag = object.value(QLatin1String("tag")).toString(share.tag);
        if (!check({}, share))
            return fail(wrong);
        shares.append(share);
    }
    return shares;
}

QJsonArray ShareSpec::listToJson(const QList<ShareSpec>& shares) {
    QJsonArray list;
    for (const ShareSpec& share : shares) {
        QJsonObject object{{QStringLiteral("path"), share.path}};
        if (!share.name.isEmpty())
            object.insert(QStringLiteral("name"), share.name);
        if (share.readOnly)
            object.insert(QStringLiteral("readOnly"), true);
        if (share.tag != QLatin1String(defaultShareTag))
            object.insert(QStringLiteral("tag"), share.tag);
        list.append(object);
    }
    return list;
}

Result<QList<ShareGroup>> groupShares(const QList<ShareSpec>& shares) {
    QList<ShareGroup> groups;
    for (const ShareSpec& share : shares) {
        ShareGroup* group = nullptr;
        for (ShareGroup& existing : groups)
            if (existing.tag == share.tag)
                group = &existing;
        if (group == nullptr) {
            groups.append({share.tag, {share}});
            continue;
        }
        if (share.name.isEmpty() || group->isFolderItself())
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("Several folders have the tag \"%1\", so each of them needs a "
                               "name: name:path.")
                            .arg(share.tag));
        for (const ShareSpec& member : group->members)
            if (member.name == share.name)
                return fail(Error::Kind::InvalidInput,
                            Tr::tr("Two folders with the tag \"%1\" have the name \"%2\". Give "
                                   "one of them another name.")
                                .arg(share.tag, share.name));
        group->members.append(share);
    }
    for (const ShareGroup& group : groups)
        for (const ShareGroup& other : groups)
            if (group.tag != other.tag && group.guestPath() == other.guestPath())
                return fail(Error::Kind::InvalidInput,
                            Tr::tr("The tags \"%1\" and \"%2\" would be mounted at one place in "
                                   "the guest, \"%3\". Choose another tag.")
                                .arg(group.tag, other.tag, group.guestPath()));
    return groups;
}

} // namespace vitrine
