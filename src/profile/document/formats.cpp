#include <ostream>

#include "profile/document/writers.h"

namespace drywarp::document {

void write_json(std::ostream& out, const Json& document) { out << report::text(document) << '\n'; }

namespace {
constexpr report::OutputFormat<Json> kFormats[] = {
    {"html", false, write_page}, {"json", false, write_json}, {"perfetto", false, write_perfetto}};
constexpr DocumentFormats kFormatTable("the report", "format", kFormats);
}  // namespace

const DocumentFormats& document_formats() { return kFormatTable; }

}  // namespace drywarp::document
