// What checks find in launches: plain data, the same in every run. Addresses count from the start of the device's, the
// block's or the thread's memory, never from the host's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/events/counts.h"
#include "base/support/result.h"

namespace drywarp {

enum class CheckTool : uint8_t { Memcheck, Racecheck, Initcheck, Synccheck, Leakcheck };
inline constexpr unsigned kCheckTools = 5;

enum class FindingKind : uint8_t {
#define DW_FINDING(kind, key, tool, severity, title) kind,
#include "base/events/finding_kinds.def"
};

struct FindingKindInfo {
  FindingKind kind;
  const char* key;
  CheckTool tool;
  Severity severity;
  const char* title;
};
[[nodiscard]] const FindingKindInfo& info(FindingKind kind);
[[nodiscard]] std::span<const FindingKindInfo> finding_kinds();
[[nodiscard]] const char* name(CheckTool tool);  // "memcheck"
[[nodiscard]] std::optional<CheckTool> parse_check_tool(std::string_view text);
[[nodiscard]] const char* name(Severity severity);  // "error"

// A line of a kernel; or a call of the program, whose `file` is its callers ("app+0x1234|app+0x1200") until a
// symbolizer has found the line.
struct CodeLine {
  std::string file;                 // empty: not known
  uint32_t line = 0, ptx_line = 0;  // 0: not known
  std::string instruction;          // PTX; of a call: what it does
  bool operator==(const CodeLine&) const = default;
};
// "src/app.cu:12", "PTX line 31" without a source line, "" without either
[[nodiscard]] std::string to_string(const CodeLine& line);
// Of an instruction.
[[nodiscard]] CodeLine code_line(const KernelInfo& kernel, const InstructionInfo& instruction);

struct ThreadPlace {
  std::array<uint32_t, 3> block{}, thread{};
  bool operator==(const ThreadPlace&) const = default;
};
[[nodiscard]] std::string to_string(const ThreadPlace& place);  // "thread (3,0,0) of block (1,0,0)"

// A call of the host's on the way to a launch, an allocation or another call. Without a line, `file` is an address of
// the program, "app+0x1234", which a symbolizer has not seen yet or does not know.
struct HostFrame {
  std::string function, file;
  uint32_t line = 0;
  bool operator==(const HostFrame&) const = default;
};
struct FoundAllocation {
  uint64_t id = 0;                    // 1, 2, 3 ... in order of allocation
  uint64_t size = 0;                  // bytes
  std::string what;                   // "a device allocation"
  std::string made;                   // where: "cudaMalloc at app.cu:40"; empty: not known
  std::vector<HostFrame> calls = {};  // that led there, the innermost first; a symbolizer fills them in
  bool operator==(const FoundAllocation&) const = default;
};

// The access that a finding's own races with; of memory that nothing has written, what uses the value.
struct OtherAccess {
  std::string what;  // "write of 4 bytes"; "steers a branch"
  CodeLine where;
  std::optional<ThreadPlace> thread;  // none: of no thread, or not known
  std::string kernel = {};            // empty: the finding's own, or none
  // The host's calls that led to the other one's operation, the innermost first; empty: it is the finding's, or not
  // known.
  std::vector<HostFrame> launched = {};
  bool operator==(const OtherAccess&) const = default;
};

// "app.cu:12 in main", as far as it is known.
[[nodiscard]] std::string to_string(const HostFrame& frame);

struct Finding {
  FindingKind kind{};
  std::string kernel;  // for people; empty: of no kernel
  CodeLine where;
  std::optional<ThreadPlace> thread;  // of the first, in the lowest block
  std::string what;                   // a sentence without its end: "invalid global read of 4 bytes"
  std::optional<uint64_t> address;
  uint32_t bytes = 0;  // of an access; 0: none
  std::optional<FoundAllocation> allocation;
  std::optional<OtherAccess> other;
  uint64_t times = 1;  // that it happened: threads of accesses, or barriers
  std::vector<HostFrame>
      launched;  // the host's calls that led to the kernel, or the call; the innermost first; empty: not known
  bool operator==(const Finding&) const = default;
};

// Whether reports show them as one.
[[nodiscard]] bool same_place(const Finding& a, const Finding& b);
// Adds findings to those of earlier launches: one for each kind, kernel and line, and the other access's line. The
// earlier one stays, with the sum of the times.
void add(std::vector<Finding>& findings, std::span<const Finding> more);
// By file and line, then by kernel and kind: the order of reports.
void sort(std::vector<Finding>& findings);

// To one line of text, without a newline, and back.
[[nodiscard]] std::string to_line(const Finding& finding);
Result<Finding> parse_finding(std::string_view line);

}  // namespace drywarp
