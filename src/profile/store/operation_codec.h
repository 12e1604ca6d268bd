// Operations as lines of numbers. A line that is damaged gives nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/timeline/operation.h"

namespace drywarp::store {

[[nodiscard]] std::string encode(const timeline::Operation& operation);
// `place`: how many operations are before it, which are all that it may name.
[[nodiscard]] std::optional<timeline::Operation> decode_operation(std::string_view line, uint32_t place);
[[nodiscard]] std::string encode(const timeline::Numbers& numbers);
[[nodiscard]] std::optional<timeline::Numbers> decode_numbers(std::string_view line);

}  // namespace drywarp::store
