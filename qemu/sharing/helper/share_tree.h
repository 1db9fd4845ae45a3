// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/sharing/helper/share_identity.h"

#include <string>

namespace vitrine::shares {

// The folders of one tag as virtiofsd sees them, in this process's mount namespace.
//
// A named folder is cloned with everything mounted in it (open_tree), made read-only while nobody
// can reach it yet, and only then moved below the tag: mounts propagate into virtiofsd's own
// namespace as they are at that moment, and a later change of theirs does not. What has to become
// read-only afterwards is therefore changed in that namespace, at the mount virtiofsd itself uses.
class ShareTree final {
public:
    // A folder that virtiofsd is given; the same before and after its own namespaces.
    static constexpr const char* source = "/sys/view";

    explicit ShareTree(const Identity& identity)
        : m_identity(identity) {}

    [[nodiscard]] Failure prepare(); // once
    [[nodiscard]] Failure add(const std::string& name, bool readOnly, const std::string& path);
    [[nodiscard]] Failure remove(const std::string& name);
    // Makes a named folder read-only for the running virtiofsd, with what the guest has open in it;
    // the other folders notice nothing. Stage "in-use", and nothing changed, while a file of it is
    // open for writing.
    [[nodiscard]] Failure protect(const std::string& name, pid_t daemon) const;

private:
    [[nodiscard]] Failure makeView();
    [[nodiscard]] Failure checkReach(const std::string& place, bool readOnly) const;

    const Identity& m_identity;
    bool m_hasView = false;
    bool m_isFolderItself = false;
};

} // namespace vitrine::shares
