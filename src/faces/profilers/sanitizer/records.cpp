#include "faces/profilers/sanitizer/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/events/kernel_name.h"

namespace drywarp::profilers::sanitizer {
namespace {

// How a kind's title and detail read; kinds that are not here are said in drywarp's words.
struct KindText {
  FindingKind kind;
  const char* title;   // null: of the access
  const char* detail;  // of the address: "is out of bounds"
};
constexpr const char* kOutside = "is out of bounds";
constexpr KindText kTexts[] = {
    {FindingKind::OutOfBounds, nullptr, kOutside},
    {FindingKind::UseAfterFree, nullptr, kOutside},
    {FindingKind::NullPointer, nullptr, kOutside},
    {FindingKind::WildPointer, nullptr, kOutside},
    {FindingKind::ReadOnly, nullptr, "is read-only"},
    {FindingKind::Misaligned, nullptr, "is misaligned"},
    {FindingKind::DivergentBarrier, "Barrier error detected. Divergent thread(s) in warp.", nullptr},
    {FindingKind::SkippedBarrier, "Barrier error detected. Divergent thread(s) in block.", nullptr},
    {FindingKind::DifferentBarriers, "Barrier error detected. Divergent thread(s) in block.", nullptr},
    {FindingKind::ExtraLanes, "Barrier error detected. Invalid arguments.", nullptr},
    {FindingKind::DifferentMasks, "Barrier error detected. Invalid arguments.", nullptr},
    {FindingKind::BarrierNotInitialized, "Barrier error detected. Missing init.", nullptr},
    {FindingKind::BarrierOverflow, "Barrier error detected. Barrier overflow.", nullptr},
};

const KindText* text_of(FindingKind kind) {
  const auto* found = std::ranges::find(kTexts, kind, &KindText::kind);
  return found == std::end(kTexts) ? nullptr : found;
}

// The first of the words that the text has; empty: none.
const char* first_of(const std::string& text, std::initializer_list<const char*> words) {
  const char* first = "";
  size_t at = std::string::npos;
  for (const char* word : words)
    if (const size_t here = text.find(word); here < at) at = here, first = word;
  return first;
}

// "1,024"
std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

// Where the address lies: "and is 1 bytes after the nearest allocation at 0x100 of size 256 bytes". Findings say it in
// words, "0 bytes past the end of a device allocation of 256 bytes", since their addresses are no program's.
std::string nearest(const Finding& f) {
  if (!f.allocation || !f.address) return {};
  const size_t colon = f.what.find(": ");
  uint64_t bytes = 0;
  if (colon == std::string::npos) return {};
  const char* const begin = f.what.data() + colon + 2;
  const auto [end, problem] = std::from_chars(begin, f.what.data() + f.what.size(), bytes);
  if (problem != std::errc()) return {};
  const std::string rest(end, f.what.data() + f.what.size());
  const bool before = rest.find(" before ") != std::string::npos, past = rest.find(" past ") != std::string::npos;
  const uint64_t size = f.allocation->size;
  const uint64_t base = before ? *f.address + bytes : *f.address - bytes - (past ? size : 0);
  const std::string allocation = fmt::format("allocation at {:#x} of size {} bytes", base, grouped(size));
  if (before) return fmt::format("and is {} bytes before the nearest {}", grouped(bytes), allocation);
  if (past) return fmt::format("and is {} bytes after the nearest {}", grouped(bytes + 1), allocation);
  return fmt::format("and is inside the {} {}", f.kind == FindingKind::UseAfterFree ? "freed" : "nearest", allocation);
}

const char* xml_kind(const Finding& f) {
  constexpr const char* kKinds[kCheckTools] = {"Precise", "Race", "Initcheck", "Synccheck", "Leak"};
  return kKinds[static_cast<size_t>(info(f.kind).tool)];
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

const char* level(Severity severity) {
  return severity == Severity::Error ? "Error" : severity == Severity::Warning ? "Warning" : "Info";
}

const char* race_access(const std::string& what) {
  return *first_of(what, {"write", "atomic"}) != '\0' && what.find("read") > what.find("write") ? "Write" : "Read";
}

Record record_of(const Finding& f) {
  Record r;
  r.finding = &f;
  r.kind = xml_kind(f);
  const KindText* known = text_of(f.kind);
  r.access.space = first_of(f.what, {"global", "shared", "local", "constant", "parameter"});
  r.access.direction = first_of(f.what, {"read", "write", "atomic"});
  if (known && known->title) {
    r.title = known->title;
  } else if (known) {
    r.title = fmt::format("Invalid __{}__ {} of size {} bytes", r.access.space, r.access.direction, f.bytes);
    r.error = known->detail;
    r.details.push_back(f.address ? fmt::format("Access to {:#x} {}", *f.address, known->detail)
                                  : fmt::format("Access {}", known->detail));
    if (std::string where = nearest(f); !where.empty()) r.details.push_back(std::move(where));
  } else if (f.kind == FindingKind::Uninitialized) {
    r.title = fmt::format("Uninitialized __{}__ memory read of size {} bytes", r.access.space, f.bytes);
    if (f.address) r.details.push_back(fmt::format("Address {:#x}", *f.address));
  } else if (f.kind == FindingKind::Leak) {
    r.title = fmt::format("Leaked {} bytes", grouped(f.allocation ? f.allocation->size : 0));
  } else if (info(f.kind).tool == CheckTool::Synccheck) {
    r.title = fmt::format("Barrier error detected. {}.", capital(info(f.kind).title));
  } else {
    r.title = capital(info(f.kind).title) + '.';
  }
  const bool said = known || f.kind == FindingKind::Uninitialized || f.kind == FindingKind::Leak;
  if (!said && !f.what.empty()) {
    std::string_view rest = f.what;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      r.details.emplace_back(line);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
  }
  return r;
}

std::string function(const std::string& kernel, const Style& style) {
  if (!style.parameters) return function_name(kernel);
  std::string name;
  for (const char c : kernel) {
    if (c == '*' && !name.empty() && name.back() != ' ' && name.back() != '*') name += ' ';
    name += c;
  }
  return name;
}

std::string file_name(const std::string& path, const Style& style) {
  return style.paths ? path : std::filesystem::path(path).filename().string();
}

std::string place(const std::string& kernel, const CodeLine& where, const Style& style) {
  std::string text = function(kernel, style);
  if (where.line != 0)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " in ", file_name(where.file, style), where.line);
  return text;
}

}  // namespace drywarp::profilers::sanitizer
