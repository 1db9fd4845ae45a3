// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/control/json.h"

#include <tl/expected.hpp>

namespace vitrine::softnet {

// The codes of JSON-RPC 2.0, Softnet's, and two of our own.
namespace rpc {
constexpr int parseError = -32700;
constexpr int invalidRequest = -32600;
constexpr int unknownMethod = -32601;
constexpr int invalidParameters = -32602;
constexpr int revisionConflict = -32001; // reused with other content, or superseded
constexpr int cannotExpose = -32003;
constexpr int notExposed = -32004;
constexpr int portNotPermitted = -32005;
constexpr int portUnusable = -32006;
} // namespace rpc

struct RpcError {
    int code = 0;
    std::string message;
};

// One line of the control channel. An id is required: nothing is done without an answer.
struct Request {
    static constexpr std::size_t mostIdBytes = 256;

    std::string id; // as JSON
    std::string method;
    std::optional<Json> parameters; // a List or an Object

    struct Refusal {
        std::string id; // as JSON; "null" if it cannot be told
        RpcError error;
    };
    [[nodiscard]] static tl::expected<Request, Refusal> parse(std::string_view line);
};

// Lines to send, with their newline.
[[nodiscard]] std::string resultLine(std::string_view id, std::string_view result);
[[nodiscard]] std::string errorLine(std::string_view id, const RpcError& error);
[[nodiscard]] std::string notificationLine(std::string_view method, std::string_view parameters);

} // namespace vitrine::softnet
