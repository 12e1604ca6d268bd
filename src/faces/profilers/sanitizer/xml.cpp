#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "faces/profilers/sanitizer/records.h"
#include "profile/results/results.h"

namespace drywarp::profilers::sanitizer {
namespace {

class Xml {
 public:
  explicit Xml(std::ostream& out) : out_(out) {}
  void open(const char* tag) { out_ << std::string(depth_++ * 2, ' ') << '<' << tag << ">\n"; }
  void close(const char* tag) { out_ << std::string(--depth_ * 2, ' ') << "</" << tag << ">\n"; }
  void put(const char* tag, const std::string& text) {
    if (text.empty()) return;
    out_ << std::string(depth_ * 2, ' ') << '<' << tag << '>' << results::xml_text(text) << "</" << tag << ">\n";
  }

 private:
  std::ostream& out_;
  size_t depth_ = 0;
};

void put_index(Xml& xml, const char* tag, const std::array<uint32_t, 3>& at) {
  xml.open(tag);
  constexpr const char* kAxes[] = {"x", "y", "z"};
  for (size_t i = 0; i < at.size(); ++i) xml.put(kAxes[i], std::to_string(at[i]));
  xml.close(tag);
}

void put_thread(Xml& xml, const ThreadPlace& thread) {
  xml.open("who");
  put_index(xml, "threadIdx", thread.thread);
  put_index(xml, "blockIdx", thread.block);
  xml.close("who");
}

void put_where(Xml& xml, const std::string& kernel, const CodeLine& where, const Style& style) {
  if (kernel.empty() && where.line == 0) return;
  xml.open("where");
  xml.put("func", function(kernel, style));
  if (where.line != 0) xml.put("path", where.file), xml.put("line", std::to_string(where.line));
  xml.close("where");
}

void put_race(Xml& xml, const Finding& f, const Style& style) {
  xml.open("what");
  xml.put("text", fmt::format("Race reported between {} access and {} access", race_access(f.what),
                              race_access(f.other->what)));
  xml.put("hazards", std::to_string(f.times));
  xml.close("what");
  put_where(xml, f.kernel, f.where, style);
  put_where(xml, f.kernel, f.other->where, style);
}

void put_report(Xml& xml, const Finding& f, const Style& style) {
  const Record r = record_of(f);
  xml.open("what");
  xml.put("text", r.error.empty() ? r.title : r.title + ": Access " + r.error);
  if (*r.access.space != '\0' && f.bytes != 0) xml.put("space", r.access.space);
  if (f.bytes != 0) xml.put("size", std::to_string(f.bytes)), xml.put("direction", r.access.direction);
  if (f.address) xml.put("accessAddress", fmt::format("{:#x}", *f.address));
  if (f.kind == FindingKind::Leak && f.allocation) xml.put("size", std::to_string(f.allocation->size));
  xml.close("what");
  put_where(xml, f.kernel, f.where, style);
}

}  // namespace

void write_xml(std::ostream& out, const Report& report, const Style& style) {
  out << "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
  Xml xml(out);
  xml.open("ComputeSanitizerOutput");
  const std::vector<const Finding*> all = shown(report, style);
  for (size_t i = 0; i < all.size() && (style.limit == 0 || i < style.limit); ++i) {
    const Finding& f = *all[i];
    xml.open("record");
    xml.put("kind", record_of(f).kind);
    xml.put("level", level(info(f.kind).severity));
    if (f.thread) put_thread(xml, *f.thread);
    if (f.other)
      put_race(xml, f, style);
    else
      put_report(xml, f, style);
    xml.close("record");
  }
  xml.close("ComputeSanitizerOutput");
}

}  // namespace drywarp::profilers::sanitizer
