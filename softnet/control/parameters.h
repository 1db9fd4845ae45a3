// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/control/request.h"

#include <initializer_list>

namespace vitrine::softnet {

[[nodiscard]] tl::unexpected<RpcError> invalid(std::string message);

// Whether the parameters are an object with no other names than these, each at most once. None at
// all is as good as an empty object.
[[nodiscard]] tl::expected<void, RpcError>
expectNames(const Json* parameters, std::initializer_list<std::string_view> names);
// Of parameters that may be missing altogether.
[[nodiscard]] const Json* parameter(const Json* parameters, std::string_view name);
[[nodiscard]] tl::expected<std::string, RpcError> textParameter(const Json* parameters,
                                                                std::string_view name);
[[nodiscard]] tl::expected<std::vector<std::string>, RpcError> listParameter(const Json* parameters,
                                                                             std::string_view name);

} // namespace vitrine::softnet
