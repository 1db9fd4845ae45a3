// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QHash>
#include <QSet>
#include <QString>
#include <QStringList>

namespace vitrine::qemu {

// What /lib/modules/VERSION says: which parts of a kernel are files and which are in it. A plain
// value. Names of modules are as modprobe takes them: '-' and '_' are the same.
class KernelModules final {
public:
    // A folder with modules.dep and modules.builtin. NotFound when modules.dep is missing there,
    // with how it is made.
    [[nodiscard]] static Result<KernelModules> open(const QString& folder);
    // The folder for a version in what somebody may mean by a folder of modules: itself, VERSION
    // or lib/modules/VERSION in it. Empty when there is none.
    [[nodiscard]] static QString findFolder(const QString& folder, const QString& version);

    struct Selection {
        QStringList files;   // absolute, in loading order, with all they depend on
        QStringList missing; // names that are neither a file nor in the kernel
    };
    [[nodiscard]] Selection select(const QStringList& names) const;
    [[nodiscard]] bool has(const QString& name) const; // as a file or in the kernel
    [[nodiscard]] const QString& folder() const { return m_folder; }

    // The module itself, unpacked (.ko, .ko.xz, .ko.zst, .ko.gz), at most 64 MiB. Blocking.
    [[nodiscard]] static Result<QByteArray> load(const QString& file);

private:
    QString m_folder;
    QHash<QString, QString> m_files;            // name → path below the folder
    QHash<QString, QStringList> m_dependencies; // name → paths, those needed first at the end
    QSet<QString> m_builtIn;
};

} // namespace vitrine::qemu
