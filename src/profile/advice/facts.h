// What the rules of advice look at: the launches of one kernel together, or one launch. Metrics go by name, so that a
// GPU's counters can stand in; then there are no instructions and no lines, and a rule says less.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/events/access_sample.h"
#include "profile/advice/limiter.h"
#include "profile/metrics/sums.h"
#include "profile/record/profile.h"

namespace drywarp::advice {

// Where an access's address comes from, as far as PTX shows it.
struct AddressBase {
  std::optional<unsigned> parameter;  // the number of the kernel's pointer parameter; nothing: none, or several
  std::string symbol;                 // of shared memory, as the source names it: "tile"; empty: none, or several
  auto operator<=>(const AddressBase&) const = default;
};

// One PTX instruction.
struct InstructionFacts {
  const InstructionInfo* info = nullptr;  // not owned
  std::string file;                       // empty: not known
  metrics::Sums sums;
  sm::InstructionTiming time;            // zero: not modelled
  const AccessSample* sample = nullptr;  // its costliest access, of the traced blocks; null: not known
  AddressBase base;                      // of an access
  bool moves = false;                    // a register of its address is written more than half as often as it runs
};

struct LineFacts {
  std::string file;
  uint32_t line = 0;
  std::string source;  // its text, without indentation; empty: not known
  metrics::Sums sums;
  double time_share = 0;  // of the kernel's modelled time, 0 to 1
};

// How evenly work is spread over warps and blocks, in PTX instructions of the recorded blocks: percent.
struct Balance {
  double warps = 0;   // a block's mean warp, of its longest
  double blocks = 0;  // the mean block, of the longest
};

struct Facts {
  LimiterFacts limiter;
  MetricValue metric = [](const std::string&) { return std::nullopt; };  // any metric, by either of its names
  std::optional<Verdict> verdict;                                        // none: no times
  std::string kernel;                                                    // its name for people
  record::Extent grid, block;                                            // of the launch with the most blocks
  uint64_t shared_bytes = 0;                                             // a block: static and dynamic
  uint64_t launches = 1;
  uint32_t registers = 0;  // a thread; 0: not known
  ResourceSource registers_from = ResourceSource::Estimate;
  double spill_bytes = 0;                      // a thread
  std::optional<Balance> balance;              // none: not recorded
  std::vector<InstructionFacts> instructions;  // in PTX order, those that ran
  std::vector<LineFacts> lines;
  // Text of a source line, with its indentation; empty: not known.
  std::function<std::string(const std::string& file, uint32_t line)> source = [](const auto&, auto) {
    return std::string();
  };

  void set_resources(const sm::Summary& time);  // what the modelled time tells of registers and balance
  [[nodiscard]] const LineFacts* find_line(const std::string& file, uint32_t line) const;
};

// The accesses of one kind to one array at one source line: its unrolled copies together.
struct AccessSite {
  std::string file;
  uint32_t line = 0;
  Memory memory{};
  metrics::AccessKind kind{};
  metrics::AccessSums sums;
  const InstructionFacts* instruction = nullptr;  // the costliest copy; it has a sample if one of them has
  [[nodiscard]] const AccessSample* sample() const {
    return instruction->sample && instruction->sample->memory == memory ? instruction->sample : nullptr;
  }
  [[nodiscard]] unsigned bytes() const { return instruction->info->access_bytes; }  // a lane
};
// Those that ran, in PTX order.
[[nodiscard]] std::vector<AccessSite> access_sites(const Facts& facts, Memory memory);

}  // namespace drywarp::advice
