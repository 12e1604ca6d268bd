// Branches, divergence and reconvergence, loops, ends; what is counted once a block.
#pragma once

#include <vector>

#include "engine/jit/memory/event_reports.h"

namespace drywarp::jit {

class ControlFlow : Part {
 public:
  ControlFlow(FunctionCode& code, Values& values, EventReports& reports);

  // Creates the blocks, and leaves the entry block for the first one.
  void emit_entry();
  // Moves to a block, and emits what comes before its first instruction.
  void begin_block(ir::BlockId block);
  // What reconverges behind a block: after all blocks.
  void emit_reconvergence();

  // True: it ended the block.
  bool emit_control(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void count_block(ir::BlockId block);
  void advance_clock(uint32_t first, uint32_t end);  // by the instructions up to `end` or the next clock read
  void jump(ir::BlockId block, bool thread_ends);    // in group form: notifies the scheduler, and returns
  void emit_hand_over(ir::BlockId block);  // in a cold block: stores live registers, calls dw_hand_over, unreachable
  void save_registers(const analysis::RegisterSet& needed);  // to the register file, for lanes that are rescheduled
  [[nodiscard]] llvm::BasicBlock* exit_dispatch() const { return exit_dispatch_; }

 private:
  void emit_group_dispatch();
  void emit_branch(const ir::Instruction& in, ir::BlockId block);
  void emit_index_branch(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_exit(Value* leaving, bool thread_ends);
  [[nodiscard]] bool ends_thread(const ir::Instruction& in) const;  // false: it returns from a called function
  void emit_reconvergence_points();
  void emit_exit_dispatch();
  [[nodiscard]] std::vector<ir::BlockId> branches_with_exits() const;
  void start_live_ranges(ir::BlockId branch);
  void emit_loop_check(ir::BlockId block);
  void emit_turn(ir::BlockId block);
  // `polls`: before each poll.
  void check_loop(ir::BlockId block, analysis::Waiting waiting, bool polls);
  void start_budgets();
  void reset_wait_budget();
  void note_left_loop();
  void push_divergence(ir::BlockId reconvergence, ir::BlockId second, Value* second_mask, Value* full_mask);
  // Offsets in an entry of the divergence stack.
  static constexpr unsigned kReconvergence = offsetof(Divergence, reconvergence),
                            kSecond = offsetof(Divergence, second), kSecondMask = offsetof(Divergence, second_mask),
                            kFullMask = offsetof(Divergence, full_mask);
  Value* divergence_field(Value* index, unsigned field);
  llvm::BasicBlock* entry_of(ir::BlockId block);  // a reconvergence point's dispatch, or the block itself
  void diverge(ir::BlockId taken, ir::BlockId next, Value* taken_mask, Value* next_mask, ir::BlockId block);

  Values& values_;
  EventReports& reports_;
  Value* base_depth_ = nullptr;                     // i32: depth of the divergence stack at the function's start
  llvm::AllocaInst* budget_slot_ = nullptr;         // i32: loop iterations until the next dw_back_edge
  llvm::AllocaInst* wait_slot_ = nullptr;           // the same for a loop that only waits, since it was entered
  std::vector<llvm::BasicBlock*> blocks_;           // where a block's code starts
  std::vector<llvm::BasicBlock*> dispatch_blocks_;  // of reconvergence points; null for other blocks
  llvm::BasicBlock* exit_dispatch_ = nullptr;
};

}  // namespace drywarp::jit
