#include "language/ir/print.h"

#include <fmt/format.h>

#include "language/ir/print_modifiers.h"
#include "language/ir/special_registers.h"

namespace drywarp::ir {
namespace {

std::string squeeze(std::string_view text) {
  std::string result;
  bool blank = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool comment = text.substr(i).starts_with("//");
    if (comment) {
      i = std::min(text.find('\n', i), text.size() - 1);
      blank = true;
      continue;
    }
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      blank = true;
      continue;
    }
    if (blank && !result.empty() && c != ';' && c != ',') result += ' ';
    blank = false;
    result += c;
  }
  return result;
}

std::string register_name(const Function& function, RegisterId id) {
  return id < function.registers.size() ? function.registers[id].name : fmt::format("%?{}", id);
}

std::string operand_text(const Function& function, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Register: {
      std::string text = (operand.negate ? "!" : "") + register_name(function, operand.id);
      if (operand.selector[0] != 0) (text += '.') += operand.selector.data();
      return text;
    }
    case Operand::Kind::Immediate:
      return operand.bits < 1024 ? fmt::format("{}", operand.bits) : fmt::format("{:#x}", operand.bits);
    case Operand::Kind::Special:
      return name(operand.special, operand.index);
    case Operand::Kind::Symbol:
      return operand.bits == 0 ? fmt::format("symbol{}", operand.id)
                               : fmt::format("symbol{}+{}", operand.id, operand.bits);
    case Operand::Kind::Function:
      return fmt::format("function{}", operand.id);
    default:
      return "_";
  }
}

std::string list_text(const Function& function, const std::vector<Operand>& operands, bool braces) {
  std::string text;
  for (const Operand& operand : operands) {
    if (!text.empty()) text += ", ";
    text += operand_text(function, operand);
  }
  return braces && operands.size() > 1 ? "{" + text + "}" : text;
}

std::string address_text(const Function& function, const Address& address) {
  std::string base = address.reg != kNone      ? register_name(function, address.reg)
                     : address.symbol != kNone ? fmt::format("symbol{}", address.symbol)
                                               : std::string();
  if (base.empty()) return fmt::format("[{}]", address.offset);
  return address.offset == 0 ? "[" + base + "]" : fmt::format("[{}{:+}]", base, address.offset);
}

}  // namespace

std::string print(const Function& function, const Instruction& instruction) {
  if (instruction.text_length != 0 && function.source != nullptr) {
    return squeeze(std::string_view(*function.source).substr(instruction.text_begin, instruction.text_length));
  }
  std::string text;
  if (instruction.guard) {
    text = (instruction.guard.negate ? "@!" : "@") + register_name(function, instruction.guard.reg) + " ";
  }
  if (instruction.op == Opcode::Unknown) return text + instruction.mods.extra + ";";
  text += info(instruction.op).mnemonic;
  text += suffixes(instruction);
  for (Type type : {instruction.type, instruction.type2, instruction.type3}) {
    if (type != Type::None) (text += '.') += name(type);
  }
  std::string operands = list_text(function, instruction.dst, true);
  const auto add = [&](const std::string& more) {
    if (more.empty()) return;
    if (!operands.empty()) operands += ", ";
    operands += more;
  };
  if (instruction.address) add(address_text(function, *instruction.address));
  if (instruction.address2) add(address_text(function, *instruction.address2));
  const bool stores_vector = instruction.op == Opcode::St && instruction.mods.vector > 1;
  add(list_text(function, instruction.src, stores_vector));
  if (instruction.op == Opcode::Call) {
    std::string results = list_text(function, instruction.call_results, false);
    if (!results.empty()) operands = "(" + results + "), " + operands;
    if (instruction.callee != kNone) add(fmt::format("function{}", instruction.callee));
    const std::string arguments = list_text(function, instruction.call_arguments, false);
    if (!arguments.empty()) add("(" + arguments + ")");
  }
  if (instruction.op == Opcode::Bra)
    add(instruction.target == kExit ? "exit" : fmt::format("block{}", instruction.target));
  return operands.empty() ? text + ";" : text + " " + operands + ";";
}

}  // namespace drywarp::ir
