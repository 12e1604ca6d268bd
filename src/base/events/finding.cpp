#include "base/events/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <tuple>

namespace drywarp {
namespace {

constexpr FindingKindInfo kFindingKinds[] = {
#define DW_FINDING(kind, key, tool, severity, title) \
  {FindingKind::kind, key, CheckTool::tool, Severity::severity, title},
#include "base/events/finding_kinds.def"
};
constexpr const char* kTools[kCheckTools] = {"memcheck", "racecheck", "initcheck", "synccheck", "leakcheck"};
constexpr const char* kSeverities[] = {"error", "warning", "note"};

// Without a source line, code is known by its line of PTX.
auto place_of(const CodeLine& c) { return std::tuple(std::string_view(c.file), c.line, c.line == 0 ? c.ptx_line : 0); }

auto identity(const Finding& f) {
  static const CodeLine none;
  // An uninitialized value is one finding, whatever uses it.
  const bool pairs = f.other && info(f.kind).tool != CheckTool::Initcheck;
  return std::tuple(place_of(f.where), std::string_view(f.kernel), f.kind, place_of(pairs ? f.other->where : none),
                    f.allocation && f.kernel.empty() ? f.allocation->id : 0);
}

// ---- one line: fields behind tabs

void put(std::string& line, std::string_view text) {
  for (const char c : text) switch (c) {
      case '\\':
        line += "\\\\";
        break;
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      default:
        line += c;
    }
  line += '\t';
}
void put(std::string& line, uint64_t number) { line += fmt::format("{}\t", number); }
void put(std::string& line, const CodeLine& c) {
  put(line, c.file), put(line, c.line), put(line, c.ptx_line), put(line, c.instruction);
}
void put(std::string& line, const HostFrame& h) {
  put(line, h.function), put(line, h.file), put(line, uint64_t{h.line});
}
void put(std::string& line, const ThreadPlace& t) {
  for (const uint32_t n : t.block) put(line, n);
  for (const uint32_t n : t.thread) put(line, n);
}

class Fields {
 public:
  explicit Fields(std::string_view line) : line_(line) {}
  [[nodiscard]] bool good() const { return good_ && line_.empty(); }
  [[nodiscard]] bool more() const { return good_ && !line_.empty(); }
  std::string text() {
    const size_t end = line_.find('\t');
    good_ = good_ && end != line_.npos;
    if (!good_) return {};
    std::string out;
    for (size_t i = 0; i < end; ++i) {
      char c = line_[i];
      if (c == '\\' && i + 1 < end) {
        c = line_[++i];
        c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
      }
      out += c;
    }
    line_.remove_prefix(end + 1);
    return out;
  }
  uint64_t number(uint64_t most = ~uint64_t{0}) {
    const std::string field = text();
    uint64_t value = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
    good_ = good_ && problem == std::errc() && end == field.data() + field.size() && value <= most;
    return value;
  }
  uint32_t small() { return static_cast<uint32_t>(number(~0u)); }
  CodeLine code_line() {
    CodeLine c;
    c.file = text(), c.line = small(), c.ptx_line = small(), c.instruction = text();
    return c;
  }
  HostFrame frame() {
    HostFrame h;
    h.function = text(), h.file = text(), h.line = small();
    return h;
  }
  ThreadPlace thread() {
    ThreadPlace t;
    for (uint32_t& n : t.block) n = small();
    for (uint32_t& n : t.thread) n = small();
    return t;
  }

 private:
  std::string_view line_;
  bool good_ = true;
};

}  // namespace

const FindingKindInfo& info(FindingKind kind) { return kFindingKinds[static_cast<size_t>(kind)]; }
std::span<const FindingKindInfo> finding_kinds() { return kFindingKinds; }
const char* name(CheckTool tool) { return kTools[static_cast<size_t>(tool)]; }
const char* name(Severity severity) { return kSeverities[static_cast<size_t>(severity)]; }

std::optional<CheckTool> parse_check_tool(std::string_view text) {
  const auto* found = std::ranges::find(kTools, text);
  if (found == std::end(kTools)) return std::nullopt;
  return static_cast<CheckTool>(found - kTools);
}

std::string to_string(const CodeLine& c) {
  if (c.line != 0) return fmt::format("{}:{}", c.file, c.line);
  return c.ptx_line != 0 ? fmt::format("PTX line {}", c.ptx_line) : std::string();
}

namespace {

// The text of an instruction may have tabs, and calls have a line for each operand.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)))
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  return line;
}

}  // namespace

CodeLine code_line(const KernelInfo& kernel, const InstructionInfo& i) {
  CodeLine c{{}, 0, i.ptx_line, one_line(i.text)};
  if (i.line != 0 && i.file < kernel.files.size()) c.file = kernel.files[i.file], c.line = i.line;
  return c;
}

std::string to_string(const ThreadPlace& p) {
  return fmt::format("thread ({},{},{}) of block ({},{},{})", p.thread[0], p.thread[1], p.thread[2], p.block[0],
                     p.block[1], p.block[2]);
}

std::string to_string(const HostFrame& f) {
  const std::string place = f.line != 0 ? fmt::format("{}:{}", f.file, f.line) : f.function.empty() ? f.file : "";
  return fmt::format("{}{}{}", place, place.empty() || f.function.empty() ? "" : " in ", f.function);
}

bool same_place(const Finding& a, const Finding& b) { return identity(a) == identity(b); }

void add(std::vector<Finding>& findings, std::span<const Finding> more) {
  for (const Finding& f : more) {
    const auto known = std::ranges::find_if(findings, [&](const Finding& o) { return same_place(o, f); });
    if (known == findings.end())
      findings.push_back(f);
    else
      known->times += f.times;
  }
}

void sort(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) { return identity(a) < identity(b); });
}

std::string to_line(const Finding& f) {
  std::string line;
  put(line, static_cast<uint64_t>(f.kind)), put(line, f.kernel), put(line, f.where), put(line, f.what);
  put(line, uint64_t{f.bytes}), put(line, f.times);
  put(line, uint64_t{f.thread.has_value()}), put(line, f.thread.value_or(ThreadPlace{}));
  put(line, uint64_t{f.address.has_value()}), put(line, f.address.value_or(0));
  const FoundAllocation a = f.allocation.value_or(FoundAllocation{});
  put(line, uint64_t{f.allocation.has_value()}), put(line, a.id), put(line, a.size), put(line, a.what);
  put(line, a.made);
  const OtherAccess o = f.other.value_or(OtherAccess{});
  put(line, uint64_t{f.other.has_value()}), put(line, o.what), put(line, o.where), put(line, o.kernel);
  put(line, uint64_t{o.thread.has_value()}), put(line, o.thread.value_or(ThreadPlace{}));
  for (const HostFrame& h : f.launched) put(line, h);
  // Behind an empty frame those of the other one: lines of older profiles have none.
  if (!o.launched.empty()) put(line, HostFrame{});
  for (const HostFrame& h : o.launched) put(line, h);
  return line;
}

Result<Finding> parse_finding(std::string_view line) {
  Fields fields(line);
  Finding f;
  f.kind = static_cast<FindingKind>(fields.number(std::size(kFindingKinds) - 1));
  f.kernel = fields.text(), f.where = fields.code_line(), f.what = fields.text();
  f.bytes = fields.small(), f.times = fields.number();
  const bool has_thread = fields.number(1) != 0;
  const ThreadPlace thread = fields.thread();
  if (has_thread) f.thread = thread;
  const bool has_address = fields.number(1) != 0;
  const uint64_t address = fields.number();
  if (has_address) f.address = address;
  const bool has_allocation = fields.number(1) != 0;
  FoundAllocation a;
  a.id = fields.number(), a.size = fields.number(), a.what = fields.text(), a.made = fields.text();
  if (has_allocation) f.allocation = std::move(a);
  const bool has_other = fields.number(1) != 0;
  OtherAccess o;
  o.what = fields.text(), o.where = fields.code_line(), o.kernel = fields.text();
  const bool other_thread = fields.number(1) != 0;
  const ThreadPlace by = fields.thread();
  if (other_thread) o.thread = by;
  std::vector<HostFrame>* frames = &f.launched;
  while (fields.more()) {
    HostFrame h = fields.frame();
    if (h == HostFrame{})
      frames = &o.launched;
    else
      frames->push_back(std::move(h));
  }
  if (has_other) f.other = std::move(o);
  if (!fields.good()) return error("malformed finding");
  return f;
}

}  // namespace drywarp
