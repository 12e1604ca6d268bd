// Values whose bytes an observer does not know (observe::UnknownBytes), in the registers of a warp's kernel and of the
// functions that it calls: which lanes of which bytes, followed exactly through copies, byte shuffles, shifts and logic
// with constants, and taken to spoil the whole result elsewhere.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

class UnknownValues {
 public:
  static constexpr unsigned kBytes = 8;
  using Bytes = std::array<LaneMask, kBytes>;  // the lanes in which a byte is unknown

  // What a load of the next instruction does not know. Adds up over the memories of a generic one.
  void note_load(std::vector<observe::UnknownBytes> unknown);
  void begin_access() { stored_.clear(); }
  // Where the next instruction stores, likewise.
  void note_store(const observe::Access& access);
  // See dw_flow().
  void follow(Warp& warp, uint32_t instruction, bool guard_alone, LaneMask lanes, LaneMask first, LaneMask second);
  // Of a shuffle that is followed next: its second and third operand, by lane.
  void note_shuffle(const uint32_t* distances, const uint32_t* controls);
  // And that of its lanes some may read lanes that take no part. `members`: the mask that each names; or null.
  void note_inactive(const Warp& warp, uint32_t instruction, LaneMask lanes, const LaneMask* members);
  [[nodiscard]] bool any() const { return held_ != 0 || !loaded_.empty() || !slots_.empty(); }
  void clear();

  // Calls copy arguments and results. A slot is known by its offset in the threads' local memory.
  void copy_slot(uint64_t from, uint64_t to, uint64_t bytes, LaneMask lanes);
  void clear_slot(uint64_t slot, uint64_t bytes, LaneMask lanes);
  void register_to_slot(const Activation& of, ir::RegisterId r, uint64_t slot, uint64_t bytes, LaneMask lanes);
  void slot_to_register(const Activation& of, ir::RegisterId r, uint64_t slot, uint64_t bytes, LaneMask lanes);
  // Lanes leave a function, whose slots begin at `frame`; the last of them, the function.
  void leave(uint64_t frame, LaneMask lanes);
  void forget(const Activation& activation);

 private:
  using How = observe::UnknownUse::How;
  // Bytes of a register that a load did not know. Parts of a register have different origins.
  struct Part {
    uint32_t origin = 0;
    Bytes bytes{};
  };
  using Parts = std::vector<Part>;
  // The instruction that is followed. What it computes is looked at for all origins together, and then, if there are
  // several, for each of them alone, to know which bytes come from where.
  struct Step {
    Warp& warp;
    const ir::Instruction& in;
    uint32_t instruction;
    LaneMask lanes, first, second;
    std::optional<uint32_t> only;  // of all origins, this one
    std::vector<Bytes> results;    // by destination
  };
  void follow(Step& step);
  using Rule = void (UnknownValues::*)(Step& step) const;

  // Memory that an instruction stores to. Of global memory its addresses.
  struct StorePlace {
    Memory memory = Memory::Shared;
    LaneMask lanes = 0;
    std::array<uint64_t, kWarpSize> places{};
  };

  [[nodiscard]] static unsigned byte_count(ir::Type type);
  // Of a load or a store of an argument or a result: its offset in the threads' local memory.
  [[nodiscard]] static std::optional<uint64_t> slot_of(const Warp& warp, const ir::Instruction& in);
  [[nodiscard]] Bytes source(const Step& step, size_t index) const;
  [[nodiscard]] Bytes source_register(const Step& step, ir::RegisterId r) const;
  void give(Step& step, size_t index, const Bytes& bytes) const;
  void derive(Step& step, Rule rule);
  [[nodiscard]] std::vector<uint32_t> origins_of(const Step& step) const;
  void set(ir::RegisterId r, const Parts& parts, LaneMask lanes);
  static void tell_use(const Step& step, How how, uint32_t origin, LaneMask lanes);
  void use(Step& step, ir::RegisterId r, How how, unsigned bytes = kBytes);
  void use_sources(Step& step, How how, unsigned bytes = kBytes);
  void use_addresses(Step& step);
  void use_guard(Step& step);
  void store(Step& step);
  void copy(Step& step);
  void access_atomically(Step& step);
  void tell_stored(const Step& step, const std::function<void(observe::UnknownBytes&)>& fill, uint32_t origin) const;
  [[nodiscard]] LaneMask kept_lanes() const;  // those that store to shared or local memory
  // Rules: which bytes of an instruction's results are unknown.
  void load(Step& step) const;
  void fetch(Step& step) const;
  void compute(Step& step) const;
  void shuffle(Step& step) const;
  void transpose(Step& step) const;
  void load_matrix(Step& step) const;
  void multiply(Step& step) const;
  void store_slot(Step& step, uint64_t slot);
  void load_slot(Step& step, uint64_t slot);
  void call(Step& step);
  Parts slot_value(uint64_t slot, unsigned bytes) const;
  void set_slot(uint64_t slot, const Parts& parts, unsigned bytes, LaneMask lanes);
  std::vector<Parts>& registers_of(const Activation& activation);

  std::map<const Activation*, std::vector<Parts>> of_activations_;
  std::vector<Parts>* registers_ = nullptr;  // of the activation that runs
  // Bytes of slots: the first of each Part's.
  std::map<uint64_t, std::vector<std::pair<uint32_t, LaneMask>>> slots_;
  uint32_t held_ = 0;                                         // registers with an unknown byte
  std::vector<observe::UnknownBytes> loaded_;                 // not yet given to the load's results
  std::vector<StorePlace> stored_;                            // by memory
  std::array<uint32_t, kWarpSize> distances_{}, controls_{};  // of the shuffle that is followed
  LaneMask inactive_ = 0;                                     // likewise: lanes that read one that takes no part
  uint32_t inactive_origin_ = 0;
};

}  // namespace drywarp::exec
