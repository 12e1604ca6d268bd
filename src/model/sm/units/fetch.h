// Instruction and constant caches of the SMs: when a warp's next instruction and its constant operands are there.
#pragma once

#include <vector>

#include "model/sm/units/simulation.h"

namespace drywarp::sm {

class InstructionFetch {
 public:
  explicit InstructionFetch(Simulation& simulation);

  // `from`: the instruction before; null: the warp starts. Sets the stall reason if it is later than `now`.
  Cycles next(uint32_t part, const Decoded& next, const Decoded* from, Cycles now, Stall& reason);
  Cycles constants(uint32_t part, const Decoded& in, Cycles now);

 private:
  struct Caches {
    Caches(const Simulation& s, ZeroedArena& arena)
        : code(s.model.code_cache_bytes, s.model.code_cache_ways, arena),
          second_code(s.model.second_code_cache_bytes, s.model.code_cache_ways, arena),
          constants(size_t{s.code.constant_lines} * s.model.sub_partitions, kNever) {
      if (s.code_lines <= code.lines()) code_ready.assign(s.code_lines, kNever);
    }
    memory::Cache code;             // first-level instruction cache, unless the code fits into it
    memory::Cache second_code;      // second-level instruction cache
    Server code_port;               // delivers lines of code
    std::vector<float> code_ready;  // if the code fits: arrival of its lines; kNever: not requested
    std::vector<Cycles> constants;  // arrival of lines, by Decoded::constants and sub-partition; kNever: not requested
    Server constant_port;           // delivers constant lines
  };
  Cycles code(Caches& sm, const Decoded& next, const Decoded* from, Cycles now);
  Cycles line(Caches& sm, uint32_t line, Cycles now, bool first);

  Simulation& s;
  ZeroedArena arena_;
  std::vector<Caches> sms_;
};

}  // namespace drywarp::sm
