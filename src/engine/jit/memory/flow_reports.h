// Follows values of memory that an observer does not know (CodeOptions::events.flows): code calls dw_flow() for the
// instructions that such a value can reach, and only while the warp holds one.
#pragma once

#include <vector>

#include "engine/jit/values/values.h"

namespace drywarp::jit {

class FlowReports : Part {
 public:
  FlowReports(FunctionCode& code, Values& values);

  // Before the instruction is emitted, or, of one that accesses memory, behind the report of its access.
  void report(const ir::Instruction& in, uint32_t index);
  // Before its predicate decides whether the instruction runs.
  void report_guard(const ir::Instruction& in, uint32_t index);

 private:
  void call(uint32_t index, const ir::Operand* first, const ir::Operand* second);
  void report_shuffle(const ir::Instruction& in, uint32_t index);
  Value* holds_unknown();
  Value* lanes_true(const ir::Operand& predicate);

  Values& values_;
  std::vector<bool> reached_;  // by register: a loaded value, an argument or a result can reach it
};

}  // namespace drywarp::jit
