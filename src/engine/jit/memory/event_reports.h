// The calls by which code reports what it does: to observers (CodeOptions::events), and which global memory it is about
// to access (CodeOptions::watched; engine/exec/memory/conflict_watch.h).
#pragma once

#include "engine/jit/memory/addresses.h"

namespace drywarp::jit {

class EventReports : Part {
 public:
  EventReports(FunctionCode& code, Addresses& addresses) : Part(code), addresses_(addresses) {}

  void report_step(ir::BlockId block);
  void report_access(const ir::Instruction& in, uint32_t index);
  void report_arrival(Value* barrier, Value* threads, Value* mask);
  // `values`: of a store.
  void watch_access(const Location& at, uint32_t index, unsigned bytes, unsigned elements, WatchKind kind,
                    Value* values = nullptr);

 private:
  Addresses& addresses_;
};

}  // namespace drywarp::jit
