// SPDX-License-Identifier: Apache-2.0
#include "core/guest/ssh_arguments.h"

namespace vitrine {

Result<QStringList> sshArguments(const SshTarget& target) {
    bool isName = !target.user.isEmpty() && !target.user.startsWith(QLatin1Char('-'));
    for (const QChar c : target.user)
        isName =
            isName && c.isPrint() && !c.isSpace() && !QStringView(u"\"'`;&|<>()$\\@").contains(c);
    if (!isName)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is not a user name.").arg(target.user));
    QStringList arguments{QStringLiteral("-p"), QString::number(target.port)};
    for (const char* option : {"UserKnownHostsFile=known_hosts",
                               "GlobalKnownHostsFile=/dev/null",
                               "HostKeyAlias=machine",
                               "CheckHostIP=no",
                               "StrictHostKeyChecking=accept-new"})
        arguments << QStringLiteral("-o") << QLatin1String(option);
    if (!target.asks)
        arguments << QStringLiteral("-o")
                  << (target.hasPassword ? QStringLiteral("NumberOfPasswordPrompts=1")
                                         : QStringLiteral("BatchMode=yes"))
                  << QStringLiteral("-o") << QStringLiteral("ConnectTimeout=10");
    if (target.terminal)
        arguments << QStringLiteral("-tt");
    if (!target.input)
        arguments << QStringLiteral("-n");
    if (!target.identityFile.isEmpty())
        arguments << QStringLiteral("-i") << target.identityFile;
    arguments << QStringLiteral("-l") << target.user << target.host;
    // ssh looks for options behind the host too.
    if (!target.command.isEmpty())
        arguments << QStringLiteral("--") << target.command;
    return arguments;
}

} // namespace vitrine
