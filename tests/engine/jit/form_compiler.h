// Lowers forms one function each and compiles them for a level of vector instructions, with an Emitter of its own whose
// registers are arrays in memory: the lowerings are tested without the control part.
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/jit/effort.h"
#include "form.h"

namespace drywarp::jit::test {

inline constexpr unsigned kLanes = 32;

// Arrays of [operand][32] uint64; with width 1 the pointers are to one lane's column. `carry` is a column likewise.
using FormFunction = void (*)(const uint64_t* sources, uint64_t* results, uint8_t* carry, uint32_t active);

struct CompiledForm {
  FormFunction wide = nullptr;
  FormFunction narrow = nullptr;
};

class FormCompiler {
 public:
  explicit FormCompiler(const std::string& level);  // "avx512", "avx2", "sse"
  std::vector<CompiledForm> compile(const std::vector<ParsedForm>& forms);

  // What the host can do: a level that it lacks is compiled for less.
  [[nodiscard]] unsigned vector_bits() const { return vector_bits_; }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  Effort effort_;  // the narrowest vectors, which take LLVM longest, as kernels beyond the budget are compiled
  unsigned vector_bits_ = 128;
};

}  // namespace drywarp::jit::test
