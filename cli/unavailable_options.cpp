// SPDX-License-Identifier: Apache-2.0
#include "cli/unavailable_options.h"

#include <array>

namespace vitrine::cli {

struct UnavailableOption {
    const char* name;
    const char* value; // name of its value; nullptr for a flag
    Feature feature;   // whose reason is told when the backend has one
    const char* reason;
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
    UnavailableOption{"--net-softnet-control-fd", "FD", Feature::Softnet, network},
    UnavailableOption{"--rosetta", "TAG", Feature::Rosetta, noMac},
    UnavailableOption{"--recovery", nullptr, Feature::Recovery, noMac},
    UnavailableOption{"--no-trackpad", nullptr, Feature::TrackpadChoice, noMac},
    UnavailableOption{"--provisioning-opts", "LIST", Feature::DarwinGuests, noMac},
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
        parsed->group("Options of Tart that are refused here, with the reason");
        m_options.push_back({&option, parsed});
    }
}

Result<> UnavailableOptions::check(const Hypervisor& hypervisor) const {
    for (const Typed& typed : m_options) {
        if (typed.parsed->count() == 0)
            continue;
        const FeatureStatus status = hypervisor.info().status(typed.option->feature);
        const bool hasReason = !status.available && !status.reason.isEmpty();
        return fail(Error::Kind::Unsupported,
                    Tr::tr("%1 is not available. %2")
                        .arg(QLatin1String(typed.option->name),
                             hasReason ? status.reason : Tr::tr(typed.option->reason)));
    }
    return {};
}

} // namespace vitrine::cli
