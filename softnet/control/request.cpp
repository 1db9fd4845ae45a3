// SPDX-License-Identifier: Apache-2.0
#include "softnet/control/request.h"

#include <algorithm>

namespace vitrine::softnet {

namespace {

std::optional<std::string> idOf(const Json& value) {
    if (value.isText() && value.text.size() <= Request::mostIdBytes) {
        return jsonText(value.text);
    }
    if (value.whole()) {
        return value.text;
    }
    return std::nullopt;
}

constexpr std::string_view fields[] = {"jsonrpc", "id", "method", "params"};

} // namespace

tl::expected<Request, Request::Refusal> Request::parse(std::string_view line) {
    Request request;
    request.id = "null";
    const auto refused = [&request](int code, std::string message) {
        return tl::unexpected<Refusal>({request.id, {code, std::move(message)}});
    };
    auto json = Json::parse(line);
    if (!json) {
        return refused(rpc::parseError, "not JSON");
    }
    if (json->kind != Json::Kind::Object) {
        return refused(rpc::invalidRequest, "not one request");
    }
    if (std::count(json->names.begin(), json->names.end(), "id") == 1) {
        request.id = idOf(*json->find("id")).value_or("null");
    }
    for (std::size_t i = 0; i < json->names.size(); ++i) {
        const std::string& name = json->names[i];
        if (std::find(std::begin(fields), std::end(fields), name) == std::end(fields)) {
            return refused(rpc::invalidRequest, "unknown field \"" + name + "\"");
        }
        if (json->find(name) != &json->items[i]) {
            return refused(rpc::invalidRequest, "the field \"" + name + "\" is there twice");
        }
    }
    if (request.id == "null") {
        return refused(rpc::invalidRequest,
                       "\"id\" is a text of at most 256 bytes or a whole number from 0");
    }
    const Json* const version = json->find("jsonrpc");
    if (version == nullptr || !version->isText() || version->text != "2.0") {
        return refused(rpc::invalidRequest, R"("jsonrpc" is "2.0")");
    }
    const Json* const method = json->find("method");
    if (method == nullptr || !method->isText()) {
        return refused(rpc::invalidRequest, "\"method\" is a text");
    }
    request.method = method->text;
    if (const Json* const parameters = json->find("params")) {
        if (parameters->kind != Json::Kind::Object && parameters->kind != Json::Kind::List) {
            return refused(rpc::invalidRequest, "\"params\" is an object");
        }
        request.parameters = *parameters;
    }
    return request;
}

std::string resultLine(std::string_view id, std::string_view result) {
    return JsonObject().add("jsonrpc", "2.0").addJson("id", id).addJson("result", result).text() +
           "\n";
}

std::string errorLine(std::string_view id, const RpcError& error) {
    const std::string body = JsonObject()
                                 .addJson("code", std::to_string(error.code))
                                 .add("message", error.message)
                                 .text();
    return JsonObject().add("jsonrpc", "2.0").addJson("id", id).addJson("error", body).text() +
           "\n";
}

std::string notificationLine(std::string_view method, std::string_view parameters) {
    return JsonObject()
               .add("jsonrpc", "2.0")
               .add("method", method)
               .addJson("params", parameters)
               .text() +
           "\n";
}

} // namespace vitrine::softnet
