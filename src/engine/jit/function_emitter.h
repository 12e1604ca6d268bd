// Emits one function as LLVM IR. Two forms of the same code:
//
// - Warp form: a whole function for a warp. Registers are SSA values in the shape that analysis found (scalar, affine,
//   32 lanes). The sides of a divergent branch run one after the other and reconverge at the immediate post-dominator.
//   WarpContext::divergence is the stack of waiting lanes.
// - Group form: one block at a time, for any set of lanes. Registers are in memory, and the caller picks the lanes that
//   run next. It is slower but assumes nothing about convergence, so spin locks between lanes of a warp and exchanges
//   between the arms of a branch terminate. The warp form hands over to it where it reaches one of these.
//
// Files: function_emitter.cpp (blocks in order), values/, control/, memory/; arithmetic is in families/.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "engine/jit/emitter.h"
#include "engine/jit/kernel_code.h"
#include "engine/jit/runtime_abi.h"

namespace drywarp::jit {

enum class Form : uint8_t { Warp, Group };

// The value of a constant integer; none: known only at run time.
inline std::optional<int64_t> known(const llvm::Value* v) {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  return c ? std::optional(c->getSExtValue()) : std::nullopt;
}

class FunctionEmitter final : public Emitter {
 public:
  FunctionEmitter(llvm::Module& llvm_module, llvm::IRBuilder<>& builder, const ir::Module& module,
                  const PreparedFunction& prepared, const CodeOptions& options, Form form, const std::string& symbol);
  void emit();

  // Emitter
  llvm::Value* operand(const ir::Instruction& in, unsigned index, ir::Type as) override;
  llvm::Value* wide_operand(const ir::Instruction& in, unsigned index, ir::Type as) override;
  void set(const ir::Instruction& in, unsigned index, llvm::Value* value, ir::Type as) override;
  [[nodiscard]] bool unused(const ir::Instruction& in, unsigned index) const override;
  llvm::Value* active_mask() override;
  llvm::Value* executing_lanes() override;
  llvm::Value* active_lanes() override;
  llvm::Value* carry() override;
  void set_carry(llvm::Value* flag) override;

 private:
  using Value = llvm::Value;

  // ---- registers.cpp
  // Where a register is stored: one slot for each component of its shape.
  struct Storage {
    analysis::Shape shape;
    std::array<Value*, 5> slot{};  // Uniform, Varying: [0]. Affine: base, stride1, stride2. Extended: and scale, addend
  };
  struct AffineValue {
    Value *base, *stride1, *stride2;  // i32
  };
  struct ExtendedValue {
    AffineValue index;
    bool is_signed;
    Value *scale, *addend;  // i64
  };
  void allocate_registers();
  llvm::Type* register_type(ir::RegisterId r, unsigned width) const;
  Value* read_scalar(ir::RegisterId r);  // Uniform: the value; Affine, Extended: lane 0's pattern-free base
  Value* read_wide(ir::RegisterId r);
  Value* file_address(ir::RegisterId r);
  Value* read_file(ir::RegisterId r);
  void write_file(ir::RegisterId r, Value* wide);
  std::optional<AffineValue> read_affine(const ir::Operand& o);
  std::optional<ExtendedValue> read_extended(const ir::Operand& o);
  void write(ir::RegisterId r, Value* value);  // scalar or wide
  void write_affine(ir::RegisterId r, const AffineValue& v);
  void write_extended(ir::RegisterId r, const ExtendedValue& v);
  Value* widen(Value* scalar);
  Value* expand(const AffineValue& v);    // <32 x i32>
  Value* expand(const ExtendedValue& v);  // <32 x i64>
  Value* lanes_constant(llvm::Type* element, uint32_t (*of_lane)(uint32_t lane, uint32_t width));
  Value* pattern1(llvm::Type* element);  // K1
  Value* pattern2(llvm::Type* element);  // K2
  Value* literal(const ir::Operand& o, ir::Type as, unsigned width);
  Value* value_of(const ir::Operand& o, ir::Type as, unsigned width);
  Value* convert_bits(Value* v, ir::Type as, ir::Type from);
  bool emit_affine(const ir::Instruction& in);
  bool emit_affine_word(const ir::Instruction& in, ir::RegisterId r);  // 32 bits
  bool emit_extended(const ir::Instruction& in, ir::RegisterId r);     // 64 bits
  bool needs_canonical_nan(const ir::Operand& o) const;
  bool is_uniform(const ir::Operand& o) const;
  bool preserves_inactive_lanes(ir::RegisterId r) const;

  // ---- moves.cpp
  bool emit_move(const ir::Instruction& in);
  Value* special(const ir::Operand& o, unsigned width);
  std::optional<AffineValue> special_affine(const ir::Operand& o);
  Value* symbol_address(ir::SymbolId symbol, int64_t offset);  // in its own space, i64
  Value* generic_base(AddressSpace space, unsigned width);     // generic address minus address in the space

  // ---- control.cpp
  void emit_branch(const ir::Instruction& in, ir::BlockId block);
  void emit_index_branch(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_exit(Value* leaving, bool thread_ends);
  [[nodiscard]] bool ends_thread(const ir::Instruction& in) const;  // false: it returns from a called function
  void emit_reconvergence_points();
  void emit_exit_dispatch();
  [[nodiscard]] std::vector<ir::BlockId> branches_with_exits() const;
  void start_live_ranges(ir::BlockId branch);
  void emit_loop_check(ir::BlockId block);
  void reset_wait_budget();
  void emit_hand_over(ir::BlockId block);  // in a cold block: stores live registers, calls dw_hand_over, unreachable
  void save_registers(const analysis::RegisterSet& needed);  // to the register file, for lanes that are rescheduled
  void push_divergence(ir::BlockId reconvergence, ir::BlockId second, Value* second_mask, Value* full_mask);
  Value* divergence_field(Value* index, unsigned field);
  llvm::BasicBlock* entry_of(ir::BlockId block);  // a reconvergence point's dispatch, or the block itself
  bool emit_control(const ir::Instruction& in, uint32_t index, ir::BlockId block);  // true: it ended the block
  void count_block(ir::BlockId block);
  void advance_clock(uint32_t first, uint32_t end);  // by the instructions up to `end` or the next clock read
  void add_counter(Value* address, uint64_t offset, Value* amount);
  Value* counter(size_t context_field, uint64_t offset);  // address inside one of the counter arrays
  void jump(ir::BlockId block, bool thread_ends);         // in group form: notifies the scheduler, and returns
  void diverge(ir::BlockId taken, ir::BlockId next, Value* taken_mask, Value* next_mask, ir::BlockId block);

  // ---- memory.cpp
  bool emit_memory(const ir::Instruction& in, uint32_t index);
  void emit_load(const ir::Instruction& in, uint32_t index);
  void emit_store(const ir::Instruction& in, uint32_t index);
  std::vector<Value*> load_lanes(Value* addresses, AddressSpace space, uint32_t slot, uint32_t index,
                                 llvm::Type* element, unsigned count, Value* mask);
  void store_lanes(Value* addresses, AddressSpace space, uint32_t slot, uint32_t index,
                   const std::vector<Value*>& values, llvm::Type* element, Value* mask);
  Value* transfer_buffer();
  Value* spill_addresses(Value* addresses);
  std::vector<Value*> from_buffer(llvm::Type* element, unsigned count);
  void to_buffer(const std::vector<Value*>& values, unsigned bytes);

  // ---- memory_addresses.cpp
  struct Location {  // an address operand
    AddressSpace space;
    Value* uniform = nullptr;             // i64
    std::optional<ExtendedValue> affine;  // its addend includes the operand's offset
    Value* lanes = nullptr;               // <32 x i64>
    bool on_host = false;                 // the values are host addresses
  };
  Location location(const ir::Address& address, AddressSpace space);
  Location plain_location(const ir::Address& address, AddressSpace space);
  Value* lane_addresses(const Location& at);
  Value* to_host(const Location& at, Value* address);
  struct AffineAccess {
    Value *base, *stride1, *stride2;  // host address (i64) of lane 0, byte strides
  };
  AffineAccess affine_access(const ExtendedValue& v);

  // ---- memory_checks.cpp
  Value* site(uint32_t slot);
  struct Bounds {  // the least and the greatest value of any lane (i64)
    Value *low, *high;
  };
  void extend_bounds(Bounds& bounds, Value* stride, unsigned count);
  Value* extension_exact(const ExtendedValue& v);
  struct AccessPaths {
    llvm::BasicBlock *slow, *done;
  };
  AccessPaths check_and_count(const Location& at, const AffineAccess& a, uint32_t slot, unsigned bytes, Value* mask,
                              SharedOp op = SharedOp::Load);
  // `rest`: the arguments behind the mask.
  template <class Function, class... Rest>
  void call_affine(const Function& function, const Location& at, uint32_t slot, uint32_t index, Value* mask,
                   Rest... rest) {
    const auto [base, stride1, stride2, how, scale, addend] = affine_arguments(at);
    call_runtime(function, {context_, site(slot), i32(index), i32(uint32_t(at.space)), base, stride1, stride2, how,
                            scale, addend, mask, rest...});
  }
  struct AffineArguments {
    Value *base, *stride1, *stride2, *how, *scale, *addend;
  };
  AffineArguments affine_arguments(const Location& at);

  // ---- memory_moves.cpp
  std::vector<Value*> lane_pointers(const AffineAccess& a, unsigned count, unsigned bytes);
  std::vector<Value*> load_affine(const AffineAccess& a, llvm::Type* element, unsigned count, Value* mask,
                                  bool uniform);
  void store_affine(const AffineAccess& a, const std::vector<Value*>& values, llvm::Type* element, Value* mask,
                    bool uniform);

  void emit_atomic(const ir::Instruction& in, uint32_t index);

  // ---- async_copies.cpp
  void emit_copy_async(const ir::Instruction& in, uint32_t index);
  static SharedOp copy_op(const ir::Instruction& in);
  Value* source_bytes(const ir::Instruction& in, uint64_t bytes);
  void copy_whole(const Location& to, const Location& from, const ir::Instruction& in, uint32_t index, unsigned bytes);

  // ---- run_events.cpp
  void report_step(ir::BlockId block);
  void report_access(const ir::Instruction& in, uint32_t index);
  void report_arrival(llvm::Value* barrier, llvm::Value* threads, llvm::Value* mask);

  // only if options_.watched
  void watch_access(const Location& at, uint32_t index, unsigned bytes, unsigned elements, WatchKind kind,
                    Value* values = nullptr);

  // ---- waits.cpp
  bool emit_wait(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void let_others_read();
  void emit_barrier(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_convergence_check(const ir::Instruction& in, ir::BlockId block);
  void emit_barrier_check(const ir::Instruction& in, ir::BlockId block);
  void emit_mbarrier(const ir::Instruction& in, uint32_t index);
  Value* member_mask(const ir::Instruction& in);

  // ---- calls.cpp
  void emit_call(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_real_call(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  bool emit_math_call(const ir::Instruction& in, const ir::Function& callee);

  // ---- function_emitter.cpp
  void emit_block(ir::BlockId block);
  void emit_instruction(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_guarded(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_per_member_mask(const ir::Instruction& in, EmitFunction emitter);
  void emit_group_dispatch();
  template <class Result, class... Parameters, size_t Count>
  Value* call_runtime(const RuntimeFunction<Result(Parameters...)>& function, Value* const (&arguments)[Count]) {
    static_assert(Count == sizeof...(Parameters));
    return call_runtime(function.name, type_of<Result>(), {type_of<Parameters>()...}, arguments);
  }
  Value* call_runtime(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters,
                      llvm::ArrayRef<Value*> arguments);
  template <class T>
  llvm::Type* type_of() {
    if constexpr (std::is_pointer_v<T>)
      return b.getPtrTy();
    else if constexpr (std::is_void_v<T>)
      return b.getVoidTy();
    else
      return b.getIntNTy(8 * sizeof(T));
  }
  Value* context_field(size_t offset, llvm::Type* type);  // load, invariant in the function
  Value* context_address(size_t offset);
  Value* spill(Value* value, const char* name);  // into an entry-block slot; its address
  llvm::AllocaInst* entry_slot(llvm::Type* type, const char* name);
  Value* mask_to_lanes(Value* mask);
  Value* lanes_to_mask(Value* lanes);
  Value* i32(uint64_t v) const { return b.getInt32(static_cast<uint32_t>(v)); }
  Value* i64(uint64_t v) const { return b.getInt64(v); }
  // Runs `body` only if `condition`; unlikely paths are marked so.
  template <class Body>
  void when(Value* condition, bool likely, Body body);
  bool warp_form() const { return form_ == Form::Warp; }

  llvm::Module& llvm_module_;
  const ir::Module& module_;
  const PreparedFunction& prepared_;
  const ir::Function& code_;
  const CodeOptions options_;
  const Form form_;
  llvm::Function* function_ = nullptr;
  Value* context_ = nullptr;
  Value* frame_ = nullptr;                   // i64: offset in local memory
  llvm::AllocaInst* mask_slot_ = nullptr;    // i32: lanes running now
  llvm::AllocaInst* depth_slot_ = nullptr;   // i32: entries on the divergence stack
  llvm::AllocaInst* budget_slot_ = nullptr;  // i32: loop iterations until the next dw_back_edge
  llvm::AllocaInst* wait_slot_ = nullptr;    // the same for a loop that only waits, since it was entered
  llvm::AllocaInst* ended_slot_ = nullptr;   // i32: lanes that have returned from this function or exited
  llvm::AllocaInst* carry_slot_ = nullptr;   // <32 x i1>
  Value* base_depth_ = nullptr;              // i32: depth of the divergence stack at the function's start
  Value* guard_ = nullptr;                   // lanes that the current instruction's varying predicate lets pass
  Value* executing_ = nullptr;               // lanes that execute the current exchange, all masks together
  ir::BlockId current_block_ = 0;
  static constexpr unsigned kTransferBytes = 32 * 16 * 8;  // 32 lanes of up to 8 elements of up to 16 bytes
  llvm::AllocaInst* transfer_buffer_ = nullptr;
  llvm::AllocaInst* address_buffer_ = nullptr;
  std::map<std::pair<std::string_view, llvm::Type*>, llvm::AllocaInst*> spilled_;
  std::vector<Storage> registers_;
  uint64_t register_stride_ = 0;                    // in the register file
  std::vector<bool> computed_floats_;               // see nan_flow.h
  std::vector<llvm::BasicBlock*> blocks_;           // where a block's code starts
  std::vector<llvm::BasicBlock*> dispatch_blocks_;  // dispatch blocks of reconvergence points, null for other blocks
  llvm::BasicBlock* exit_dispatch_ = nullptr;
  llvm::BasicBlock* return_block_ = nullptr;
};

template <class Body>
void FunctionEmitter::when(Value* condition, bool likely, Body body) {
  auto* inside = llvm::BasicBlock::Create(b.getContext(), "when", function_);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function_);
  llvm::MDBuilder metadata(b.getContext());
  b.CreateCondBr(condition, inside, after,
                 likely ? metadata.createBranchWeights(1000, 1) : metadata.createBranchWeights(1, 1000));
  b.SetInsertPoint(inside);
  body();
  if (!b.GetInsertBlock()->getTerminator()) b.CreateBr(after);
  b.SetInsertPoint(after);
}

}  // namespace drywarp::jit
