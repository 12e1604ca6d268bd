// page/dist/page.html, which the program carries.
#pragma once

#include <string_view>

namespace drywarp::document {

// It has the mark <!--DATA--> once, where the document belongs.
[[nodiscard]] std::string_view page_asset();

}  // namespace drywarp::document
