// Emits each form as a function and compiles it for a level of vector instructions. Its own Emitter has registers in
// arrays, so the families are tested without FunctionEmitter.
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/jit/effort.h"
#include "form.h"

namespace drywarp::jit::test {

inline constexpr unsigned kLanes = 32;

// Arrays of [operand][32] uint64; at width 1 the pointers, `carry` too, point to one lane's column.
using FormFunction = void (*)(const uint64_t* sources, uint64_t* results, uint8_t* carry, uint32_t active);

struct CompiledForm {
  FormFunction wide = nullptr;
  FormFunction narrow = nullptr;
};

class FormCompiler {
 public:
  explicit FormCompiler(const std::string& level);  // "avx512", "avx2", "sse"
  std::vector<CompiledForm> compile(const std::vector<ParsedForm>& forms);
  // At the level "avx512", compiles all forms. At another, compiles the forms for which the emitters choose other code
  // than for the host's widest vectors, and every fourth of the rest, for which only LLVM's part differs. The functions
  // of a form that is left out are null.
  std::vector<CompiledForm> compile_what_differs(const std::vector<ParsedForm>& forms);

  // The level in use: if the host lacks the requested one, a lower one.
  [[nodiscard]] unsigned vector_bits() const { return vector_bits_; }

 private:
  std::vector<CompiledForm> compile(const std::vector<ParsedForm>& forms, const std::vector<bool>& chosen);

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  bool all_;       // "avx512": the host's widest vectors, even if it lacks AVX-512
  Effort effort_;  // Linear for the narrowest vectors, which take LLVM longest
  unsigned vector_bits_ = 128;
};

}  // namespace drywarp::jit::test
