#include "model/sass/code/print.h"

#include <fmt/format.h>

namespace drywarp::sass {
namespace {

struct Field {
  const char* name;
  unsigned (*of)(const Form&);
};
constexpr Field kFields[] = {
    {"compare", [](const Form& f) { return unsigned(f.compare); }},
    {"table", [](const Form& f) { return unsigned(f.table); }},
    {"rounding", [](const Form& f) { return unsigned(f.rounding); }},
    {"flushes", [](const Form& f) { return unsigned(f.flushes); }},
    {"saturates", [](const Form& f) { return unsigned(f.saturates); }},
    {"keeps_nan", [](const Form& f) { return unsigned(f.keeps_nan); }},
    {"changes_sign", [](const Form& f) { return unsigned(f.changes_sign); }},
    {"shift", [](const Form& f) { return unsigned(f.shift); }},
    {"wraps", [](const Form& f) { return unsigned(f.wraps); }},
    {"distance", [](const Form& f) { return unsigned(f.distance); }},
    {"minimum", [](const Form& f) { return unsigned(f.minimum); }},
    {"function", [](const Form& f) { return unsigned(f.function); }},
    {"mode", [](const Form& f) { return unsigned(f.mode); }},
    {"special", [](const Form& f) { return unsigned(f.special); }},
    {"index", [](const Form& f) { return unsigned(f.index); }},
    {"window", [](const Form& f) { return f.window == AddressSpace::None ? 0 : 1 + unsigned(f.window); }},
    {"word", [](const Form& f) { return unsigned(f.word); }},
    {"one_word", [](const Form& f) { return unsigned(f.one_word); }},
    {"in_sequence", [](const Form& f) { return unsigned(f.in_sequence); }},
    {"ends_name", [](const Form& f) { return unsigned(f.ends_name); }},
};

std::string text_of(const Form& form) {
  std::string text;
  const auto add = [&](const std::string& field) { text += (text.empty() ? "" : ", ") + field; };
  if (form.type != ir::Type{}) add(ir::name(form.type));
  if (form.from != ir::Type{}) add(fmt::format("from {}", ir::name(form.from)));
  for (const Field& f : kFields)
    if (const unsigned value = f.of(form); value != 0)
      add(value == 1 ? f.name : fmt::format("{} {:#x}", f.name, value));
  return text.empty() ? text : "  {" + text + "}";
}

std::string text_of(const Kernel& kernel, Register r) {
  constexpr const char* kFiles[] = {"R", "P", "UR", "UP"};  // by machine::RegisterFile
  if (r >= kernel.registers.size()) return fmt::format("?{}", r);
  const RegisterInfo& info = kernel.registers[r];
  return fmt::format("{}{}{}", kFiles[unsigned(info.file)], r, info.words > 1 ? fmt::format(".{}", info.words) : "");
}

std::string text_of(const Kernel& kernel, const Source& s) {
  std::string text;
  if (s.is_register())
    text = text_of(kernel, s.reg) + (s.modifiers & kHalf ? fmt::format(".H{}", s.value) : "");
  else if (s.is_immediate())
    text = fmt::format("{:#x}", s.value);
  else if (s.is_constant())
    text = fmt::format("c[{}][{:#x}]", s.value / machine::kConstantBank, s.value % machine::kConstantBank);
  if (s.modifiers & kAbsolute) text = "|" + text + "|";
  return (s.modifiers & kNegated ? "-" : "") + std::string(s.modifiers & kInverted ? "~" : "") + text;
}

template <typename Code>
std::string lines(const Kernel& kernel, const Code& code) {
  std::string text;
  for (const Instruction& c : code) text += "  " + print(kernel, c) + "\n";
  return text;
}

}  // namespace

std::string print(const Kernel& kernel, const Instruction& c) {
  std::string text = c.guard ? fmt::format("@{}{} ", c.guard_negated ? "!" : "", text_of(kernel, c.guard)) : "";
  text += machine::info(c.op).mnemonic;
  if (c.wide) text += ".64";
  std::string operands;
  const auto add = [&](const std::string& operand) { operands += (operands.empty() ? " " : ", ") + operand; };
  for (const Register r : c.destination)
    if (r != kNone) add(text_of(kernel, r));
  for (size_t i = 0; i < c.source.size(); ++i)
    if (const Source& s = c.source[i])
      add(i == 0 && c.bytes != 0
              ? fmt::format("[{}{}{:+}]", text_of(kernel, s),
                            c.uniform_base ? "+" + text_of(kernel, c.uniform_base) : std::string(), c.offset)
              : text_of(kernel, s));
  if (c.target != kNone) add(fmt::format("block {}", c.target));
  return text + operands + text_of(c.form) + (c.dead ? "  dead" : "");
}

std::string print(const Kernel& kernel) {
  std::string text;
  for (size_t b = 0; b < kernel.blocks.size(); ++b)
    text += fmt::format("block {}:\n{}", b, lines(kernel, kernel.blocks[b].code));
  return text;
}

std::string print(const Kernel& kernel, const Region& region) {
  std::string text = "path";
  for (const Step& s : region.path) text += fmt::format(" {}{}", s.block, s.optional ? "?" : "");
  return text + ":\n" + lines(kernel, region.code);
}

}  // namespace drywarp::sass
