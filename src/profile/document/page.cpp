// The page: the asset of page/, with the document in its place.
#include <ostream>

#include "profile/document/page_asset.h"
#include "profile/document/writers.h"

namespace drywarp::document {
namespace {

constexpr std::string_view kMark = "<!--DATA-->";

}  // namespace

std::string script_text(const Json& document) {
  const std::string json = report::text(document);
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (size_t i = 0; i < json.size(); ++i) {
    // U+2028 and U+2029 in UTF-8 are E2 80 A8 and E2 80 A9.
    const std::string_view three = std::string_view(json).substr(i, 3);
    if (json[i] == '<') out += "\\u003c";
    else if (json[i] == '>') out += "\\u003e";
    else if (json[i] == '&') out += "\\u0026";
    else if (three == "\xE2\x80\xA8") out += "\\u2028", i += 2;
    else if (three == "\xE2\x80\xA9") out += "\\u2029", i += 2;
    else out += json[i];
  }
  return out;
}

void write_page(std::ostream& out, const Json& document) {
  const std::string_view page = page_asset();
  const size_t mark = page.find(kMark);
  out << page.substr(0, mark) << R"(<script type="application/json" id="data">)" << script_text(document)
      << "</script>" << page.substr(mark + kMark.size());
}

}  // namespace drywarp::document
