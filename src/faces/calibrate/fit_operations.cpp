// Latency and issue rates of instructions from chains and floods (cuda/operations.cu).
#include <fmt/format.h>

#include <cmath>

#include "faces/calibrate/fit_steps.h"

namespace drywarp::calibrate {
namespace {

// A number of [latency] or [issue]: the cycles of one step of `chain`, less those of the step's other instruction
// `known`, divided by `parts` if the step has several equal instructions. `mnemonics`: together they must occur in the
// machine code at least once for each step; otherwise the assembler generated other instructions.
struct ChainNumber {
  const char* key;
  const char* chain;
  const char* mnemonics;  // separated by |
  const char* known;      // a key, or nullptr
  double parts = 1;
};

constexpr ChainNumber kChains[] = {
    {"alu", "Prmt", "PRMT", nullptr},           {"shift", "Shf", "SHF", nullptr},
    {"fma_f32", "Ffma", "FFMA", nullptr},       {"imad", "Imad", "IMAD|XMAD", nullptr},
    {"imad_wide", "ImadWide", "IMAD", nullptr}, {"half", "Hfma2", "HFMA2", nullptr},
    {"HADD2", "Hadd2", "HADD2|HFMA2", nullptr}, {"HMUL2", "Hmul2", "HMUL2|HFMA2", nullptr},
    {"double", "Dfma", "DFMA", nullptr},        {"DADD", "Dadd", "DADD", nullptr},
    {"DMUL", "Dmul", "DMUL", nullptr},          {"transcendental", "MufuRsq", "MUFU", nullptr},
    {"convert", "F2iI2f", "F2I", "alu"},        {"F2F", "F2fWidenNarrow", "F2F", nullptr, 2},
    {"bit_count", "Popc", "POPC", nullptr},     {"shuffle", "Shfl", "SHFL", nullptr},
    {"vote", "SetVote", "VOTE", "alu"},         {"redux", "Redux", "REDUX", nullptr},
    {"match", "MatchAll", "MATCH", nullptr},
};

constexpr unsigned kChainLength = 160, kFloodLength = 64 * 4;  // operations.cu

// Whether the machine code of the kernel `kind`<chain, steps> has at least `wanted` of the instructions.
bool has_instructions(const RawResults& raw, const char* kind, const ChainNumber& c, unsigned steps, unsigned wanted) {
  if (raw.sass.empty()) return true;  // no cuobjdump on that machine
  const std::string mark = fmt::format("{}{}ELi{}E", std::string_view(c.chain).size(), c.chain, steps);
  for (const auto& [kernel, counts] : raw.sass) {
    if (kernel.find(mark) == kernel.npos || kernel.find(kind) == kernel.npos) continue;
    unsigned found = 0;
    std::string_view rest = c.mnemonics;
    while (!rest.empty()) {
      const size_t bar = std::min(rest.find('|'), rest.size());
      if (const auto count = counts.find(std::string(rest.substr(0, bar))); count != counts.end())
        found += count->second;
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
    return found >= wanted;
  }
  return false;
}

}  // namespace

// A pipe processes a power of two lanes a cycle; loops and barriers add up to an eighth. A value further off is kept as
// measured: operands can delay an instruction.
double snapped_to_power_of_two(double cycles) {
  const double power = std::exp2(std::round(std::log2(cycles)));
  return std::abs(cycles / power - 1) < 0.125 ? power : std::round(cycles * 100) / 100;
}

void fit_operations(const RawResults& raw, Calibration& out) {
  const double partitions = raw.value("multiprocessor.sub_partitions").value_or(4);
  const auto alu = raw.value("latency.Prmt"), mixed = raw.value("latency.AddXor");
  // The chain alternates an addition in the multiply-add pipe and an exclusive or in the other pipe.
  double other = 0;
  if (alu && mixed) {
    other = std::round(*mixed / 2 - *alu);
    set(out, "scheduler.other_pipe_cycles", other);
  }
  for (const ChainNumber& c : kChains) {
    const auto latency = raw.value(fmt::format("latency.{}", c.chain)),
               rate = raw.value(fmt::format("issue.{}", c.chain));
    if (!latency || !rate) {
      out.missing.push_back(fmt::format("[latency] {}: the results have no chain {}", c.key, c.chain));
      continue;
    }
    if (!has_instructions(raw, "chain", c, kChainLength, kChainLength) ||
        !has_instructions(raw, "flood", c, 64, kFloodLength)) {
      out.missing.push_back(
          fmt::format("[latency] {}: the machine code has other instructions than {}", c.key, c.mnemonics));
      continue;
    }
    double cycles = *latency / c.parts, occupied = *rate * partitions / c.parts;
    if (c.known) {
      // Both instructions pass their results to another pipe.
      cycles -=
          out.find(fmt::format("latency.{}", c.known))->value + (c.key == std::string_view("vote") ? 0 : 2 * other);
      // In one pipe the times add up; in two pipes the longer one counts.
      const double known = out.find(fmt::format("issue.{}", c.known))->value;
      if (c.key == std::string_view("vote")) occupied -= known;
    }
    set(out, fmt::format("latency.{}", c.key), std::round(cycles));
    set(out, fmt::format("issue.{}", c.key), snapped_to_power_of_two(occupied));
  }
  const auto one = raw.value("latency.MatchAll"), of_each_lane = raw.value("latency.MatchAny");
  if (one && of_each_lane) set(out, "scheduler.match_value_cycles", std::round((*of_each_lane - *one) / 31));
  if (const auto* fma = out.find("issue.fma_f32")) {
    set(out, "rates.fp32_lanes", std::round(32 * partitions / fma->value));
    set(out, "scheduler.issue_per_cycle", 1 / fma->value);
    set(out, "scheduler.dual_issue", fma->value < 0.75);
  }
  if (const auto* add = out.find("issue.DADD")) set(out, "rates.fp64_lanes", std::round(32 * partitions / add->value));
}

}  // namespace drywarp::calibrate
