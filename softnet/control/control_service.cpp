// SPDX-License-Identifier: Apache-2.0
// Softnet's own methods. Ours are in vitrine_methods.cpp.
#include "softnet/control/control_service.h"

#include "softnet/control/parameters.h"

#include <algorithm>

namespace vitrine::softnet {

namespace {

std::vector<std::string> textsOf(const std::vector<Target>& targets) {
    std::vector<std::string> texts;
    texts.reserve(targets.size());
    for (const Target& target : targets) {
        texts.push_back(target.text());
    }
    return texts;
}

tl::expected<std::vector<Target>, RpcError> targetsOf(const Json* parameters,
                                                      std::string_view name) {
    const auto texts = listParameter(parameters, name);
    if (!texts) {
        return tl::unexpected(texts.error());
    }
    std::vector<Target> targets;
    targets.reserve(texts->size());
    for (const std::string& text : *texts) {
        const auto target = Target::parse(text);
        if (!target) {
            return invalid("\"" + std::string(name) + "\": " + target.error().message);
        }
        targets.push_back(*target);
    }
    return targets;
}

} // namespace

ControlService::Reply ControlService::handle(std::string_view line, Time now) {
    const auto request = Request::parse(line);
    if (!request) {
        return {errorLine(request.error().id, request.error().error), {}};
    }
    Call what;
    what.parameters = request->parameters ? &*request->parameters : nullptr;
    what.now = now;
    const Result result = call(request->method, what);
    if (!result) {
        return {errorLine(request->id, result.error()), {}};
    }
    return {resultLine(request->id, *result), std::move(what.apply)};
}

ControlService::Result ControlService::call(const std::string& method, Call& call) {
    if (method == "softnet.policy.get") {
        return getPolicy(call);
    }
    if (method == "softnet.policy.set") {
        return setPolicy(call);
    }
    if (method == "vitrine.stats.get") {
        return getStats(call);
    }
    if (method == "vitrine.destinations.get") {
        return getDestinations(call);
    }
    if (method == "vitrine.expose.get" || method == "vitrine.expose.add" ||
        method == "vitrine.expose.remove") {
        return changeExposures(method, call);
    }
    if (method == "vitrine.test") {
        return test(call);
    }
    if (method == "vitrine.learn.set") {
        return setLearning(call);
    }
    if (method == "vitrine.events.subscribe") {
        if (const auto none = expectNames(call.parameters, {}); !none) {
            return tl::unexpected(none.error());
        }
        m_subscribed = true;
        return JsonObject().text();
    }
    return tl::unexpected<RpcError>({rpc::unknownMethod, "there is no method \"" + method + "\""});
}

std::string ControlService::policyJson(const Policy& policy,
                                       const std::optional<std::string>& revision) const {
    return JsonObject()
        .addJson("allow", jsonList(textsOf(policy.allow)))
        .addJson("block", jsonList(textsOf(policy.block)))
        .addJson("desiredRevision", revision ? jsonText(*revision) : "null")
        .add("ruleCount", policy.ruleCount())
        // Every machine has a network of its own, whatever its rules say.
        .addJson("bridgeIsolation", "true")
        .text();
}

ControlService::Result ControlService::getPolicy(const Call& call) const {
    if (const auto none = expectNames(call.parameters, {}); !none) {
        return tl::unexpected(none.error());
    }
    return policyJson(m_filter.rules().policy().normalised(), m_revision);
}

ControlService::Result ControlService::setPolicy(Call& call) {
    if (const auto known = expectNames(call.parameters, {"allow", "block", "desiredRevision"});
        !known) {
        return tl::unexpected(known.error());
    }
    const auto revision = textParameter(call.parameters, "desiredRevision");
    if (!revision) {
        return tl::unexpected(revision.error());
    }
    if (revision->empty() || revision->size() > mostRevisionBytes) {
        return invalid("\"desiredRevision\" has 1 to 256 bytes");
    }
    const auto allow = targetsOf(call.parameters, "allow");
    if (!allow) {
        return tl::unexpected(allow.error());
    }
    const auto block = targetsOf(call.parameters, "block");
    if (!block) {
        return tl::unexpected(block.error());
    }
    if (allow->size() + block->size() > Policy::maximumRules) {
        return invalid("more than " + std::to_string(Policy::maximumRules) + " rules");
    }
    const Policy policy = Policy{*allow, *block}.normalised();
    const auto conflict = [](std::string why) {
        return tl::unexpected<RpcError>({rpc::revisionConflict, std::move(why)});
    };
    if (std::find(m_superseded.begin(), m_superseded.end(), *revision) != m_superseded.end()) {
        return conflict("a later revision took the place of this one");
    }
    if (m_revision == *revision) {
        if (!(policy == m_filter.rules().policy().normalised())) {
            return conflict("this revision has other rules");
        }
        return policyJson(policy, m_revision);
    }
    if (const auto fits = m_filter.checkPolicy(policy); !fits) {
        return invalid(fits.error().message);
    }
    call.apply = [this, policy, revision = *revision, now = call.now] {
        m_ledger.keepRules(m_filter.rules().policy());
        if (!m_filter.setPolicy(policy, now)) {
            return; // not after it was checked
        }
        m_ledger.judgeAgain(m_filter);
        if (m_revision) {
            m_superseded.push_back(*m_revision);
            if (m_superseded.size() > rememberedRevisions) {
                m_superseded.pop_front();
            }
        }
        m_revision = revision;
        if (onChange) {
            onChange(JsonObject()
                         .add("kind", "policy")
                         .add("desiredRevision", revision)
                         .add("ruleCount", policy.ruleCount()));
        }
    };
    return policyJson(policy, *revision);
}

} // namespace vitrine::softnet
