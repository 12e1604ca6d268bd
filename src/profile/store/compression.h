// Compresses records that are large.
#pragma once

#include <string>
#include <string_view>

#include "base/support/result.h"

namespace drywarp::store {

std::string compress(std::string_view bytes);
// Fails if these are not the bytes that compress() wrote, or would take more than 8 MiB.
Result<std::string> decompress(std::string_view bytes);

}  // namespace drywarp::store
