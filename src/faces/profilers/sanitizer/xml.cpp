#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/events/kernel_name.h"
#include "faces/profilers/sanitizer/records.h"
#include "profile/results/results.h"

// The elements, their order and which records have a level are those of version 2025.3.1, recorded on an H200.
namespace drywarp::profilers::sanitizer {
namespace {

class Xml {
 public:
  explicit Xml(std::ostream& out) : out_(out) {}
  void put(const char* tag, const std::string& text) {
    if (!text.empty()) indent() << '<' << tag << '>' << results::xml_text(text) << "</" << tag << ">\n";
  }
  void put(const char* tag, uint64_t number) { put(tag, std::to_string(number)); }
  // What `inside` writes, within the tag.
  template <class Inside>
  void element(const char* tag, Inside inside) {
    indent() << '<' << tag << ">\n";
    ++depth_;
    inside();
    --depth_;
    indent() << "</" << tag << ">\n";
  }

 private:
  std::ostream& indent() { return out_ << std::string(depth_ * 2, ' '); }
  std::ostream& out_;
  size_t depth_ = 0;
};

void put_index(Xml& xml, const char* tag, const std::array<uint32_t, 3>& at) {
  constexpr const char* kAxes[] = {"x", "y", "z"};
  xml.element(tag, [&] {
    for (size_t i = 0; i < at.size(); ++i) xml.put(kAxes[i], at[i]);
  });
}

void put_thread(Xml& xml, const Finding& f) {
  if (!f.thread) return;
  xml.element("who", [&] {
    put_index(xml, "threadIdx", f.thread->thread);
    put_index(xml, "blockIdx", f.thread->block);
  });
}

void put_where(Xml& xml, const std::string& kernel, const CodeLine& where) {
  if (kernel.empty()) return;
  xml.element("where", [&] {
    xml.put("func", function_name(kernel));
    if (where.line != 0) xml.put("path", where.file), xml.put("line", where.line);
  });
}

void put_host(Xml& xml, const Finding& f, const Report& report, const Style& style) {
  const HostStack stack = host_stack(f, style);
  if (stack.frames.empty()) return;
  xml.element("hostStack", [&] {
    xml.put("saveLocation", std::string(stack.when));
    for (const HostFrame& h : stack.frames)
      xml.element("frame", [&] {
        xml.put("func", h.function);
        if (h.line != 0) xml.put("path", h.file), xml.put("line", h.line);
        xml.put("module", report.program);
      });
  });
}

std::string hex(uint64_t address) { return fmt::format("{:#x}", address); }

// ---- what a record says: a function for each of the tool's kinds

void put_access(Xml& xml, const Finding& f, const Record& r) {
  xml.put("text", r.error.empty() ? r.title : r.title + " is " + r.error);
  if (*r.access.space != '\0' && f.bytes != 0) xml.put("space", fmt::format("__{}__", r.access.space));
  if (f.bytes != 0) xml.put("size", f.bytes), xml.put("direction", std::string(r.access.direction));
  xml.put("error", r.error);
  if (f.address) xml.put("address", hex(*f.address));
}
void put_heap(Xml& xml, const Finding& f, const Record& r) {
  xml.put("text", r.error.empty() ? r.title : "Malloc/Free Error encountered: " + r.error);
  xml.put("error", r.error);
  if (f.address) xml.put("address", hex(*f.address));
}
void put_call(Xml& xml, const Finding&, const Record& r) {
  xml.put("text", r.title);
  xml.put("api", r.call->name), xml.put("error", r.call->error), xml.put("message", r.call->message);
  xml.put("result", static_cast<uint64_t>(r.call->code));
}
void put_unwritten(Xml& xml, const Finding& f, const Record& r) {
  xml.put("text", r.title);
  if (f.address) xml.put("address", hex(*f.address));
  xml.put("size", f.bytes);
}
void put_unused(Xml& xml, const Finding& f, const Record& r) {
  xml.put("text", f.address ? "Unused memory in allocation " + hex(*f.address) : r.title);
  if (!f.allocation) return;
  xml.element("allocation", [&] {
    if (f.address) xml.put("address", hex(*f.address));
    xml.put("size", f.allocation->size);
  });
}
void put_leak(Xml& xml, const Finding& f, const Record& r) {
  xml.put("text", r.title);
  if (f.address) xml.put("address", hex(*f.address));
  if (f.allocation) xml.put("size", f.allocation->size);
}
void put_barrier(Xml& xml, const Finding&, const Record& r) {
  xml.put("text", std::string("Barrier error"));
  xml.put("type", r.error);
}

struct Shape {
  const char* kind;
  bool level;
  void (*put)(Xml&, const Finding&, const Record&);
};
Shape shape_of(const Finding& f, const Record& r) {
  if (r.call) return {"Api", false, put_call};
  if (f.kind == FindingKind::BadFree) return {"Syscall", true, put_heap};
  if (f.kind == FindingKind::UnusedMemory) return {"UnusedMemory", false, put_unused};
  if (f.kind == FindingKind::Uninitialized) return {"Initcheck", false, put_unwritten};
  if (f.kind == FindingKind::Leak) return {"Leak", false, put_leak};
  if (info(f.kind).tool == CheckTool::Synccheck) return {"Synccheck", false, put_barrier};
  return {"Precise", true, put_access};
}

void put_report(Xml& xml, const Finding& f, const Report& report, const Style& style) {
  const Record r = record_of(f);
  const Shape shape = shape_of(f, r);
  xml.element("record", [&] {
    xml.put("kind", std::string(shape.kind));
    if (shape.level) xml.put("level", std::string(level(info(f.kind).severity)));
    put_thread(xml, f);
    xml.element("what", [&] { shape.put(xml, f, r); });
    put_where(xml, f.kernel, f.where);
    put_host(xml, f, report, style);
  });
}

// ---- races

void put_hazard(Xml& xml, const Finding& f) {
  const std::array<Side, 2> sides = sides_of(f);
  xml.element("record", [&] {
    xml.put("kind", std::string("Hazard"));
    xml.element("what", [&] {
      xml.put("text", fmt::format("Potential {} hazard detected", hazard(sides)));
      xml.element("common", [&] {
        xml.put("type", std::string(hazard(sides)));
        if (f.address) xml.put("address", hex(*f.address));
        if (f.thread) put_index(xml, "blockIdx", f.thread->block);
      });
      constexpr const char* kThreads[] = {"thread0", "thread1"};
      for (size_t i = 0; i < sides.size(); ++i)
        xml.element(kThreads[i], [&] {
          xml.put("access", std::string(sides[i].access));
          if (sides[i].thread) put_index(xml, "threadIdx", sides[i].thread->thread);
          put_where(xml, f.kernel, sides[i].where);
        });
    });
  });
}

void put_analysis(Xml& xml, const Finding& f) {
  const std::array<Side, 2> sides = sides_of(f);
  const auto side = [&](const Side& s) {
    xml.put("direction", std::string(s.access));
    put_where(xml, f.kernel, s.where);
  };
  xml.element("record", [&] {
    xml.put("kind", std::string("Analysis"));
    xml.put("level", std::string(level(info(f.kind).severity)));
    xml.element("what", [&] {
      xml.put("text", std::string("Race condition"));
      xml.element("source", [&] { side(sides[0]); });
      xml.element("destination", [&] { side(sides[1]), xml.put("count", f.times); });
    });
  });
}

}  // namespace

void write_xml(std::ostream& out, const Report& report, const Style& style) {
  out << "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
  const std::vector<const Finding*> all = shown(report, style);
  if (all.empty()) {
    out << "<ComputeSanitizerOutput/>\n";
    return;
  }
  Xml xml(out);
  xml.element("ComputeSanitizerOutput", [&] {
    for (size_t i = 0; i < all.size() && (style.limit == 0 || i < style.limit); ++i) {
      const Finding& f = *all[i];
      if (!is_race(f)) {
        put_report(xml, f, report, style);
        continue;
      }
      if (style.races != Races::Analysis) put_hazard(xml, f);
      if (style.races != Races::Hazard) put_analysis(xml, f);
    }
  });
}

}  // namespace drywarp::profilers::sanitizer
