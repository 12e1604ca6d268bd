// The values of registers and operands, in the shape that analysis found; the instructions that only move values.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/jit/emit/emitter.h"
#include "engine/jit/emit/function_code.h"

namespace drywarp::jit {

struct AffineValue {
  Value *base, *stride1, *stride2;  // i32
};
struct ExtendedValue {
  AffineValue index;
  bool is_signed;
  Value *scale, *addend;  // i64
};

class Values final : public Emitter {
 public:
  explicit Values(FunctionCode& code);

  // ---- Emitter
  Value* operand(const ir::Instruction& in, unsigned index, ir::Type as) override;
  Value* wide_operand(const ir::Instruction& in, unsigned index, ir::Type as) override;
  void set(const ir::Instruction& in, unsigned index, Value* value, ir::Type as) override;
  [[nodiscard]] bool unused(const ir::Instruction& in, unsigned index) const override;
  Value* active_mask() override { return f.active_mask(); }
  Value* executing_lanes() override { return f.executing_lanes(); }
  Value* active_lanes() override { return f.active_lanes(); }
  Value* carry() override;
  void set_carry(Value* flag) override;
  void set_width(unsigned lanes) { width_ = lanes; }  // of the instruction that is emitted

  // ---- registers.cpp
  [[nodiscard]] const analysis::Shape& shape(ir::RegisterId r) const { return registers_[r].shape; }
  [[nodiscard]] bool is_uniform(const ir::Operand& o) const;
  llvm::Type* register_type(ir::RegisterId r, unsigned width) const;
  Value* value_of(const ir::Operand& o, ir::Type as, unsigned width);
  Value* read_wide(ir::RegisterId r);
  std::optional<AffineValue> read_affine(const ir::Operand& o);
  std::optional<ExtendedValue> read_extended(const ir::Operand& o);
  void write(ir::RegisterId r, Value* value);  // scalar or wide
  void forget(ir::RegisterId r);               // a varying register becomes undefined
  Value* read_file(ir::RegisterId r);          // of the lane-group scheduler
  void write_file(ir::RegisterId r, Value* wide);
  Value* expand(const AffineValue& v);    // <32 x i32>
  Value* expand(const ExtendedValue& v);  // <32 x i64>
  Value* pattern1(llvm::Type* element);   // K1
  Value* pattern2(llvm::Type* element);   // K2
  [[nodiscard]] bool needs_canonical_nan(const ir::Operand& o) const;

  // ---- moves.cpp, affine.cpp: false: another part emits it
  bool emit_move(const ir::Instruction& in);
  bool emit_affine(const ir::Instruction& in);
  Value* symbol_address(ir::SymbolId symbol, int64_t offset);  // in its own space, i64
  Value* generic_base(AddressSpace space, unsigned width);     // generic address minus address in the space
  Value* own_shared();                                         // generic address of the block's shared memory

  // ---- origins.cpp: from which loaded pointer addresses are computed
  // i64 or <32 x i64>; null: it is not followed.
  Value* origin(ir::RegisterId r);
  void follow_origins(const ir::Instruction& in);  // behind the instruction

 private:
  Value* window_origin();
  // Where a register is stored: one slot for each component of its shape.
  struct Storage {
    analysis::Shape shape;
    std::array<Value*, 5> slot{};  // Uniform, Varying: [0]. Affine: base, stride1, stride2. Extended: and scale, addend
  };
  void allocate_registers();
  void allocate_origins();
  Value* source_origin(const ir::Instruction& in, bool wide);
  Value* read_scalar(ir::RegisterId r);  // Uniform: the value; Affine, Extended: lane 0's pattern-free base
  Value* file_address(ir::RegisterId r);
  void write_affine(ir::RegisterId r, const AffineValue& v);
  void write_extended(ir::RegisterId r, const ExtendedValue& v);
  Value* lanes_constant(llvm::Type* element, uint32_t (*of_lane)(uint32_t lane, uint32_t width));
  Value* literal(const ir::Operand& o, ir::Type as, unsigned width);
  Value* convert_bits(Value* v, ir::Type as, ir::Type from);
  bool emit_affine_word(const ir::Instruction& in, ir::RegisterId r);  // 32 bits
  bool emit_extended(const ir::Instruction& in, ir::RegisterId r);     // 64 bits
  [[nodiscard]] bool preserves_inactive_lanes(ir::RegisterId r) const;
  Value* special(const ir::Operand& o, unsigned width);
  std::optional<AffineValue> special_affine(const ir::Operand& o);
  [[nodiscard]] Value* i32(uint64_t v) const { return f.i32(v); }
  [[nodiscard]] Value* i64(uint64_t v) const { return f.i64(v); }

  FunctionCode& f;
  llvm::AllocaInst* carry_slot_ = nullptr;  // <32 x i1>
  std::vector<Storage> registers_;
  std::vector<llvm::AllocaInst*> origins_;   // by register; null: not followed. Empty: none is
  const uint64_t register_stride_;           // in the register file
  const std::vector<bool> computed_floats_;  // see nan_flow.h
};

}  // namespace drywarp::jit
