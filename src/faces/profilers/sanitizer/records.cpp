#include "faces/profilers/sanitizer/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/events/kernel_name.h"

namespace drywarp::profilers::sanitizer {
namespace {

// Kinds that compute-sanitizer has words for; the others are said in drywarp's.
struct KindText {
  FindingKind kind;
  const char* access;   // what is wrong with one: "out of bounds"; null: no access
  const char* barrier;  // what is wrong at one: "Missing init"
};
constexpr KindText kTexts[] = {
    {FindingKind::OutOfBounds, "out of bounds", nullptr},
    {FindingKind::UseAfterFree, "out of bounds", nullptr},
    {FindingKind::NullPointer, "out of bounds", nullptr},
    {FindingKind::WildPointer, "out of bounds", nullptr},
    {FindingKind::ReadOnly, "read-only", nullptr},
    {FindingKind::Misaligned, "misaligned", nullptr},
    {FindingKind::NotPermitted, "not permitted", nullptr},
    {FindingKind::DivergentBarrier, nullptr, "Divergent thread(s) in warp"},
    {FindingKind::SkippedBarrier, nullptr, "Divergent thread(s) in block"},
    {FindingKind::LeftBarrier, nullptr, "Divergent thread(s) in block"},
    {FindingKind::DifferentBarriers, nullptr, "Divergent thread(s) in block"},
    {FindingKind::ExtraLanes, nullptr, "Invalid arguments"},
    {FindingKind::DifferentMasks, nullptr, "Invalid arguments"},
    {FindingKind::BarrierNotInitialized, nullptr, "Missing init"},
    {FindingKind::BarrierOverflow, nullptr, "Barrier overflow"},
    {FindingKind::BarrierOrder, nullptr, "Missing wait"},
};

const KindText* text_of(FindingKind kind) {
  const auto* found = std::ranges::find(kTexts, kind, &KindText::kind);
  return found == std::end(kTexts) ? nullptr : found;
}

struct ErrorNumber {
  std::string_view name;
  int code;
};
constexpr ErrorNumber kErrors[] = {
#define DW_ERROR(name, code, text) {"cudaError" #name, code},
#include "cuda/device/errors.def"
};

// The first of the words that the text has; empty: none.
const char* first_of(const std::string& text, std::initializer_list<const char*> words) {
  const char* first = "";
  size_t at = std::string::npos;
  for (const char* word : words)
    if (const size_t here = text.find(word); here < at) at = here, first = word;
  return first;
}

// What an access that the program's permissions forbid lacks.
std::string lacks(const std::string& direction) {
  return direction == "read"    ? "not readable"
         : direction == "write" ? "not writable"
                                : "not readable/writable with atomic operations";
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

std::optional<FailedCall> failed_call(const Finding& f) {
  // As the call's check says it: "why; cudaMemcpy returns cudaErrorInvalidValue (invalid argument)"
  constexpr std::string_view kReturns = " returns ";
  const size_t at = f.what.rfind(kReturns);
  if (!f.kernel.empty() || at == f.what.npos || f.what.back() != ')') return std::nullopt;
  FailedCall call;
  call.name = f.where.instruction;
  const std::string_view rest = std::string_view(f.what).substr(at + kReturns.size());
  const size_t open = rest.find(" (");
  const auto* known = std::ranges::find(kErrors, rest.substr(0, open), &ErrorNumber::name);
  if (call.name.empty() || open == rest.npos || known == std::end(kErrors)) return std::nullopt;
  call.error = known->name, call.code = known->code, call.message = rest.substr(open + 2, rest.size() - open - 3);
  const size_t own = at - std::min(at, call.name.size());  // where the call's name begins
  if (own > 2) call.why = f.what.substr(0, own - 2);
  return call;
}

Record record_of(const Finding& f) {
  Record r;
  const KindText* known = text_of(f.kind);
  r.access.space = first_of(f.what, {"global", "shared", "local", "constant", "parameter"});
  r.access.direction = first_of(f.what, {"read", "write", "atomic"});
  r.call = failed_call(f);
  bool said = true;
  if (r.call) {
    r.title = fmt::format("Program hit {} (error {}) due to \"{}\" on CUDA API call to {}.", r.call->error,
                          r.call->code, r.call->message, r.call->name);
    if (!r.call->why.empty()) r.details.push_back(r.call->why);
  } else if (known && known->access) {
    r.title = fmt::format("Invalid __{}__ {} of size {} bytes", r.access.space, r.access.direction, f.bytes);
    r.error = f.kind == FindingKind::NotPermitted ? lacks(r.access.direction) : known->access;
    r.details.push_back(f.address ? fmt::format("Access to {:#x} is {}", *f.address, r.error)
                                  : fmt::format("Access is {}", r.error));
    if (std::string where = nearest(f); !where.empty()) r.details.push_back(std::move(where));
  } else if (f.kind == FindingKind::ApiError && f.where.instruction.starts_with("nvtx")) {
    r.title = fmt::format("Warning: Call to {} failed: One or more of the parameters is invalid", f.where.instruction);
    said = false;
  } else if (f.kind == FindingKind::BadFree && f.what.ends_with(" that has been freed")) {
    r.error = "Device-side double free";
    r.title = "Malloc/Free Error encountered : " + r.error;
    if (f.address) r.details.push_back(fmt::format("Address {:#x}", *f.address));
  } else if (f.kind == FindingKind::Uninitialized) {
    r.title = fmt::format("Uninitialized __{}__ memory read of size {} bytes", r.access.space, f.bytes);
    if (f.address) r.details.push_back(fmt::format("Address {:#x}", *f.address));
  } else if (f.kind == FindingKind::UnwrittenCopy) {
    r.title = fmt::format("Host API memory access error at host access of size {} bytes", f.bytes);
    if (f.address)
      r.details.push_back(fmt::format("Uninitialized access to {:#x} on access by cudaMemcpy source", *f.address));
  } else if (f.kind == FindingKind::Leak) {
    r.title = fmt::format("Leaked {} bytes", grouped(f.allocation ? f.allocation->size : 0));
  } else {
    said = known != nullptr;
    if (info(f.kind).tool == CheckTool::Synccheck) {
      r.error = known ? known->barrier : capital(info(f.kind).title);
      r.title = fmt::format("Barrier error detected. {}.", r.error);
    } else {
      r.title = capital(info(f.kind).title) + '.';
    }
  }
  std::string_view rest = said ? std::string_view() : f.what;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    r.details.emplace_back(line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return r;
}

bool is_race(const Finding& f) { return info(f.kind).tool == CheckTool::Racecheck && f.other; }

std::array<Side, 2> sides_of(const Finding& f) {
  const Side own{race_access(f.what), f.where, f.thread};
  const Side other{race_access(f.other->what), f.other->where, f.other->thread};
  if (f.where.ptx_line <= f.other->where.ptx_line) return {own, other};
  return {other, own};
}

const char* hazard(const std::array<Side, 2>& sides) {
  const bool writes = *sides[0].access == 'W', rewrites = *sides[1].access == 'W';
  return writes && rewrites ? "WAW" : writes ? "RAW" : "WAR";
}

HostStack host_stack(const Finding& f, const Style& style) {
  HostStack stack;
  if (!style.host_frames) return stack;
  if (!f.kernel.empty()) {
    stack = {"kernel launch time", f.launched};
  } else if (f.where.line != 0) {
    stack = {"error", f.launched};
    if (stack.frames.empty()) stack.frames = {{"", f.where.file, f.where.line}};
  } else if (f.allocation && !f.allocation->calls.empty()) {
    stack = {"allocation time", f.allocation->calls};
  } else if (f.allocation) {
    const std::string_view made = f.allocation->made;  // "app.cu:40 in main"
    const size_t in = std::min(made.find(" in "), made.size()), colon = made.rfind(':', in);
    HostFrame frame{std::string(made.substr(std::min(made.size(), in + 4))), "", 0};
    if (colon == made.npos ||
        std::from_chars(made.data() + colon + 1, made.data() + in, frame.line).ptr != made.data() + in)
      return stack;
    frame.file = made.substr(0, colon);
    stack = {"allocation time", {std::move(frame)}};
  }
  if (style.host_callers != 0 && stack.frames.size() > style.host_callers) stack.frames.resize(style.host_callers);
  return stack;
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
