// Operands of PTX instructions as sources and destinations of machine operations. Private to select/.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/sass/select/known_widths.h"
#include "model/sass/select/writer.h"

namespace drywarp::sass {

// [base + offset]
struct MemoryPlace {
  Source base;  // none: only the offset
  int64_t offset = 0;
};

// Special registers and addresses of variables may need instructions of their own, which go to the writer.
class Operands {
 public:
  Operands(const ir::Module& module, const ir::Function& function, Writer& write);

  [[nodiscard]] Source source(const ir::Operand& operand, ir::Type type);
  [[nodiscard]] Source source(const ir::Instruction& in, size_t i, ir::Type type);  // none: it has fewer
  [[nodiscard]] Source source(const ir::Instruction& in, size_t i) { return source(in, i, in.type); }
  [[nodiscard]] Register result(const ir::Instruction& in, size_t i = 0) const;  // kNone: discarded
  // Where an access of this space goes; nothing: it has no address.
  [[nodiscard]] MemoryPlace place(const std::optional<ir::Address>& address, AddressSpace space);
  [[nodiscard]] Source symbol_address(ir::SymbolId symbol, int64_t offset, bool generic);

  // The register that stands for an element of a parameter or result of a called function, on both sides of the call.
  // kNone: it is in local memory, as its address is taken.
  [[nodiscard]] Register slot(const std::optional<ir::Address>& address, uint64_t offset) const;
  // All registers of a parameter or result, by offset.
  [[nodiscard]] std::vector<Register> slots(ir::SymbolId symbol) const;

  // Whether the upper word of the source is known to be zero.
  [[nodiscard]] bool fits_word(const ir::Instruction& in, size_t i) const { return widths_.fits_word(in, i); }
  [[nodiscard]] bool result_fits_word(const ir::Instruction& in) const { return widths_.result_fits_word(in); }

  // Whether the operand is a word of constant memory, as parameters are, and nothing else is written to its register.
  [[nodiscard]] bool is_constant_word(const ir::Operand& operand) const;

  // Whether the operand divides more than one integer.
  [[nodiscard]] bool divides_several(const ir::Operand& divisor) const;

  [[nodiscard]] const ir::Module& module() const { return module_; }
  [[nodiscard]] const ir::Function& function() const { return function_; }

 private:
  [[nodiscard]] Source special(const ir::Operand& operand);

  const ir::Module& module_;
  const ir::Function& function_;
  Writer& write_;
  KnownWidths widths_;
  std::map<ir::SymbolId, std::map<uint64_t, Register>> slots_;
};

}  // namespace drywarp::sass
