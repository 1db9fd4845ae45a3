// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/error.h"

#include <tl/expected.hpp>

namespace vitrine {

// The outcome of everything that can fail outside the program. Exceptions do not leave a function
// of ours.
template <class T = void>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

[[nodiscard]] inline tl::unexpected<Error>
fail(Error::Kind kind, QString message, QString detail = {}) {
    return tl::unexpected<Error>(Error{kind, std::move(message), std::move(detail)});
}

} // namespace vitrine
