// Loads, stores, atomics and asynchronous copies: checked, counted, moved.
#pragma once

#include <vector>

#include "engine/jit/memory/event_reports.h"
#include "engine/jit/memory/flow_reports.h"

namespace drywarp::jit {

class MemoryAccesses : Part {
 public:
  MemoryAccesses(FunctionCode& code, Values& values, Addresses& addresses, EventReports& reports, FlowReports& flows)
      : Part(code), values_(values), addresses_(addresses), reports_(reports), flows_(flows) {}

  // False: another part emits it.
  // Of a part of a wmma: whether where the matrix lies keeps to what CUDA asks for.
  void report_matrix(uint32_t index);
  bool emit_memory(const ir::Instruction& in, uint32_t index);
  std::vector<Value*> load_lanes(Value* addresses, AddressSpace space, uint32_t slot, uint32_t index,
                                 llvm::Type* element, unsigned count, Value* mask);
  std::vector<Value*> load_indexed_parameter(const Location& at, uint32_t slot, uint32_t index, llvm::Type* element,
                                             unsigned count, Value* mask);
  void store_lanes(Value* addresses, AddressSpace space, uint32_t slot, uint32_t index,
                   const std::vector<Value*>& values, llvm::Type* element, Value* mask);

 private:
  void emit_load(const ir::Instruction& in, uint32_t index);
  void emit_store(const ir::Instruction& in, uint32_t index);
  void emit_atomic(const ir::Instruction& in, uint32_t index);
  void let_others_read();
  Value* transfer_buffer();
  std::vector<Value*> from_buffer(llvm::Type* element, unsigned count);
  void to_buffer(const std::vector<Value*>& values, unsigned bytes);

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
  // `origin`: Values::origin() of the address, or null.
  AccessPaths check_and_count(const Location& at, const AffineAccess& a, uint32_t slot, unsigned bytes, Value* mask,
                              SharedOp op = SharedOp::Load, Value* origin = nullptr);
  Value* origin_of(const ir::Instruction& in);
  void tell_origin(Value* origin);  // to the call that follows
  // The slow path of an affine access. `rest`: the arguments behind the mask.
  template <class Function, class... Rest>
  Value* call_affine(const Function& function, const Location& at, uint32_t slot, uint32_t index, Value* mask,
                     Rest... rest) {
    const auto [base, stride1, stride2, how, scale, addend] = affine_arguments(at);
    return f.call_runtime(function, {f.context, site(slot), i32(index), i32(uint32_t(at.space)), base, stride1, stride2,
                                     how, scale, addend, mask, rest...});
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

  // ---- textures.cpp
  void emit_texture(const ir::Instruction& in, uint32_t index);

  // ---- matrices.cpp
  void emit_matrix(const ir::Instruction& in, uint32_t index);
  void emit_product(const ir::Instruction& in, uint32_t index);
  template <class Access>
  void for_rows(const ir::Instruction& in, Access access);
  void load_rows(const ir::Instruction& in, uint32_t index);
  void store_rows(const ir::Instruction& in, uint32_t index);

  // ---- bulk_copies.cpp
  void emit_bulk(const ir::Instruction& in, uint32_t index);
  void emit_group_product(const ir::Instruction& in, uint32_t index);

  // ---- async_copies.cpp
  void emit_copy_async(const ir::Instruction& in, uint32_t index);
  Value* source_bytes(const ir::Instruction& in, uint64_t bytes);
  void copy_whole(const Location& to, const Location& from, const ir::Instruction& in, uint32_t index, unsigned bytes);

  Values& values_;
  Addresses& addresses_;
  EventReports& reports_;
  FlowReports& flows_;
  static constexpr unsigned kTransferBytes = 32 * 16 * 8;  // 32 lanes of up to 8 elements of up to 16 bytes
  llvm::AllocaInst *transfer_buffer_ = nullptr, *origin_buffer_ = nullptr;
};

}  // namespace drywarp::jit
