// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/exposures.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vitrine::softnet {

namespace {

std::string place(const Exposure& exposure) {
    return "port " + std::to_string(exposure.external) + " of " +
           (exposure.address == Ipv4{} ? "all addresses of this computer"
                                       : exposure.address.text());
}

std::string reasonOf(int error) {
    switch (error) {
    case EADDRINUSE:
        return "another program or machine listens there; choose another port";
    case EACCES:
        // Also when root runs the machine: this program is an ordinary user.
        return "ports below 1024 are not open to this program, which runs as an ordinary user; "
               "choose a higher one (or lower net.ipv4.ip_unprivileged_port_start)";
    case EADDRNOTAVAIL:
        return "it is no address of this computer";
    default:
        return std::strerror(error);
    }
}

Problem::Cause causeOf(int error) {
    switch (error) {
    case EADDRINUSE:
        return Problem::Cause::Unsaid;
    case EACCES:
        return Problem::Cause::NotPermitted;
    default:
        return Problem::Cause::Unusable;
    }
}

} // namespace

Checked<void> Exposures::add(const Exposure& exposure) {
    if (std::find(m_list.begin(), m_list.end(), exposure) != m_list.end()) {
        return {};
    }
    const std::string cannot = "cannot expose " + exposure.text() + ": ";
    if (exposure.external == 0 || exposure.internal == 0) {
        return refuse(cannot + "there is no port 0", Problem::Cause::Unusable);
    }
    for (const Exposure& other : m_list) {
        if (other.address == exposure.address && other.external == exposure.external) {
            return refuse(cannot + place(exposure) + " leads to the machine's port " +
                          std::to_string(other.internal) + " already; remove that first");
        }
    }
    if (m_list.size() >= most) {
        return refuse(cannot + "more than " + std::to_string(most) + " ports",
                      Problem::Cause::Unusable);
    }
    if (const int error = m_stack.expose(exposure); error != 0) {
        return refuse(cannot + place(exposure) + ": " + reasonOf(error), causeOf(error));
    }
    m_list.push_back(exposure);
    return {};
}

Checked<void> Exposures::remove(const Exposure& exposure) {
    const auto found = std::find(m_list.begin(), m_list.end(), exposure);
    if (found == m_list.end()) {
        return refuse(exposure.text() + " is not exposed");
    }
    if (const int error = m_stack.conceal(exposure); error != 0) {
        return refuse("cannot take " + exposure.text() + " back: " + reasonOf(error));
    }
    m_list.erase(found);
    return {};
}

} // namespace vitrine::softnet
