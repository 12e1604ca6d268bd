// The page: the asset of page/, with the document in its place: packed, since its timelines are large, and in base64,
// in which no text of a program can end the element or begin another.
#include <ostream>

#include "profile/document/packing.h"
#include "profile/document/page_asset.h"
#include "profile/document/writers.h"

namespace drywarp::document {
namespace {

constexpr std::string_view kMark = "<!--DATA-->", kTitle = "<title>drywarp</title>";

// What the page is called in a browser's tab: the program, the compared files, the explanation, or the sweep.
std::string title_of(const Json& document) {
  std::string title;
  for (const char* part : {"profiles", "explain", "sweep"}) {
    const Json& there = document[part];
    for (const Json& one : there.is_object() ? Json::array({there}) : there.is_array() ? there : Json::array())
      title += (title.empty() ? "" : ", ") + one["title"].get<std::string>();
  }
  return title.empty() ? "drywarp" : title + " - drywarp";
}

// Names of programs need not be UTF-8.
std::string valid_utf8(const std::string& text) { return Json::parse(report::text(Json(text))).get<std::string>(); }

// As a title element holds it.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

}  // namespace

void write_page(std::ostream& out, const Json& document) {
  const std::string page =
      replaced(std::string(page_asset()), kTitle, "<title>" + escaped(valid_utf8(title_of(document))) + "</title>");
  const size_t mark = page.find(kMark);
  const std::string_view all = page;
  out << all.substr(0, mark) << R"(<script type="application/gzip" id="data">)" << base64(gzip(report::text(document)))
      << "</script>" << all.substr(mark + kMark.size());
}

}  // namespace drywarp::document
