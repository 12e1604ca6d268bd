// Latencies and rates of a GPU from its device file: members and units from timing_numbers.def. A number that is
// neither published nor measured is absent; needs_numbers() reports it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace drywarp::device {

#define DW_TABLE(type, table, text) struct type {
#define DW_TABLE_END(type, table) \
  }                               \
  ;
#define DW_COUNT(table, member, unit, least, most, text) std::optional<uint64_t> member;
#define DW_REAL(table, member, unit, least, most, text) std::optional<double> member;
#define DW_FLAG(table, member, unit, text) std::optional<bool> member;
#include "base/device/timing_numbers.def"

struct TimingNumbers {
  // Cycles from the issue of an instruction to the issue of the first that needs its result ([latency]), and cycles
  // that a warp's instruction occupies its pipe in a sub-partition ([issue]; may be fractional). Keys are timing
  // classes of base/device/operations.def ("fma_f32"); a mnemonic ("POPC") is for that operation alone.
  std::map<std::string, double, std::less<>> latency, issue;

#define DW_TABLE(type, table, text) type table;
#include "base/device/timing_numbers.def"

  // The number of an operation: its own if the file has one, else its class's.
  [[nodiscard]] std::optional<double> latency_of(std::string_view timing_class, std::string_view mnemonic = {}) const;
  [[nodiscard]] std::optional<double> issue_of(std::string_view timing_class, std::string_view mnemonic = {}) const;
  // Any number by its path in the file: "l2.latency_far", "latency.fma_f32". Flags are 0 and 1. nullopt: absent, or no
  // such path.
  [[nodiscard]] std::optional<double> number(std::string_view path) const;
};

struct TimingNumberInfo {
  const char* table;   // "l2"
  const char* member;  // "latency_far"
  const char* path;    // "l2.latency_far"
  const char* unit;    // "cycles"; empty for flags
  const char* text;    // what it is
  enum class Kind : uint8_t { Count, Real, Flag } kind;
  double least, most;  // bounds in a device file; 0 and 1 for flags
};
// Bounds of every number of [latency] and of [issue], in cycles.
inline constexpr double kLeastOperationCycles = 0, kMostOperationCycles = 1e5;
struct TimingTableInfo {
  const char* name;  // "l2"
  const char* text;
};
// In the order of timing_numbers.def; without [latency] and [issue].
[[nodiscard]] std::span<const TimingNumberInfo> timing_numbers();
[[nodiscard]] std::span<const TimingTableInfo> timing_tables();
[[nodiscard]] std::string bound_text(double bound);  // 0.001, 16777216, 1e+15

// Sets the number at `path`, which is one of timing_numbers() or "latency.KEY", "issue.KEY". False: there is none.
bool set_number(TimingNumbers& numbers, std::string_view path, double value);
void clear_number(TimingNumbers& numbers, std::string_view path);  // afterwards it is not known

}  // namespace drywarp::device
