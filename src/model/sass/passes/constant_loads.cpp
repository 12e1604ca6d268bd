#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "model/sass/passes/passes.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Turns loads of constant variables whose address is known into constants.
class ConstantLoads {
 public:
  // `written`: registers of the kernel's own code, which other regions may read.
  ConstantLoads(Kernel& kernel, std::vector<Instruction>& code, const std::unordered_set<Register>& written)
      : kernel_(kernel), code_(code), written_(written) {}

  void run() {
    bool any = false;
    for (Instruction& c : code_) {
      any |= in_place(c);
      follow(c);
    }
    if (any) merge_constants(code_);
  }

 private:
  struct Place {
    ir::SymbolId variable = 0;
    int64_t offset = 0;
  };

  [[nodiscard]] std::optional<Place> place_of(const Source& s) const {
    if (const auto variable = constant_variable_at(*kernel_.module, s)) return Place{*variable, 0};
    const auto known = s.is_register() && s.modifiers == 0 ? places_.find(s.reg) : places_.end();
    if (known == places_.end()) return std::nullopt;
    return known->second;
  }

  // Which address the instruction's result is.
  void follow(const Instruction& c) {
    std::optional<Place> place = place_of(c.source[0]);
    const bool moves = c.role == Role::Copy || ((c.op == Ldc || c.op == Uldc) && c.space == AddressSpace::None);
    const bool adds = lane_form(c.op) == Iadd3 && is_plain(c) && c.source[1].is_immediate() && !c.source[2];
    if (place && adds) place->offset += static_cast<int64_t>(c.source[1].value);
    for (const Register d : c.destination)
      if (d != kNone) places_.erase(d);
    if (place && (moves || adds) && !c.guard && c.destination[0] != kNone && c.destination[1] == kNone)
      places_[c.destination[0]] = *place;
  }

  bool in_place(Instruction& c) {
    constexpr uint8_t kWord = 4;
    const std::optional<Place> place = place_of(c.source[0]);
    if (c.op != Ldc || c.space != AddressSpace::Const || c.bytes < kWord || c.guard || c.uniform_base || !place)
      return false;
    const auto offset = static_cast<uint64_t>(place->offset + c.offset);
    Instruction constant;
    const Register d = c.destination[0];
    constant.op = c.destination[1] == kNone && !written_.contains(d) && read_as_operand(d) ? Uldc : Ldc;
    if (constant.op == Uldc) kernel_.registers[d].file = RegisterFile::Uniform;
    constant.destination = c.destination;
    constant.source.set(0, words_of(place->variable, offset, static_cast<uint8_t>(c.bytes / kWord)));
    constant.instruction = c.instruction;
    constant.step = c.step;
    c = constant;
    return true;
  }

  // Whether every use of the register may be the one operand that an instruction reads from a uniform register.
  [[nodiscard]] bool read_as_operand(Register r) const {
    return std::ranges::all_of(code_, [&](const Instruction& c) {
      unsigned reads = 0, others = 0;
      for (const Source& s : c.source) {
        const bool mine = s.is_register() && s.reg == r;
        reads += mine;
        others += !mine && (s.is_immediate() || s.is_constant() ||
                            (s.is_register() && kernel_.registers[s.reg].file == RegisterFile::Uniform));
      }
      const bool elsewhere = c.uniform_base.is_register() && c.uniform_base.reg == r;
      return !elsewhere && (reads == 0 || (reads == 1 && others == 0 && takes_operand(c)));
    });
  }

  Kernel& kernel_;
  std::vector<Instruction>& code_;
  const std::unordered_set<Register>& written_;
  std::unordered_map<Register, Place> places_;
};

}  // namespace

void place_constant_loads(Kernel& kernel, std::vector<Region>& regions) {
  std::unordered_set<Register> written;
  for (const CodeBlock& block : kernel.blocks)
    for (const Instruction& c : block.code)
      for (const Register d : c.destination) written.insert(d);
  for (Region& region : regions)
    if (region.whole_loop) ConstantLoads(kernel, region.code, written).run();
}

}  // namespace drywarp::sass
