// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_launch.h"

#include <algorithm>

namespace vitrine {

namespace {

QStringList itemsOf(const QString& list) {
    return list.split(QLatin1Char(','), Qt::SkipEmptyParts);
}

// Directions came after the control channel, ports after those.
bool isNewerThanControl(const QString& rule) {
    return rule.contains(QLatin1Char(' ')) || rule.contains(QLatin1Char(':'));
}

} // namespace

Result<SoftnetSupervisor::Setup> planSoftnet(const SoftnetProgram& program,
                                             const MacAddress& macAddress,
                                             const NetworkOptions& options,
                                             FileDescriptor socket) {
    if (const QString remedy = program.remedy(); !remedy.isEmpty())
        return fail(Error::Kind::Permission,
                    Tr::tr("Softnet may not make a network. Type this in Terminal, once, and start "
                           "the machine again: %1")
                        .arg(remedy));
    SoftnetSupervisor::Setup setup;
    setup.program = program.path;
    setup.hasControl = program.hasControl;
    setup.socket = std::move(socket);
    setup.arguments << QStringLiteral("--vm-mac-address=%1").arg(macAddress.toText());
    if (options.mode == NetworkMode::HostOnly) {
        setup.arguments << QStringLiteral("--vm-net-type=host");
        return setup;
    }
    setup.policy = {itemsOf(options.allow), itemsOf(options.block)};
    if (!program.hasControl)
        for (const QStringList& list : {setup.policy.allow, setup.policy.block})
            if (const auto rule = std::find_if(list.cbegin(), list.cend(), isNewerThanControl);
                rule != list.cend())
                return fail(Error::Kind::Unsupported,
                            Tr::tr("This version of Softnet does not know rules such as \"%1\", "
                                   "with a direction or a port. Update it with \"brew upgrade "
                                   "softnet\", or take the rule out.")
                                .arg(*rule));
    if (!options.expose.isEmpty())
        setup.arguments << QStringLiteral("--expose=%1").arg(options.expose);
    return setup;
}

} // namespace vitrine
