#include "model/sass/passes/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "model/sass/code/print.h"
#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

// Which operations a field of the form may be set for: see Form. LEA.HI is a LEA, USHF is a SHF.
struct FieldRule {
  const char* field;
  bool (*set)(const Form&);
  std::vector<std::string_view> operations;
};
const FieldRule kFieldRules[] = {
    {"shift", [](const Form& f) { return f.shift != Shift::None; }, {"SHF", "LEA", "MOV"}},
    {"distance", [](const Form& f) { return f.distance != 0; }, {"LEA"}},
    {"function", [](const Form& f) { return f.function != Function::None; }, {"MUFU"}},
    {"minimum", [](const Form& f) { return f.minimum != Minimum::OfTwo; }, {"IMNMX"}},
    {"keeps_nan", [](const Form& f) { return f.keeps_nan; }, {"FMNMX", "HMNMX2", "DSETP", "DMNMX"}},
    {"changes_sign", [](const Form& f) { return f.changes_sign; }, {"FADD", "HADD2", "LOP3"}},
    {"window", [](const Form& f) { return f.window != AddressSpace::None; }, {"S2R", "S2UR", "IADD3", "ISETP"}},
    {"one_word", [](const Form& f) { return f.one_word; }, {"LOP3"}},
};

std::string_view stem(Operation op) {
  const std::string_view mnemonic = machine::info(lane_form(op)).mnemonic;
  return mnemonic.substr(0, mnemonic.find('.'));
}

bool is_predicate(const RegisterInfo& r) {
  return r.file == RegisterFile::Predicate || r.file == RegisterFile::UniformPredicate;
}

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), written_(kernel.registers.size()) {
    for (const Register r : kernel.parameters) written_[r] = true;
  }

  // First all code notes what it writes; then each instruction is checked.
  void note_writes(const std::vector<Instruction>& code) {
    for (const Instruction& c : code)
      for (const Register r : c.destination)
        if (r < written_.size()) written_[r] = true;
  }
  void check(const std::string& place, const std::vector<Instruction>& code, size_t steps) {
    for (const Instruction& c : code) {
      place_ = &place, at_ = &c;
      check_registers(c);
      check_memory(c);
      if (c.guard && !(c.guard.is_register() && has(c.guard.reg) && is_predicate(kernel_.registers[c.guard.reg])))
        fail("the guard is no predicate");
      if (c.instruction != kNone && c.instruction >= kernel_.function->instructions.size())
        fail("its PTX instruction does not exist");
      if (c.step >= steps) fail(fmt::format("step {} of a path of {}", c.step, steps));
      if (c.role == Role::Branch && &c != &code.back() && (&c)[1].role != Role::Branch)
        fail("an instruction follows the branch");
      if (c.target != kNone && c.target >= kernel_.blocks.size()) fail("its target does not exist");
      if (c.dead) fail("a dead instruction is left");
      for (const FieldRule& rule : kFieldRules)
        if (rule.set(c.form) && std::ranges::find(rule.operations, stem(c.op)) == rule.operations.end())
          fail(fmt::format("the field '{}' means nothing here", rule.field));
    }
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(broken_); }

 private:
  [[nodiscard]] bool has(Register r) const { return r < kernel_.registers.size(); }

  void check_registers(const Instruction& c) {
    for (const Register r : c.destination)
      if (r != kNone && !has(r)) fail(fmt::format("writes register {}, which does not exist", r));
    for_each_source(c, [&](const Source& s) {
      if (!has(s.reg)) return fail(fmt::format("reads register {}, which does not exist", s.reg));
      // A program may read its own registers before it writes them; a pass may not read its own.
      if (s.reg >= kernel_.function->registers.size() && !written_[s.reg])
        fail(fmt::format("reads register {}, which nothing writes", s.reg));
    });
  }

  void check_memory(const Instruction& c) {
    if (const Source& base = c.uniform_base) {
      const bool uniform =
          base.is_register() && has(base.reg) && kernel_.registers[base.reg].file == RegisterFile::Uniform;
      if (!uniform || c.space != AddressSpace::Shared) fail("the uniform base is no uniform register");
    }
    if (c.space == AddressSpace::None) {
      if (c.takes_access) fail("takes an access of memory, but has no space");
      return;
    }
    if (c.bytes == 0 || c.bytes > 16) fail(fmt::format("moves {} bytes a lane", c.bytes));
    if (c.role != Role::Load) return;
    unsigned words = 0;
    for (const Register r : c.destination)
      if (r != kNone && has(r)) words += kernel_.registers[r].words;
    if (words > std::max(1u, c.bytes / 4u)) fail(fmt::format("loads {} bytes into {} registers", c.bytes, words));
  }

  void fail(const std::string& rule) {
    broken_.push_back(fmt::format("{}: {}: {}", *place_, print(kernel_, *at_), rule));
  }

  const Kernel& kernel_;
  std::vector<bool> written_;
  const std::string* place_ = nullptr;
  const Instruction* at_ = nullptr;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> verify(const Kernel& kernel) {
  Verifier verifier(kernel);
  for (const CodeBlock& block : kernel.blocks) verifier.note_writes(block.code);
  for (size_t b = 0; b < kernel.blocks.size(); ++b)
    verifier.check(fmt::format("block {}", b), kernel.blocks[b].code, 1);
  return verifier.take();
}

std::vector<std::string> verify(const Kernel& kernel, const std::vector<Region>& regions) {
  Verifier verifier(kernel);
  for (const Region& region : regions) verifier.note_writes(region.code);
  for (const Region& region : regions)
    verifier.check(fmt::format("region at block {}", region.path[0].block), region.code, region.path.size());
  return verifier.take();
}

}  // namespace drywarp::sass
