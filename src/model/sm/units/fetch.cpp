#include "model/sm/units/fetch.h"

#include <algorithm>

namespace drywarp::sm {

InstructionFetch::InstructionFetch(Simulation& simulation) : s(simulation) {
  sms_.reserve(s.model.sms);
  for (uint32_t sm = 0; sm < s.model.sms; ++sm) sms_.emplace_back(s, arena_);
}

// When the warp's next instruction is ready. Only a step to another line of code can miss.
Cycles InstructionFetch::code(Caches& sm, const Decoded& next, const Decoded* from, Cycles now) {
  if (from && from->code_line == next.code_line) return now;
  if (s.model.code_cache_bytes == 0 || s.model.code_line_cycles <= 0) return now;
  const Cycles ready = std::max(now, this->line(sm, next.code_line, now, from == nullptr));
  // The following line is prefetched.
  if (next.code_line + 1 < s.code_lines) this->line(sm, next.code_line + 1, now, false);
  return ready;
}

// Fetches a line of code. Returns when it arrives. Nsight Compute runs a kernel before it measures, so code that fits
// into the second level is there, but the first line of a warp still takes the full latency.
Cycles InstructionFetch::line(Caches& sm, uint32_t line, Cycles now, bool first) {
  if (!sm.code_ready.empty()) {
    if (sm.code_ready[line] < kNever) return sm.code_ready[line];
  } else if (const memory::Cache::Found found = sm.code.access(line, 1, now); found.hits != 0) {
    return found.ready;
  }
  Cycles cost = first ? s.model.code_line_cycles : s.model.next_code_line_cycles;
  if (uint64_t{s.code_lines} * kLineBytes > s.model.second_code_cache_bytes) {
    if (sm.second_code.access(line, 1, now).hits == 0) {
      cost = s.model.code_line_cycles;
      sm.second_code.fill(1, now);
    }
  }
  const Cycles ready = sm.code_port.take(now, cost) + cost;
  if (!sm.code_ready.empty())
    sm.code_ready[line] = static_cast<float>(ready);
  else
    sm.code.fill(1, ready);
  return ready;
}

// Constant operands have a cache in each sub-partition. LDC's constants have one in the SM.
Cycles InstructionFetch::constants(uint32_t part, const Decoded& in, Cycles now) {
  if (in.constants == machine::kNone) return now;
  Caches& sm = sms_[s.sm_of(part)];
  Cycles& ready = sm.constants[in.constants * s.model.sub_partitions + (in.adu ? 0 : s.parts[part].place)];
  if (ready >= kNever) {
    const Cycles requested = sm.constant_port.take(now, s.model.constant_line_cycles);
    ready = requested + (in.far_constants ? s.model.constant_far_cycles : s.model.constant_miss_cycles);
  }
  return std::max(now, ready);
}

// LDC issues before its constant arrives. An instruction with a constant operand issues only afterwards.
Cycles InstructionFetch::next(uint32_t part, const Decoded& next, const Decoded* from, Cycles now, Stall& reason) {
  if (from && from->code_line == next.code_line && next.constants == machine::kNone) return now;
  const Cycles fetched = code(sms_[s.sm_of(part)], next, from, now);
  if (fetched > now) reason = Stall::NoInstruction;
  const Cycles ready = next.adu ? fetched : constants(part, next, fetched);
  if (ready > fetched) reason = Stall::ImcMiss;
  return ready;
}

}  // namespace drywarp::sm
