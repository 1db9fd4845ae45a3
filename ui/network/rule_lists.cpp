// SPDX-License-Identifier: Apache-2.0
#include "ui/network/rule_lists.h"

#include "core/machine/network_options.h"
#include "core/machine/network_rules.h"
#include "core/machine/run_options.h"

#include <QSet>

namespace vitrine::ui {

namespace {

QSet<QString> normalOf(const ValueList* list) {
    QSet<QString> rules;
    for (const QString& value : list->values())
        rules.insert(normalNetworkRule(value));
    return rules;
}

ValueList::Setup ruleSetup() {
    ValueList::Setup setup;
    setup.example = QStringLiteral("10.0.0.0/8, @host, out 10.0.0.5/32:443");
    setup.none = Tr::tr("No rule");
    setup.check = checkNetworkRule;
    setup.fix = wholeAddressRule;
    setup.normal = normalNetworkRule;
    return setup;
}

Result<> checkForward(const QString& text) {
    const auto forward = portForwardFromText(text);
    return forward ? Result<>() : fail(forward.error());
}

} // namespace

ValueList* allowList(QWidget* parent) {
    ValueList::Setup setup = ruleSetup();
    setup.title = Tr::tr("Allow");
    setup.icon = u"check";
    return new ValueList(setup, parent);
}

ValueList* blockList(QWidget* parent) {
    ValueList::Setup setup = ruleSetup();
    setup.title = Tr::tr("Block");
    setup.icon = u"shield";
    return new ValueList(setup, parent);
}

ValueList* exposeList(QWidget* parent) {
    ValueList::Setup setup;
    setup.title = Tr::tr("Expose");
    setup.help = Tr::tr("TCP ports of the guest that others may reach");
    setup.example = QStringLiteral("2222:22");
    setup.none = Tr::tr("No port");
    setup.icon = u"elsewhere";
    setup.check = [](const QString& text) { return checkExposeList(text); };
    return new ValueList(setup, parent);
}

ValueList* forwardList(QWidget* parent) {
    ValueList::Setup setup;
    setup.title = Tr::tr("Forward");
    setup.help = Tr::tr("Ports of 127.0.0.1 that lead into the guest");
    setup.example = QStringLiteral("8080:80");
    setup.none = Tr::tr("No port");
    setup.icon = u"terminal";
    setup.check = checkForward;
    return new ValueList(setup, parent);
}

void tellOfBoth(ValueList* allow, ValueList* block) {
    allow->setRemark([block](const QString& rule) {
        return normalOf(block).contains(normalNetworkRule(rule))
                   ? Tr::tr("\"%1\" stands under Block too, and block goes before allow.").arg(rule)
                   : QString();
    });
    block->setRemark([allow](const QString& rule) {
        return normalOf(allow).contains(normalNetworkRule(rule))
                   ? Tr::tr("\"%1\" stands under Allow too; block goes before allow.").arg(rule)
                   : QString();
    });
    QObject::connect(allow, &ValueList::edited, block, &ValueList::judge);
    QObject::connect(block, &ValueList::edited, allow, &ValueList::judge);
}

} // namespace vitrine::ui
