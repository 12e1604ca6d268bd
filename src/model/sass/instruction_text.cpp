#include "model/sass/instruction_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "language/ir/print.h"
#include "language/ir/special_registers.h"

namespace drywarp::sass {
namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

struct FileNames {
  const char *prefix, *zero;
};
constexpr FileNames kFiles[] = {{"R", "RZ"}, {"P", "PT"}, {"UR", "URZ"}, {"UP", "UPT"}};  // by machine::RegisterFile
constexpr const char* kFunctions[] = {"",     ".RCP", ".RSQ",  ".SQRT",   ".SIN",   ".COS",
                                      ".LG2", ".EX2", ".TANH", ".RCP64H", ".RSQ64H"};  // by Function
constexpr const char* kShifts[] = {"", ".L", ".R.U32", ".R.S32", ".L", ".R"};          // by Shift

bool is_minimum(Operation op) {
  using enum Operation;
  return op == Imnmx || op == Fmnmx || op == Dmnmx || op == Hmnmx2;
}

std::string width(const Instruction& c) {
  switch (c.bytes) {
    case 1:
      return ".U8";
    case 2:
      return ".U16";
    case 8:
      return ".64";
    case 16:
      return ".128";
    default:
      return "";
  }
}

std::string suffixes(const Instruction& c, Half half) {
  using enum Operation;
  const Form& f = c.form;
  std::string text;
  if (half == Half::High) text += c.op == Iadd3 || c.op == Uiadd3 ? ".X" : c.op == Isetp ? ".EX" : "";
  if (f.function != Function::None) text += kFunctions[unsigned(f.function)];
  if (c.op == Shf || c.op == Ushf) text += kShifts[unsigned(f.shift)];
  if (f.wraps) text += ".W";
  if (is_minimum(c.op) && f.compare != ir::Compare::None)
    text += f.compare == ir::Compare::Lt ? ".MIN" : ".MAX";
  else
    text += upper(ir::suffix(f.compare));
  const bool converts = f.from != ir::Type{};
  const bool is_unsigned_integer =
      f.compare != ir::Compare::None && f.type != ir::Type{} && !ir::is_float(f.type) && !ir::is_signed(f.type);
  if (converts)
    text += fmt::format(".{}.{}", upper(ir::name(f.type)), upper(ir::name(f.from)));
  else if (is_unsigned_integer)
    text += ".U32";
  text += upper(ir::suffix(f.mode));
  if (c.op == Lop3 || c.op == Plop3 || c.op == Ulop3) text += ".LUT";
  if (f.rounding != ir::Rounding::Rn) text += upper(ir::suffix(f.rounding));
  if (f.flushes) text += ".FTZ";
  if (f.saturates) text += ".SAT";
  return text + width(c);
}

class Operands {
 public:
  Operands(const Kernel& kernel, const Allocation& allocation, Half half)
      : kernel_(kernel), allocation_(allocation), half_(half) {}

  [[nodiscard]] std::string name(Register r) const {
    if (r >= kernel_.registers.size()) return kFiles[0].zero;
    const RegisterInfo& info = kernel_.registers[r];
    const FileNames& file = kFiles[unsigned(info.file)];
    const uint16_t number = allocation_.number[r];
    if (number == machine::kNoRegister) return file.zero;
    return fmt::format("{}{}", file.prefix, number + (half_ == Half::High && info.words == 2 ? 1 : 0));
  }

  [[nodiscard]] std::string text(const Source& s) const {
    std::string text;
    bool is_predicate = false;
    if (s.is_register()) {
      text = name(s.reg);
      if (s.modifiers & kHalf) text += s.value % 2 == 0 ? ".H0_H0" : ".H1_H1";
      const RegisterFile file = s.reg < kernel_.registers.size() ? kernel_.registers[s.reg].file : RegisterFile{};
      is_predicate = file == RegisterFile::Predicate || file == RegisterFile::UniformPredicate;
    } else if (s.is_immediate()) {
      const uint64_t bits = half_ == Half::Low ? s.value & 0xffffffff : half_ == Half::High ? s.value >> 32 : s.value;
      text = fmt::format("{:#x}", bits);
    } else if (s.is_constant()) {
      const uint64_t second = half_ == Half::High && s.words == 2 ? 4 : 0;
      text =
          fmt::format("c[{:#x}][{:#x}]", s.value / machine::kConstantBank, s.value % machine::kConstantBank + second);
    }
    if (s.modifiers & kAbsolute) text = "|" + text + "|";
    const std::string inverted = s.modifiers & kInverted ? is_predicate ? "!" : "~" : "";
    return (s.modifiers & kNegated ? "-" : "") + inverted + text;
  }

  // [R2.64+0x10]
  [[nodiscard]] std::string address(const Instruction& c) const {
    const Source& base = c.source[0];
    if (base.is_constant() && c.offset == 0) return text(base);
    std::string inside;
    if (base.is_register()) {
      inside = name(base.reg);
      if (kernel_.registers[base.reg].words == 2) inside += ".64";
    } else if (base && !(base.is_immediate() && base.value == 0)) {
      inside = text(base);
    }
    if (c.uniform_base) inside += (inside.empty() ? "" : "+") + text(c.uniform_base);
    if (inside.empty()) return fmt::format("[{:#x}]", c.offset);
    if (c.offset != 0) inside += fmt::format("{}{:#x}", c.offset < 0 ? "-" : "+", c.offset < 0 ? -c.offset : c.offset);
    return "[" + inside + "]";
  }

 private:
  const Kernel& kernel_;
  const Allocation& allocation_;
  const Half half_;
};

bool reads_special_register(Operation op) {
  using enum Operation;
  return op == S2r || op == S2ur || op == Cs2r;
}

// A shift by 16 drops the upper half by itself, and has no selector.
Source whole_word(const Instruction& c, Source s) {
  if (c.op == Operation::Shf) s.modifiers &= static_cast<uint8_t>(~kHalf);
  return s;
}

}  // namespace

std::string instruction_text(const Kernel& kernel, const Allocation& allocation, const Instruction& c, Half half) {
  const Operands operands(kernel, allocation, half);
  std::vector<std::string> list;
  const bool vector = c.bytes != 0;  // its further destinations are the next registers of one range
  for (size_t i = 0; i < c.destination.size(); ++i)
    if (c.destination[i] != kNone && (i == 0 || !vector)) list.push_back(operands.name(c.destination[i]));
  if (vector) list.push_back(operands.address(c));
  for (size_t i = vector ? 1 : 0; i < c.source.size(); ++i)
    if (c.source[i]) list.push_back(operands.text(whole_word(c, c.source[i])));
  if (c.form.distance != 0) list.push_back(fmt::format("{:#x}", c.form.distance));
  if (c.form.table != 0) list.push_back(fmt::format("{:#x}", c.form.table));
  if (reads_special_register(c.op) && c.form.window == AddressSpace::None)
    list.push_back("SR_" + upper(ir::name(c.form.special, c.form.index).substr(1)));
  if (c.target != kNone) list.push_back(fmt::format("block {}", c.target));
  const std::string guard =
      c.guard ? fmt::format("@{}{} ", c.guard_negated ? "!" : "", operands.text(c.guard)) : std::string();
  return fmt::format("{}{}{}{}{}", guard, machine::info(c.op).mnemonic, suffixes(c, half), list.empty() ? "" : " ",
                     fmt::join(list, ", "));
}

}  // namespace drywarp::sass
