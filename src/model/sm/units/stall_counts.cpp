#include "model/sm/units/stall_counts.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace drywarp::sm {
namespace {

bool is_fixed(const Decoded& d) {
  return d.action == Action::Compute && d.queue == Queue::None && !d.variable && d.pipe != machine::Pipe::Cbu;
}

// ptxas issues what a branch depends on as soon as it can. Lowering does not, as the time that loads take hides it.
struct Result {
  Cycles ready = 0;    // as the code has it
  Cycles soonest = 0;  // if all that it depends on were issued as soon as possible
};

}  // namespace

void set_stall_counts(std::span<Decoded> block, const machine::MachineModel& model) {
  const std::array<Cycles, kExtraLatencies> extra = extra_latencies(model);
  std::unordered_map<uint32_t, Result> results;  // by register: of fixed latency
  std::unordered_set<uint32_t> late;             // registers with results of variable latency
  std::array<Cycles, machine::kSpacedKinds> spaced{};
  Cycles now = 0;  // of an instruction's issue, if the warp waits for nothing else
  for (size_t i = 0; i < block.size(); ++i) {
    const Decoded& d = block[i];
    const bool branches = d.pipe == machine::Pipe::Cbu;
    Cycles at = 0, soonest = 0;
    bool waits = false;
    if (i != 0) at = now + block[i - 1].next_issue[unsigned(d.pipe) == block[i - 1].known_pipe ? 1 : 0];
    at = std::max(at, spaced[unsigned(d.spaced_after)]);
    for (unsigned r = 0; r < d.both; ++r) {
      const uint32_t number = d.registers[r].number();
      waits = waits || (r < d.reads && late.contains(number));
      const auto found = results.find(number);
      if (found == results.end()) continue;
      const Cycles more = extra[unsigned(d.registers[r].extra)];
      at = std::max(at, (branches ? found->second.soonest : found->second.ready) + more);
      soonest = std::max(soonest, found->second.soonest + more);
    }
    if (i != 0) block[i - 1].stall = static_cast<float>(at - now);
    now = at;
    if (d.spacing_kind != machine::Spacing::None)
      spaced[unsigned(d.spacing_kind)] = now + model.spacing[unsigned(d.spacing_kind)];
    for (unsigned r = d.reads; r < d.both; ++r) {
      const uint32_t number = d.registers[r].number();
      results.erase(number), late.erase(number);
      if (is_fixed(d))
        results[number] = {now + d.latency, (waits ? now : soonest) + d.latency};
      else
        late.insert(number);
    }
  }
}

}  // namespace drywarp::sm
