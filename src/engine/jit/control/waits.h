// Barriers, and where lanes of a warp wait for each other.
#pragma once

#include "engine/jit/control/control_flow.h"
#include "engine/jit/memory/event_reports.h"

namespace drywarp::jit {

class Waits : Part {
 public:
  Waits(FunctionCode& code, Values& values, Addresses& addresses, EventReports& reports, ControlFlow& control)
      : Part(code), values_(values), addresses_(addresses), reports_(reports), control_(control) {}

  // False: another part emits it.
  bool emit_wait(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  // `goes_on`: the lanes do not wait for more to come.
  void report_sync(const ir::Instruction& in, bool goes_on);
  // At the start of a block whose first instruction waits.
  void emit_convergence_check(const ir::Instruction& in, ir::BlockId block);
  void emit_barrier_check(const ir::Instruction& in, ir::BlockId block);

 private:
  void emit_barrier(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_mbarrier(const ir::Instruction& in, uint32_t index);
  Value* member_mask(const ir::Instruction& in);

  Values& values_;
  Addresses& addresses_;
  EventReports& reports_;
  ControlFlow& control_;
};

}  // namespace drywarp::jit
