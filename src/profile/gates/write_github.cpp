#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "profile/gates/writers.h"

namespace drywarp::gates {
namespace {

// `property`: in front of the second "::", where commas and colons separate.
std::string escaped(const std::string& text, bool property) {
  std::string all;
  for (const char c : text)
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      all += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      all += c;
  return all;
}

}  // namespace

void write_github(std::ostream& out, std::span<const Outcome> outcomes, const std::string& root) {
  for (const Outcome& o : outcomes)
    for (const Finding& f : o.findings) {
      if (f.holds) continue;
      const Expectation& e = o.expectation;
      std::string properties;
      if (!f.places.empty() && f.places.front().line != 0)
        properties = fmt::format("file={},line={},", escaped(relative_to(f.places.front().file, root), true),
                                 f.places.front().line);
      const std::string title = e.title.empty() ? e.full_text() : e.title;
      fmt::print(out, "::error {}title={}::{}\n", properties, escaped(title, true),
                 escaped(fmt::format("{}, {}: {}", f.kernel, launches_text(f), message(e, f)), false));
    }
}

}  // namespace drywarp::gates
