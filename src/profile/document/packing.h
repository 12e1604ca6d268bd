// Data as a text that a page can hold and a browser can unpack.
#pragma once

#include <string>
#include <string_view>

namespace drywarp::document {

// RFC 1952, without a time or a name: equal data give equal bytes.
[[nodiscard]] std::string gzip(std::string_view data);
// RFC 4648.
[[nodiscard]] std::string base64(std::string_view data);

}  // namespace drywarp::document
