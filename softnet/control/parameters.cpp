// SPDX-License-Identifier: Apache-2.0
#include "softnet/control/parameters.h"

#include <algorithm>

namespace vitrine::softnet {

namespace {

std::string quoted(std::string_view name) {
    return "\"" + std::string(name) + "\"";
}

} // namespace

tl::unexpected<RpcError> invalid(std::string message) {
    return tl::unexpected<RpcError>({rpc::invalidParameters, std::move(message)});
}

tl::expected<void, RpcError> expectNames(const Json* parameters,
                                         std::initializer_list<std::string_view> names) {
    if (parameters == nullptr || (parameters->items.empty())) {
        return {};
    }
    if (parameters->kind != Json::Kind::Object) {
        return invalid("the parameters have names");
    }
    for (std::size_t i = 0; i < parameters->names.size(); ++i) {
        const std::string& name = parameters->names[i];
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            return invalid("unknown parameter " + quoted(name));
        }
        if (parameters->find(name) != &parameters->items[i]) {
            return invalid("the parameter " + quoted(name) + " is there twice");
        }
    }
    return {};
}

const Json* parameter(const Json* parameters, std::string_view name) {
    return parameters == nullptr ? nullptr : parameters->find(name);
}

tl::expected<std::string, RpcError> textParameter(const Json* parameters, std::string_view name) {
    const Json* const value = parameter(parameters, name);
    if (value == nullptr || !value->isText()) {
        return invalid("the parameter " + quoted(name) + " is a text");
    }
    return value->text;
}

tl::expected<std::vector<std::string>, RpcError> listParameter(const Json* parameters,
                                                               std::string_view name) {
    const Json* const value = parameter(parameters, name);
    const bool isList = value != nullptr && value->kind == Json::Kind::List &&
                        std::all_of(value->items.begin(), value->items.end(), [](const Json& item) {
                            return item.isText();
                        });
    if (!isList) {
        return invalid("the parameter " + quoted(name) + " is a list of texts");
    }
    std::vector<std::string> texts;
    texts.reserve(value->items.size());
    for (const Json& item : value->items) {
        texts.push_back(item.text);
    }
    return texts;
}

} // namespace vitrine::softnet
