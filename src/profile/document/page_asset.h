// page/dist/page.html, which the program carries.
#pragma once

#include <string>
#include <string_view>

#include "profile/document/document.h"

namespace drywarp::document {

// It has the mark <!--DATA--> once, where the document belongs.
[[nodiscard]] std::string_view page_asset();
// The document as the text of a script element: no character of it can end the element or begin another.
[[nodiscard]] std::string script_text(const Json& document);

}  // namespace drywarp::document
