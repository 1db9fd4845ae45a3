// SPDX-License-Identifier: Apache-2.0
#include "cli/unavailable_options.h"

#include "cli/command.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace vitrine::cli {

struct UnavailableOption {
    const char* name;
    const char* value; // name of its value; nullptr for a flag
    Feature feature;   // whose reason is told when the backend has one
    const char* reason;
    bool everAvailable; // where the feature is
    bool changesGuest;
};

namespace {

// Reasons are untranslated here and go through Tr::tr below.
constexpr const char* noMac = QT_TRANSLATE_NOOP(
    "vitrine::Tr", "It needs a Mac with Apple silicon, and this computer is none.");
constexpr const char* network = QT_TRANSLATE_NOOP(
    "vitrine::Tr",
    "The machine's process has that channel itself. See and change the rules of a "
    "running machine with \"vitrinectl net\".");
constexpr std::array unavailableOptions{
    UnavailableOption{"--net-softnet-control-fd", "FD", Feature::Softnet, network, false, false},
    UnavailableOption{"--rosetta", "TAG", Feature::Rosetta, noMac, true, true},
    UnavailableOption{"--recovery", nullptr, Feature::Recovery, noMac, true, true},
    UnavailableOption{"--no-trackpad", nullptr, Feature::TrackpadChoice, noMac, true, true},
    UnavailableOption{"--provisioning-opts", "LIST", Feature::DarwinGuests, noMac, false, false},
};

} // namespace

void UnavailableOptions::addTo(CLI::App& app) {
    for (const UnavailableOption& option : unavailableOptions) {
        CLI::Option* parsed = nullptr;
        if (option.value) {
            parsed = app.add_option_function<std::vector<std::string>>(
                            option.name, [](const std::vector<std::string>&) {})
                         ->expected(1)
                         ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                         ->type_name(option.value);
        } else {
            parsed = app.add_flag(option.name);
        }
        parsed->group(option.everAvailable
                          ? "Options of Tart for a Mac with Apple silicon, refused elsewhere"
                          : "Options of Tart that are refused here, with the reason");
        m_options.push_back({&option, parsed});
    }
}

Result<> UnavailableOptions::check(const Hypervisor& hypervisor) const {
    for (const Typed& typed : m_options) {
        if (typed.parsed->count() == 0)
            continue;
        const FeatureStatus status = hypervisor.info().status(typed.option->feature);
        if (status.available && typed.option->everAvailable)
            continue;
        const bool hasReason = !status.available && !status.reason.isEmpty();
        return fail(Error::Kind::Unsupported,
                    Tr::tr("%1 is not available. %2")
                        .arg(QLatin1String(typed.option->name),
                             hasReason ? status.reason : Tr::tr(typed.option->reason)));
    }
    return {};
}

bool UnavailableOptions::isTyped(const char* name) const {
    return std::any_of(m_options.begin(), m_options.end(), [name](const Typed& typed) {
        return typed.parsed->count() > 0 && std::string_view(typed.option->name) == name;
    });
}

QString UnavailableOptions::value(const char* name) const {
    for (const Typed& typed : m_options)
        if (std::string_view(typed.option->name) == name && typed.parsed->count() > 0)
            return toQString(typed.parsed->results().back());
    return {};
}

bool UnavailableOptions::changesGuest() const {
    return std::any_of(m_options.begin(), m_options.end(), [](const Typed& typed) {
        return typed.parsed->count() > 0 && typed.option->changesGuest;
    });
}

} // namespace vitrine::cli
