// The interface between FunctionEmitter and the instruction families: everything that families/*.cpp may use.
//
// A value is emitted at one of two widths: one lane, if every operand is uniform over the warp, or 32 lanes. LLVM's
// builder takes the same calls for both, so the code that emits an instruction is written once: it reads operands,
// combines them with `b` and sets the result. It ignores the width, except for exchanges between lanes (shfl, vote,
// match, redux), which read `wide_operand`.
//
// Inactive lanes hold arbitrary bits. Emitted code must not trap or fault on them (a division sees zero divisors). It
// need not preserve them: `set` keeps the old values of inactive lanes where they are read again.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/jit/math/lane_helpers.h"
#include "language/ir/kernel.h"

namespace drywarp::jit {

class Emitter {
 public:
  virtual ~Emitter() = default;

  llvm::IRBuilder<>& b;

  // ---- width of the instruction being emitted
  [[nodiscard]] unsigned width() const { return width_; }  // 1 or 32
  // LLVM type of a PTX type at the current width: integers iN for u/s/b types, half types and packed types as integers
  // of their size (f16 -> i16, f16x2 -> i32), float, double, i1 for predicates. A vector of 32 of it when wide.
  [[nodiscard]] llvm::Type* type(ir::Type t) const { return type(t, width_); }
  [[nodiscard]] llvm::Type* type(ir::Type t, unsigned width) const;
  // The integer type of `bits` bits at the current width.
  [[nodiscard]] llvm::Type* int_type(unsigned bits) const;
  [[nodiscard]] llvm::Type* float_type() const { return type(ir::Type::F32); }
  [[nodiscard]] llvm::Type* double_type() const { return type(ir::Type::F64); }
  // An integer constant of `like`'s type (splat when wide); a float constant likewise.
  [[nodiscard]] llvm::Value* constant(llvm::Type* like, uint64_t value) const;
  [[nodiscard]] llvm::Value* real(llvm::Type* like, double value) const;

  // ---- operands and results
  // Source operand `index` of the instruction, bit-cast (never converted) to PTX type `as`; a register wider than `as`
  // is truncated to its low bits, a narrower one zero-extended (PTX lets 8-bit and 16-bit operands live in wider
  // registers).
  virtual llvm::Value* operand(const ir::Instruction& in, unsigned index, ir::Type as) = 0;
  // The same, always 32 lanes wide: for exchanges between lanes.
  virtual llvm::Value* wide_operand(const ir::Instruction& in, unsigned index, ir::Type as) = 0;
  // Result `index`. `value` is of any LLVM type with as many bits as `as`, at the current width, or 32 lanes wide when
  // the destination register is a vector. Extended by sign if `as` is signed, else by zero, into a wider register.
  // Sinks are ignored.
  virtual void set(const ir::Instruction& in, unsigned index, llvm::Value* value, ir::Type as) = 0;
  // True if result `index` is absent or a sink, so that it need not be computed.
  [[nodiscard]] virtual bool unused(const ir::Instruction& in, unsigned index) const = 0;

  // ---- the warp
  // Lanes that execute this instruction (guard included), as an i32 bit mask, and as <32 x i1>.
  virtual llvm::Value* active_mask() = 0;
  // All lanes that execute an exchange, even where active_mask() has only those that name one member mask.
  virtual llvm::Value* executing_lanes() { return active_mask(); }
  virtual llvm::Value* active_lanes() = 0;

  // ---- the condition code of .cc instructions: one carry flag a lane, an i1 at the current width.
  // add.cc sets it to the carry, sub.cc to the carry of a + ~b + 1 (no borrow), as the hardware does, so that the two
  // can be mixed.
  virtual llvm::Value* carry() = 0;
  virtual void set_carry(llvm::Value* flag) = 0;

  // ---- out-of-line helpers
  // Calls `void symbol(void* result, const void* a, const void* b, const void* c, uint32_t lanes)` from lane_math.h:
  // arrays of 1 or 32 elements, at the current width. `result` and the arguments have the LLVM types given.
  // Several results (the pointer forms of libdevice) are one array after another in the result buffer; of four
  // arguments the last follows the third in its array.
  std::vector<llvm::Value*> map_lanes(const char* symbol, const std::vector<llvm::Type*>& results,
                                      const std::vector<llvm::Value*>& args);
  // One of lane_helpers.def.
  template <class R, class... A, class... Values>
  llvm::Value* map_lanes(LaneHelper<R(A...)> helper, Values*... args) {
    static_assert(sizeof...(A) == sizeof...(Values));
    return map_lanes(helper.name, {lane_type<R>()}, {args...}).front();
  }
  // Intrinsic overloaded on the type of its first argument.
  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args);

  // ---- small shared pieces
  llvm::Value* flush_denormal(llvm::Value* f32);  // ftz: subnormals become zero of the same sign
  llvm::Value* saturate(llvm::Value* real);       // .sat: clamp to [0, 1], NaN becomes +0
  llvm::Value* resize(llvm::Value* integer, unsigned bits, bool is_signed);
  llvm::Value* bitcast(llvm::Value* value, ir::Type as);
  // Emitted f32 and f64 arithmetic leaves a NaN as the host produces it, while the GPU's f32 arithmetic produces only
  // 0x7fffffff. Correcting every operation would double the cost of an inner loop. So FunctionEmitter calls this only
  // where a value's bits become visible (stores, moves to integer registers, atomics, arguments), for the registers
  // that nan_flow.h names. f64 and halves need no correction.
  llvm::Value* canonical_nan(llvm::Value* f32);

  // The vector instructions that the code may use: 512 (AVX-512 F, BW, DQ, VL), 256 (AVX2, FMA, F16C) or 128 (SSE2).
  [[nodiscard]] unsigned vector_bits() const { return vector_bits_; }

 protected:
  Emitter(llvm::IRBuilder<>& builder) : b(builder) {}
  unsigned width_ = 32;
  unsigned vector_bits_ = 128;

 private:
  template <class T>
  llvm::Type* lane_type() const {
    if constexpr (std::is_same_v<T, double>) return double_type();
    return int_type(8 * sizeof(T));
  }

  std::map<std::pair<size_t, uint64_t>, llvm::AllocaInst*> lane_slots_;  // map_lanes: by argument and size
};

// One function for each opcode that runs. The table derives from isa.def: an opcode without a function does not link.
using EmitFunction = void (*)(Emitter&, const ir::Instruction&);
[[nodiscard]] EmitFunction emit_function(ir::Opcode op);  // nullptr for opcodes that FunctionEmitter emits itself

// ---- families
// The functions that emit computing instructions: emit_<Enumerator> in families/*.cpp, one for each opcode of isa.def.
// FunctionEmitter itself emits memory accesses, control flow, barriers, and moves that need addresses or masks.
#define DW_OPCODE(name, mnemonic, family, support) void emit_##name(Emitter& e, const ir::Instruction& in);
#include "language/ptx/isa.def"

}  // namespace drywarp::jit
