// The calls by which code reports what it does: to observers (CodeOptions::events), and which global memory it is about
// to access (CodeOptions::watched; engine/exec/memory/conflict_watch.h).
#pragma once

#include "engine/jit/memory/addresses.h"

namespace drywarp::jit {

class EventReports : Part {
 public:
  EventReports(FunctionCode& code, Values& values, Addresses& addresses)
      : Part(code), values_(values), addresses_(addresses) {}

  void report_step(ir::BlockId block);
  // Loads before the block whose value its lanes use: they are reported again.
  void report_used_reads(ir::BlockId block);
  // `values`: of a store, element-major; of a value that is only tested: TestedLanes; or null.
  void report_access(const ir::Instruction& in, uint32_t index, Value* values = nullptr);
  // Values behind the instruction that came from a call, or with one, and are only tested.
  void report_followed(uint32_t index);
  // `values`: what an exchange writes, in memory.
  void report_outcome(uint32_t index, Value* wrote, Value* replaced, Value* values);
  void report_arrival(Value* barrier, Value* threads, bool waits, Value* mask);
  // `members`: the mask that each lane names. `goes_on`: the lanes do not wait for more to come.
  void report_warp_sync(const ir::Instruction& in, Value* members, bool goes_on);
  void report_fence(const ir::Instruction& in);
  // cp.async's groups and waits; of cp.async.mbarrier.arrive, `objects`: the addresses of 32 lanes.
  void report_copies(const ir::Instruction& in, Value* objects = nullptr);
  void report_exit(Value* leaving);
  // Lanes whose division or root is a rare case.
  void report_rare_cases(const ir::Instruction& in, uint32_t index);
  // What match.any has written: which lanes have the same value.
  void report_value_match(const ir::Instruction& in, uint32_t index);
  // `values`: of a store.
  void watch_access(const Location& at, uint32_t index, unsigned bytes, unsigned elements, WatchKind kind,
                    Value* values = nullptr);

 private:
  // By lane.
  Value* offsets_in_word(const analysis::WordPart& part);
  // TestedLanes, in memory.
  Value* tested_lanes(const analysis::TestedValue& tested);

  Values& values_;
  Addresses& addresses_;
};

}  // namespace drywarp::jit
