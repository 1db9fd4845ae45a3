// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"

#include <QAbstractListModel>
#include <QSet>

#include <memory>

namespace vitrine {

// Machines and images of a library, live: watches the directories, polls the locks of the rows in
// view every 2 s off this thread, and hears at once when a process that holds a lock ends. Machines
// first, then images, each sorted by name. Functions belong to the model's thread; none of them
// touches the disk.
class LibraryModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { InfoRole = Qt::UserRole + 1, NameRole, StateRole, IsImageRole, DirectoryRole };

    explicit LibraryModel(Library library, QObject* parent = nullptr);
    ~LibraryModel() override;

    [[nodiscard]] const Library& library() const { return m_library; }
    void refresh();                                          // reads again in the background
    [[nodiscard]] bool isLoaded() const { return m_loaded; } // true after the first reading
    // Valid until the next signal of the model.
    [[nodiscard]] const MachineInfo* infoAt(int row) const;
    [[nodiscard]] int rowOf(const QString& name) const; // -1 when missing
    // Names of the rows whose lock is polled; those that are new are looked at at once.
    void setNamesInView(const QSet<QString>& names);
    // A machine's client knows more than the lock: Starting, Paused, ShuttingDown, and whether it
    // answers. nullopt: the lock's word counts again.
    void
    overlayState(const QString& name, std::optional<MachineState> state, bool responding = true);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

Q_SIGNALS:
    void loaded();                            // after each reading
    void failed(const vitrine::Error& error); // the library itself cannot be read
    void machineChanged(const QString& name);

private:
    struct Private;
    Library m_library;
    bool m_loaded = false;
    std::unique_ptr<Private> m_d;
};

} // namespace vitrine
