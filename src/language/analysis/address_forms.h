// A kernel's registers as linear forms of the launch's variables, once grid, block and parameters are known. The
// analysis ignores the order of instructions: a loop counter is its first value plus a step times the iterations, and
// is taken not to wrap around.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "language/analysis/linear_form.h"
#include "language/analysis/passes.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

// The facts of a launch that addresses depend on.
struct LaunchFacts {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  const uint8_t* parameters = nullptr;  // laid out as Function::parameters says
  uint64_t parameter_bytes = 0;
  const uint64_t* symbols = nullptr;                     // address of every module-scope variable, by SymbolId
  std::function<uint64_t(uint64_t address)> allocation;  // the base of the live allocation that holds it; 0: none
};

// `a` compared with `b` is true.
struct Comparison {
  ir::Compare compare = ir::Compare::None;
  ir::Operand a, b;
  ir::Type type{};
  uint32_t instruction = 0;
};

// A register that a loop doubles or halves (multiplies or divides), and the values that it takes.
struct SteppedRegister {
  ir::RegisterId reg = ir::kNone;
  std::vector<int64_t> values;
  std::vector<uint32_t> of_next;      // comparisons that read the value of the next iteration
  std::vector<ir::RegisterId> mixed;  // made of it, perhaps in an earlier iteration: unknown while it has a value
  std::vector<std::pair<ir::RegisterId, LinearForm>> of_first;  // made before the loop of its first value
};

class AddressForms {
 public:
  // Stands for the allocation of memory that no other block can access, or that is never written: shared and local
  // memory, constants, parameters.
  static constexpr uint64_t kOwnMemory = 1;

  AddressForms(const ir::Module& module, const ir::Function& function, const ControlFlow& flow,
               const LaunchFacts& facts);

  const LinearForm& of(ir::RegisterId r);
  LinearForm of(const ir::Operand& operand, ir::Type type);
  LinearForm of(const ir::Address& address);
  // Comparisons that are true where the predicate has this value.
  void conditions(ir::RegisterId predicate, bool value, std::vector<Comparison>& out, unsigned depth = 0) const;
  [[nodiscard]] const std::vector<LaunchVariable>& variables() const { return variables_; }
  [[nodiscard]] const std::vector<ir::BlockId>& dominators() const { return dominators_; }
  // By register: the instructions that define it.
  [[nodiscard]] const std::vector<std::vector<uint32_t>>& definitions() const { return definitions_; }
  // The only instruction that writes the register; null: there are several, or none.
  [[nodiscard]] const ir::Instruction* only_definition(ir::RegisterId r) const;

  std::vector<SteppedRegister> stepped_registers();
  // From now on these registers have these values. Forms asked for before may differ.
  void assume(const std::vector<std::pair<const SteppedRegister*, int64_t>>& values);

  // What a variable is the remainder of; null: it is none.
  struct Remainder {
    uint32_t variable = 0;
    LinearForm of;
    int64_t divisor = 1;
  };
  [[nodiscard]] const Remainder* remainder(uint32_t variable) const;

 private:
  enum class State : uint8_t { New, Begun, Done };

  LinearForm evaluate(const ir::Instruction& in, ir::RegisterId r);
  LinearForm of_source(const ir::Instruction& in, size_t index);
  LinearForm joined(ir::RegisterId r);
  LinearForm counted(ir::RegisterId r);
  // A loop that counts a register. Its latch is the block that decides whether the loop repeats.
  struct CountedLoop {
    ir::BlockId latch = ir::kNone, header = ir::kNone;
    std::vector<ir::BlockId> behind;        // blocks between the counting instruction and the latch
    std::vector<Comparison> repeats_while;  // true when the loop repeats
  };
  std::optional<CountedLoop> loop_of(uint32_t instruction, const std::vector<uint32_t>& firsts) const;
  int64_t max_iterations(ir::RegisterId r, uint32_t instruction, const std::vector<uint32_t>& firsts,
                         uint32_t iterations, const LinearForm& first, int64_t step);
  // Instructions that read the register after it counted, before the loop repeats or after it ends.
  std::vector<uint32_t> uses_afterwards(ir::RegisterId r, uint32_t instruction, const CountedLoop& loop) const;
  std::optional<SteppedRegister> stepped_register(ir::RegisterId r, uint32_t first, uint32_t update);
  std::vector<ir::RegisterId> mixed_with(ir::RegisterId r) const;
  LinearForm special(ir::SpecialRegister reg) const;
  LinearForm loaded(const ir::Instruction& in, ir::RegisterId r) const;
  LinearForm extended(const LinearForm& form, bool is_signed) const;
  LinearForm divided(const LinearForm& form, int64_t divisor, bool quotient);
  LinearForm combined(const LinearForm& a, const LinearForm& b) const { return sum(a, b, variables_); }
  uint32_t add_variable(LaunchVariable::Kind kind, Range range);
  void discard_forms_with(uint32_t variable);

  const ir::Module& module_;
  const ir::Function& code_;
  const ControlFlow& flow_;
  const LaunchFacts& facts_;
  const std::vector<ir::BlockId> dominators_;
  std::vector<LaunchVariable> variables_;           // the first six: %ctaid and %tid; then the lane
  std::vector<std::vector<uint32_t>> definitions_;  // instructions, by register
  std::vector<ir::BlockId> block_of_;               // by instruction
  std::vector<State> states_;
  std::vector<LinearForm> forms_;
  std::vector<Remainder> remainders_;
  std::vector<ir::RegisterId> begun_;  // from the outermost to the innermost
  int budget_ = 1 << 15;               // registers to evaluate; beyond it all are unknown
};

}  // namespace drywarp::analysis
