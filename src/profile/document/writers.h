// Writes a document: the page, json, or a trace for Perfetto.
#pragma once

#include <iosfwd>

#include "profile/document/document.h"
#include "profile/report/writers/named_table.h"

namespace drywarp::document {

using DocumentFormats = report::Formats<Json>;
[[nodiscard]] const DocumentFormats& document_formats();

void write_json(std::ostream& out, const Json& document);
void write_perfetto(std::ostream& out, const Json& document);
void write_page(std::ostream& out, const Json& document);

}  // namespace drywarp::document
