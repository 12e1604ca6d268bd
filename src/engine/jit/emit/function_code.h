// One function while it is emitted: what all parts of the emission share.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/jit/abi/kernel_code.h"
#include "engine/jit/abi/runtime_abi.h"
#include "language/ir/kernel.h"

namespace drywarp::jit {

using Value = llvm::Value;

enum class Form : uint8_t { Warp, Group };

// The value of a constant integer; none: known only at run time.
inline std::optional<int64_t> known(const llvm::Value* v) {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  return c ? std::optional(c->getSExtValue()) : std::nullopt;
}

struct FunctionCode {
  // Creates the function, with its entry block and the slots there.
  FunctionCode(llvm::Module& llvm_module, llvm::IRBuilder<>& builder, const ir::Module& module,
               const PreparedFunction& prepared, const CodeOptions& options, Form form, const std::string& symbol);
  FunctionCode(const FunctionCode&) = delete;
  FunctionCode& operator=(const FunctionCode&) = delete;

  llvm::Module& llvm_module;
  llvm::IRBuilder<>& b;
  const ir::Module& module;
  const PreparedFunction& prepared;
  const ir::Function& code;
  const CodeOptions options;
  const Form form;
  llvm::Function* function = nullptr;
  Value* context = nullptr;
  Value* frame = nullptr;                  // i64: offset in local memory
  llvm::AllocaInst* mask_slot = nullptr;   // i32: lanes running now
  llvm::AllocaInst* depth_slot = nullptr;  // i32: entries on the divergence stack
  llvm::AllocaInst* ended_slot = nullptr;  // i32: lanes that have returned from this function or exited
  llvm::BasicBlock* return_block = nullptr;

  // ---- of the instruction that is emitted
  ir::BlockId current_block = 0;
  Value* guard = nullptr;      // lanes that its varying predicate lets pass
  Value* executing = nullptr;  // lanes that execute an exchange, all masks together

  [[nodiscard]] bool warp_form() const { return form == Form::Warp; }
  [[nodiscard]] Value* i32(uint64_t v) const { return b.getInt32(static_cast<uint32_t>(v)); }
  [[nodiscard]] Value* i64(uint64_t v) const { return b.getInt64(v); }

  // ---- lanes
  Value* active_mask();      // that execute the instruction
  Value* active_lanes();     // the same as <32 x i1>
  Value* executing_lanes();  // all that execute an exchange, even where active_mask() has one member mask's alone
  Value* mask_to_lanes(Value* mask);
  Value* lanes_to_mask(Value* lanes);
  Value* widen(Value* scalar);  // to 32 lanes

  // ---- the runtime
  template <class Result, class... Parameters, size_t Count>
  Value* call_runtime(const RuntimeFunction<Result(Parameters...)>& function, Value* const (&arguments)[Count]) {
    static_assert(Count == sizeof...(Parameters));
    return call_runtime(function.name, type_of<Result>(), {type_of<Parameters>()...}, arguments);
  }
  Value* context_field(size_t offset, llvm::Type* type);  // load, invariant in the function
  Value* context_address(size_t offset);
  Value* counter(size_t context_field, uint64_t offset);  // address inside one of the counter arrays
  void add_counter(Value* address, uint64_t offset, Value* amount);

  // ---- slots and branches
  Value* spill(Value* value, const char* name);  // into an entry-block slot; its address
  llvm::AllocaInst* entry_slot(llvm::Type* type, const char* name);
  // Runs `body` only if `condition`; unlikely paths are marked so.
  template <class Body>
  void when(Value* condition, bool likely, Body body);

 private:
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

  std::map<std::pair<std::string_view, llvm::Type*>, llvm::AllocaInst*> spilled;
};

// A part of the emission. Each part uses those before it.
class Part {
 protected:
  explicit Part(FunctionCode& code) : f(code), b(code.b) {}
  [[nodiscard]] Value* i32(uint64_t v) const { return f.i32(v); }
  [[nodiscard]] Value* i64(uint64_t v) const { return f.i64(v); }

  FunctionCode& f;
  llvm::IRBuilder<>& b;
};

template <class Body>
void FunctionCode::when(Value* condition, bool likely, Body body) {
  auto* inside = llvm::BasicBlock::Create(b.getContext(), "when", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  llvm::MDBuilder metadata(b.getContext());
  b.CreateCondBr(condition, inside, after,
                 likely ? metadata.createBranchWeights(1000, 1) : metadata.createBranchWeights(1, 1000));
  b.SetInsertPoint(inside);
  body();
  if (!b.GetInsertBlock()->getTerminator()) b.CreateBr(after);
  b.SetInsertPoint(after);
}

}  // namespace drywarp::jit
