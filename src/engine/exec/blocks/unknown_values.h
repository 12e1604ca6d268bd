// Values whose bytes an observer does not know (observe::UnknownBytes), in the registers of one warp's kernel: which
// lanes of which bytes, followed exactly through copies, byte shuffles, shifts and logic with constants, and taken to
// spoil the whole result elsewhere.
#pragma once

#include <array>
#include <vector>

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

class UnknownValues {
 public:
  static constexpr unsigned kBytes = 8;
  using Bytes = std::array<LaneMask, kBytes>;  // the lanes in which a byte is unknown

  // What a load of the next instruction does not know. Adds up over the memories of a generic one.
  void note_load(const observe::UnknownBytes& unknown);
  // See dw_flow().
  void follow(Warp& warp, uint32_t instruction, bool guard_alone, LaneMask lanes, LaneMask first, LaneMask second);
  [[nodiscard]] bool any() const { return held_ != 0 || loaded_.lanes != 0; }
  void clear();

 private:
  using How = observe::UnknownUse::How;
  struct Register {
    Bytes bytes{};
    uint32_t origin = 0;
  };
  // The instruction that is followed.
  struct Step {
    Warp& warp;
    const ir::Instruction& in;
    uint32_t instruction;
    LaneMask lanes, first, second;
    uint32_t origin = 0;  // of what its sources do not know
  };

  Bytes source(Step& step, size_t index);
  Bytes source_register(Step& step, ir::RegisterId r);
  void give(const Step& step, size_t index, const Bytes& bytes);
  void set(ir::RegisterId r, const Bytes& bytes, LaneMask lanes, uint32_t origin);
  static void tell_use(const Step& step, How how, uint32_t origin, LaneMask lanes);
  void use(Step& step, ir::RegisterId r, How how, unsigned bytes = kBytes);
  void use_sources(Step& step, How how, unsigned bytes = kBytes);
  void use_addresses(Step& step);
  void load(Step& step);
  void compute(Step& step);
  void exchange(Step& step);

  std::vector<Register> registers_;
  uint32_t held_ = 0;             // registers with an unknown byte
  observe::UnknownBytes loaded_;  // not yet given to the load's results
};

}  // namespace drywarp::exec
