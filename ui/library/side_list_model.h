// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library_model.h"
#include "ui/library/machine_text.h"

#include <QAbstractItemModel>
#include <QTimer>

#include <array>
#include <vector>

namespace vitrine::ui {

// The side list: two sections, machines and images, over the flat LibraryModel, filtered by what is
// typed into the search field. An empty section holds a note. Digests of tagged images are left
// out.
class SideListModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    enum class Section { Machines, Images };
    enum class Kind { Section, Machine, Image, Note };
    enum Role { KindRole = Qt::UserRole + 1, CountRole };
    // How the row of an image reads, told apart from its neighbours.
    [[nodiscard]] ImageLabel labelOf(const MachineInfo& image) const;

    explicit SideListModel(LibraryModel* library, QObject* parent = nullptr);

    // Words that must all occur in name, state or system, in any case.
    void setFilter(const QString& text);
    [[nodiscard]] bool isFiltered() const { return !m_words.isEmpty(); }
    // Entries that are shown; the filter counts.
    [[nodiscard]] int shownCount(Section section) const;
    // Entries of the library, whatever the filter.
    [[nodiscard]] int totalCount(Section section) const;

    [[nodiscard]] const MachineInfo* infoAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(const QString& name, bool isImage) const;
    [[nodiscard]] QModelIndex sectionIndex(Section section) const;

    [[nodiscard]] QModelIndex
    index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void synchronized(); // rows agree with the library again

private:
    struct Part {
        std::vector<MachineInfo> entries;
        int total = 0;
        bool loaded = false;
    };
    void synchronize();
    void updateLabels(const QStringList& images);
    void merge(Section section, std::vector<MachineInfo> wanted);
    [[nodiscard]] bool matches(const MachineInfo& info) const;
    [[nodiscard]] QString noteOf(Section section) const;
    [[nodiscard]] const Part& part(Section section) const;

    LibraryModel* m_library;
    std::array<Part, 2> m_parts;
    QHash<QString, ImageLabel> m_labels; // of all images of the library, by reference
    QStringList m_words;
    QTimer m_synchronize{this};
};

} // namespace vitrine::ui
