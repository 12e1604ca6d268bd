#include "model/sm/units/stall_counts.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace drywarp::sm {
namespace {

bool is_fixed(const Decoded& d) {
  return d.action == Action::Compute && d.queue == Queue::None && !d.variable && d.pipe != machine::Pipe::Cbu;
}

uint32_t number_of(ScoreboardPlace p) { return p.line * kScoreboardLine + p.place; }

}  // namespace

void set_stall_counts(std::span<Decoded> block, const machine::MachineModel& model) {
  const std::array<Cycles, kExtraLatencies> extra{0, model.branch_predicate_cycles, model.other_pipe_cycles};
  std::unordered_map<uint32_t, Cycles> ready;  // registers with results of fixed latency
  std::array<Cycles, machine::kSpacedKinds> spaced{};
  Cycles now = 0;  // of an instruction's issue, if the warp waits for nothing else
  for (size_t i = 0; i < block.size(); ++i) {
    const Decoded& d = block[i];
    if (i != 0) {
      Decoded& before = block[i - 1];
      Cycles at = now + before.next_issue[unsigned(d.pipe) == before.known_pipe ? 1 : 0];
      at = std::max(at, spaced[unsigned(d.spaced_after)]);
      for (unsigned r = 0; r < d.both; ++r)
        if (const auto found = ready.find(number_of(d.registers[r])); found != ready.end())
          at = std::max(at, found->second + extra[unsigned(d.registers[r].extra)]);
      before.stall = static_cast<float>(at - now);
      now = at;
    }
    if (d.spacing_kind != machine::Spacing::None)
      spaced[unsigned(d.spacing_kind)] = now + model.spacing[unsigned(d.spacing_kind)];
    for (unsigned r = d.reads; r < d.both; ++r)
      if (is_fixed(d))
        ready[number_of(d.registers[r])] = now + d.latency;
      else
        ready.erase(number_of(d.registers[r]));
  }
}

}  // namespace drywarp::sm
