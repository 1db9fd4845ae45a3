// SPDX-License-Identifier: Apache-2.0
#include "ui/library/side_list_model.h"

#include "core/value/plain_text.h"
#include "ui/library/machine_text.h"

#include <QSet>

#include <algorithm>

namespace vitrine::ui {

namespace {

// Internal ids of indexes: sections have 0, their children the section's number plus one.
constexpr quintptr sectionId = 0;

quintptr childId(SideListModel::Section section) {
    return static_cast<quintptr>(section) + 1;
}

SideListModel::Section sectionOf(const QModelIndex& index) {
    return index.internalId() == sectionId
               ? static_cast<SideListModel::Section>(index.row())
               : static_cast<SideListModel::Section>(index.internalId() - 1);
}

} // namespace

SideListModel::SideListModel(LibraryModel* library, QObject* parent)
    : QAbstractItemModel(parent)
    , m_library(library) {
    m_synchronize.setSingleShot(true);
    m_synchronize.setInterval(0);
    connect(&m_synchronize, &QTimer::timeout, this, &SideListModel::synchronize);
    const auto later = [this] {
        if (!m_synchronize.isActive())
            m_synchronize.start();
    };
    connect(m_library, &LibraryModel::loaded, this, later);
    connect(m_library, &QAbstractItemModel::dataChanged, this, later);
    connect(m_library, &QAbstractItemModel::rowsInserted, this, later);
    connect(m_library, &QAbstractItemModel::rowsRemoved, this, later);
    connect(m_library, &QAbstractItemModel::modelReset, this, later);
    if (m_library->isLoaded())
        synchronize();
}

const SideListModel::Part& SideListModel::part(Section section) const {
    return m_parts[static_cast<size_t>(section)];
}

void SideListModel::setFilter(const QString& text) {
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words == m_words)
        return;
    m_words = words;
    synchronize();
}

int SideListModel::shownCount(Section section) const {
    return static_cast<int>(part(section).entries.size());
}

int SideListModel::totalCount(Section section) const {
    return part(section).total;
}

bool SideListModel::matches(const MachineInfo& info) const {
    if (m_words.isEmpty())
        return true;
    const QString text = info.isImage ? info.name
                                      : info.name + QLatin1Char(' ') + stateText(info) +
                                            QLatin1Char(' ') + systemText(info);
    return std::all_of(m_words.begin(), m_words.end(), [&text](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

void SideListModel::synchronize() {
    std::array<std::vector<MachineInfo>, 2> wanted;
    std::array<int, 2> totals{0, 0};
    QStringList images;
    QSet<QString> tagged; // directories that a tag leads to
    for (int row = 0; row < m_library->rowCount(); ++row) {
        const MachineInfo* info = m_library->infoAt(row);
        if (info->isImage && !info->byDigest)
            tagged.insert(info->directory);
    }
    for (int row = 0; row < m_library->rowCount(); ++row) {
        const MachineInfo* info = m_library->infoAt(row);
        if (info->byDigest && tagged.contains(info->directory))
            continue;
        const size_t section = info->isImage ? 1 : 0;
        ++totals[section];
        if (info->isImage)
            images.append(info->name);
        if (matches(*info))
            wanted[section].push_back(*info);
    }
    updateLabels(images);
    for (size_t section = 0; section < m_parts.size(); ++section) {
        m_parts[section].total = totals[section];
        merge(static_cast<Section>(section), std::move(wanted[section]));
        const QModelIndex heading = index(static_cast<int>(section), 0);
        Q_EMIT dataChanged(heading, heading);
    }
    Q_EMIT synchronized();
}

void SideListModel::updateLabels(const QStringList& images) {
    const QHash<QString, ImageLabel> labels = imageLabels(images);
    if (labels == m_labels)
        return;
    m_labels = labels;
    const QModelIndex heading = sectionIndex(Section::Images);
    if (const int rows = rowCount(heading); rows > 0)
        Q_EMIT dataChanged(index(0, 0, heading), index(rows - 1, 0, heading));
}

ImageLabel SideListModel::labelOf(const MachineInfo& image) const {
    const auto found = m_labels.constFind(image.name);
    return found != m_labels.constEnd() ? *found : imageLabel(image.name);
}

// Both lists are sorted alike; rows come and go one by one so that selection and scrolling stay.
void SideListModel::merge(Section section, std::vector<MachineInfo> wanted) {
    Part& shown = m_parts[static_cast<size_t>(section)];
    const QModelIndex heading = index(static_cast<int>(section), 0);
    std::vector<MachineInfo>& entries = shown.entries;
    if (entries.empty() || wanted.empty()) {
        const int before = rowCount(heading);
        if (entries.empty() && wanted.empty() && shown.loaded) {
            Q_EMIT dataChanged(index(0, 0, heading), index(0, 0, heading)); // the note's words
            return;
        }
        if (before > 0) {
            beginRemoveRows(heading, 0, before - 1);
            entries.clear();
            shown.loaded = false; // no note either
            endRemoveRows();
        }
        const int after = std::max(1, static_cast<int>(wanted.size()));
        beginInsertRows(heading, 0, after - 1);
        entries = std::move(wanted);
        shown.loaded = true;
        endInsertRows();
        return;
    }
    QSet<QString> names;
    for (const MachineInfo& info : wanted)
        names.insert(info.name);
    for (int row = static_cast<int>(entries.size()) - 1; row >= 0; --row) {
        if (names.contains(entries[static_cast<size_t>(row)].name))
            continue;
        beginRemoveRows(heading, row, row);
        entries.erase(entries.begin() + row);
        endRemoveRows();
    }
    for (size_t row = 0; row < wanted.size(); ++row) {
        const int line = static_cast<int>(row);
        if (row >= entries.size() || entries[row].name != wanted[row].name) {
            beginInsertRows(heading, line, line);
            entries.insert(entries.begin() + line, std::move(wanted[row]));
            endInsertRows();
        } else if (!(entries[row] == wanted[row])) {
            entries[row] = std::move(wanted[row]);
            Q_EMIT dataChanged(index(line, 0, heading), index(line, 0, heading));
        }
    }
}

const MachineInfo* SideListModel::infoAt(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == sectionId)
        return nullptr;
    const Part& shown = part(sectionOf(index));
    const auto row = static_cast<size_t>(index.row());
    return row < shown.entries.size() ? &shown.entries[row] : nullptr;
}

QModelIndex SideListModel::indexOf(const QString& name, bool isImage) const {
    const Section section = isImage ? Section::Images : Section::Machines;
    const std::vector<MachineInfo>& entries = part(section).entries;
    const auto found = std::find_if(
        entries.begin(), entries.end(), [&name](const MachineInfo& i) { return i.name == name; });
    if (found == entries.end())
        return {};
    return createIndex(static_cast<int>(found - entries.begin()), 0, childId(section));
}

QModelIndex SideListModel::sectionIndex(Section section) const {
    return createIndex(static_cast<int>(section), 0, sectionId);
}

QModelIndex SideListModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(
        row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : sectionId);
}

QModelIndex SideListModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == sectionId)
        return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, sectionId);
}

int SideListModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return 2;
    if (parent.internalId() != sectionId || parent.column() != 0)
        return 0;
    const Part& shown = m_parts[static_cast<size_t>(parent.row())];
    return shown.entries.empty() && shown.loaded ? 1 : static_cast<int>(shown.entries.size());
}

int SideListModel::columnCount(const QModelIndex&) const {
    return 1;
}

QString SideListModel::noteOf(Section section) const {
    if (isFiltered() && part(section).total > 0)
        return tr("Nothing matches.");
    return section == Section::Machines ? tr("No machines yet.") : tr("Nothing pulled yet.");
}

QVariant SideListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Section section = sectionOf(index);
    if (index.internalId() == sectionId) {
        const int total = part(section).total;
        const int shown = shownCount(section);
        switch (role) {
        case KindRole:
            return static_cast<int>(Kind::Section);
        case Qt::DisplayRole:
            return section == Section::Machines ? tr("Machines") : tr("Images");
        case CountRole:
            //: How many of how many entries the search shows.
            return isFiltered() ? tr("%1 of %2").arg(shown).arg(total)
                   : total > 0  ? QString::number(total)
                                : QString();
        default:
            return {};
        }
    }
    const MachineInfo* info = infoAt(index);
    if (info == nullptr) {
        if (role == KindRole)
            return static_cast<int>(Kind::Note);
        return role == Qt::DisplayRole ? QVariant(noteOf(section)) : QVariant();
    }
    switch (role) {
    case KindRole:
        return static_cast<int>(info->isImage ? Kind::Image : Kind::Machine);
    case Qt::DisplayRole:
        return plainText(info->name);
    case Qt::AccessibleTextRole:
        return spokenText(*info);
    case Qt::ToolTipRole: {
        const QString more = info->state == MachineState::Broken ? info->brokenReason : QString();
        // Escaped: a tool tip would take names and reasons for markup.
        return more.isEmpty()
                   ? plainText(info->name).toHtmlEscaped()
                   : QStringLiteral("<p>%1</p><p>%2</p>")
                         .arg(plainText(info->name).toHtmlEscaped(), more.toHtmlEscaped());
    }
    default:
        return {};
    }
}

Qt::ItemFlags SideListModel::flags(const QModelIndex& index) const {
    if (infoAt(index) == nullptr)
        return index.isValid() ? Qt::ItemFlags(Qt::ItemIsEnabled) : Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

} // namespace vitrine::ui
