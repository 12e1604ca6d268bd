#include "profile/store/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/support/coder.h"

namespace drywarp::store {

using namespace coding;

namespace {

// The counts of a memory instruction in files up to format 7, which do not name them.
constexpr const char* kUnnamedCounts[] = {
    "requests", "lanes", "bytes", "unique_bytes", "units", "ideal_units", "ways", "atomic_addresses", "atomic_rounds"};

std::vector<std::string> names_of_counts(bool named) {
  if (!named) return {std::begin(kUnnamedCounts), std::end(kUnnamedCounts)};
  std::vector<std::string> names;
  for (const AccessCount& count : kAccessCounts) names.emplace_back(count.name);
  return names;
}

// The members that a file's counts go to; null: a count that this reader does not know.
std::vector<uint64_t AccessCounts::*> members_of(const std::vector<std::string>& names) {
  std::vector<uint64_t AccessCounts::*> members;
  for (const std::string& name : names) {
    const auto* known = std::ranges::find_if(kAccessCounts, [&](const AccessCount& c) { return c.name == name; });
    members.push_back(known == std::end(kAccessCounts) ? nullptr : known->member);
  }
  return members;
}

template <class Coder, class Counts>
void fields_of_counts(Coder& coder, Counts& c, bool named, bool barriers) {
  all(coder, c.blocks_run, c.warps_run, c.threads_run);
  list(coder, c.blocks, [](auto& k, auto& b) { all(k, b.warps, b.lanes); });
  list(coder, c.predicates, [](auto& k, auto& p) { all(k, p.warps, p.lanes); });
  list(coder, c.branches, [](auto& k, auto& b) { all(k, b.divergent, b.taken); });
  std::vector<std::string> names = names_of_counts(named);
  if (named) list(coder, names, [](auto& k, auto& name) { all(k, name); });
  list(coder, c.accesses, [members = members_of(names)](auto& k, auto& a) {
    uint64_t unknown = 0;
    for (uint64_t AccessCounts::* member : members) field(k, member ? a.*member : unknown);
  });
  if (!barriers) return;
  list(coder, c.barrier_notes, [](auto& k, auto& n) {
    all(k, n.kind, n.code_block, n.times, n.block[0], n.block[1], n.block[2], n.warp, n.waited, n.absent);
  });
}

template <class Coder, class Kernel>
void fields_of_kernel(Coder& coder, Kernel& kernel) {
  all(coder, kernel.barriers, kernel.resources_from);
  optional(coder, kernel.spill_store_bytes);
  optional(coder, kernel.spill_load_bytes);
  list(coder, kernel.files, [](auto& k, auto& f) { all(k, f); });
  list(coder, kernel.instructions, [](auto& k, auto& i) {
    all(k, i.block, i.ptx_line, i.file, i.line, i.predicate, i.branch, i.access, i.memory, i.generic, i.load, i.store,
        i.atomic, i.barrier, i.access_bytes, i.flops, i.fma, i.add, i.mul, i.klass, i.text);
  });
}

constexpr uint64_t kMostInstructions = 1u << 20;  // more than any kernel has: detects damaged counts

}  // namespace

std::string encode(const sm::Summary& time) {
  Encoder coder;
  coder.number(sm::summary_fields().size());
  for (const sm::SummaryField& f : sm::summary_fields()) {
    coder.text(std::string(f.name));
    coder.number(std::bit_cast<uint64_t>(f.in(time)));
  }
  return std::move(coder.bytes);
}

Result<sm::Summary> decode_time(std::string_view bytes) {
  Decoder coder(bytes);
  sm::Summary time;
  for (size_t n = coder.count(); n > 0; --n) {
    const std::string name = coder.text();
    const double value = std::bit_cast<double>(coder.number());
    const auto known = std::ranges::find(sm::summary_fields(), name, &sm::SummaryField::name);
    if (known != sm::summary_fields().end()) known->in(time) = value;
  }
  if (auto s = coder.status(); !s) return s.problem();
  return time;
}

// Format: the names of the stalls; the number of instructions; then for each that ran its distance from the previous
// one, machine instructions issued, the number of stalls, and each stall as its number and cycles.
std::string encode(const std::vector<sm::InstructionTiming>& instructions) {
  Encoder coder;
  coder.number(sm::kStalls);
  for (unsigned k = 0; k < sm::kStalls; ++k) coder.text(sm::name(static_cast<sm::Stall>(k)));
  coder.number(instructions.size());
  uint64_t before = 0;
  for (size_t i = 0; i < instructions.size(); ++i) {
    const sm::InstructionTiming& in = instructions[i];
    std::array<uint64_t, sm::kStalls> cycles{};
    std::ranges::transform(in.stalls, cycles.begin(),
                           [](double c) { return uint64_t(std::llround(std::max(c, 0.0))); });
    const auto stalls = uint64_t(sm::kStalls - std::ranges::count(cycles, 0u));
    if (in.issued == 0 && stalls == 0) continue;
    coder.number(i - before), coder.number(in.issued), coder.number(stalls);
    for (unsigned k = 0; k < sm::kStalls; ++k)
      if (cycles[k] != 0) coder.number(k), coder.number(cycles[k]);
    before = i;
  }
  return std::move(coder.bytes);
}

Result<std::vector<sm::InstructionTiming>> decode_instruction_times(std::string_view bytes) {
  Decoder coder(bytes);
  std::vector<unsigned> known(coder.count());  // stalls by the writer's numbers; kStalls: not known to this reader
  for (unsigned& stall : known) {
    const std::string text = coder.text();
    for (stall = 0; stall < sm::kStalls && text != sm::name(static_cast<sm::Stall>(stall));) ++stall;
  }
  const uint64_t size = coder.number();
  if (size > kMostInstructions) return error("a record is damaged");
  std::vector<sm::InstructionTiming> instructions(size);
  for (uint64_t i = 0; !coder.at_end();) {
    i += coder.number();
    const uint64_t issued = coder.number();
    if (i >= size) return error("a record is damaged");
    instructions[i].issued = issued;
    for (size_t n = coder.count(); n > 0; --n) {
      const uint64_t stall = coder.number(), cycles = coder.number();
      if (stall >= known.size()) return error("a record is damaged");
      if (known[stall] < sm::kStalls) instructions[i].stalls[known[stall]] = static_cast<double>(cycles);
    }
  }
  if (auto s = coder.status(); !s) return s.problem();
  return instructions;
}

std::string encode(const std::vector<machine::StandIn>& stand_ins) {
  std::string text;
  for (const machine::StandIn& s : stand_ins) text.append(s.number).append("\t").append(s.by).append("\n");
  return text;
}

std::string encode(const std::vector<sm::Alternative>& alternatives) {
  std::string text;
  for (const sm::Alternative& a : alternatives) text += fmt::format("{}\t{}\n", a.change, a.seconds);
  return text;
}

// Lines that are no alternative are left out.
std::vector<sm::Alternative> decode_alternatives(std::string_view text) {
  std::vector<sm::Alternative> alternatives;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t tab = line.rfind('\t');
    double seconds = 0;
    if (tab == line.npos ||
        std::from_chars(line.data() + tab + 1, line.data() + line.size(), seconds).ec != std::errc())
      continue;
    alternatives.push_back({std::string(line.substr(0, tab)), seconds});
  }
  return alternatives;
}

std::vector<machine::StandIn> decode_stand_ins(std::string_view text) {
  std::vector<machine::StandIn> stand_ins;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t tab = line.find('\t');
    if (tab != line.npos) stand_ins.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
  }
  return stand_ins;
}

std::string encode(const LaunchCounts& counts) {
  Encoder coder;
  fields_of_counts(coder, counts, true, true);
  return std::move(coder.bytes);
}

Result<LaunchCounts> decode_counts(std::string_view bytes, int64_t format) {
  Decoder coder(bytes);
  LaunchCounts counts;
  fields_of_counts(coder, counts, format >= 8, format >= 9);
  if (auto s = coder.status(); !s) return s.problem();
  for (const BarrierNote& note : counts.barrier_notes)
    if (static_cast<unsigned>(note.kind) >= kBarrierNoteKinds) return error("a record is damaged");
  return counts;
}

std::string encode(const KernelInfo& kernel) {
  Encoder coder;
  fields_of_kernel(coder, kernel);
  for (const InstructionInfo& i : kernel.instructions) coder.number(i.loop_exit);
  return std::move(coder.bytes);
}

Status decode_kernel(std::string_view bytes, KernelInfo& kernel) {
  Decoder coder(bytes);
  fields_of_kernel(coder, kernel);
  // Formats before 9 end here.
  if (!coder.at_end())
    for (InstructionInfo& i : kernel.instructions) i.loop_exit = coder.number() != 0;
  if (auto s = coder.status(); !s) return s;
  for (const InstructionInfo& i : kernel.instructions)
    if (static_cast<unsigned>(i.klass) >= kInstructionClasses || static_cast<unsigned>(i.memory) >= kMemories)
      return error("a record is damaged");
  if (kernel.resources_from > kLastResourceSource) return error("a record is damaged");
  return {};
}

}  // namespace drywarp::store
