#include "form.h"

#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "language/ir/build/build.h"

namespace drywarp::jit::test {
namespace {

ParsedForm::Slot slot_of(char kind) {
  switch (kind) {
    case 'p':
      return {1, kind};
    case 'h':
      return {16, kind};
    case 'r':
    case 'f':
      return {32, kind};
    default:
      return {64, kind};
  }
}

const char* declared(char kind) {
  switch (kind) {
    case 'p':
      return ".pred";
    case 'h':
      return ".b16";
    case 'r':
      return ".b32";
    case 'f':
      return ".f32";
    case 'd':
      return ".f64";
    default:
      return ".b64";
  }
}

}  // namespace

ParsedForm parse_form(const Form& form) {
  ParsedForm parsed{form, {}, {}, {}, {}, {}, {}};
  std::istringstream words(form.operands);
  std::string declarations, result_text, source_text, word;
  bool sources = false;
  while (words >> word) {
    if (word == "=") {
      sources = true;
      continue;
    }
    std::string& text = sources ? source_text : result_text;
    auto& slots = sources ? parsed.sources : parsed.results;
    if (!text.empty()) text += sources ? ", " : "|";
    bool literal = (word[0] >= '0' && word[0] <= '9') || (word[0] == '-' && word[1] >= '0' && word[1] <= '9');
    if (literal || word == "_") {
      text += word;
      slots.push_back({});
      continue;
    }
    size_t prefix = word[0] == '-' || word[0] == '!' ? 1 : 0;
    char kind = word[prefix];
    std::string name = (sources ? "s" : "d") + std::to_string(slots.size());
    slots.push_back(slot_of(kind));
    declarations += std::string(".reg ") + declared(kind) + " " + name + ";\n";
    text += word.substr(0, prefix) + name + word.substr(prefix + 1);
  }
  std::string ptx = ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k()\n{\n" + declarations + form.opcode +
                    " " + result_text + ", " + source_text + ";\nret;\n}\n";
  auto module = ir::parse_module(ptx, form.opcode);
  if (!module) throw std::runtime_error(form.opcode + " " + form.operands + ": " + module.problem().to_string());
  parsed.module = std::move(*module);
  const ir::Function& function = parsed.module.functions.at(0);
  for (const ir::Register& r : function.registers) {
    const bool result = r.name[0] == 'd';
    const auto index = static_cast<unsigned>(std::stoul(r.name.substr(1)));
    parsed.rows.push_back({result, index, (result ? parsed.results : parsed.sources).at(index).bits});
  }
  parsed.instruction = function.instructions.at(0);
  parsed.instructions = {parsed.instruction};
  return parsed;
}

ParsedForm parse_recorded(const std::string& text) {
  static const std::regex kRegister(R"(%(p|h|rd|r|fd|f)_([ad])(\d+))");
  ParsedForm parsed{{text, ""}, {}, {}, {}, {}, {}, {}};
  std::map<std::string, std::string> declarations;
  for (std::sregex_iterator at(text.begin(), text.end(), kRegister), end; at != end; ++at) {
    const std::string kind = (*at)[1];
    auto slot = slot_of(kind == "rd" ? 'l' : kind == "fd" ? 'd' : kind[0]);
    const size_t index = std::stoul((*at)[3]);
    auto& slots = (*at)[2] == "d" ? parsed.results : parsed.sources;
    if (slots.size() <= index) slots.resize(index + 1);
    slots[index] = slot;
    declarations[at->str()] = declared(slot.kind);
  }
  std::string ptx = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n";
  for (const auto& [name, type] : declarations) ptx += ".reg " + type + " " + name + ";\n";
  auto module = ir::parse_module(ptx + text + "\nret;\n}\n", text);
  if (!module) throw std::runtime_error(text + ": " + module.problem().to_string());
  parsed.module = std::move(*module);
  const ir::Function& function = parsed.module.functions.at(0);
  for (const ir::Register& r : function.registers) {
    const size_t mark = r.name.find('_');
    const bool result = r.name[mark + 1] == 'd';
    const auto index = static_cast<unsigned>(std::stoul(r.name.substr(mark + 2)));
    parsed.rows.push_back({result, index, (result ? parsed.results : parsed.sources).at(index).bits});
  }
  parsed.instructions.assign(function.instructions.begin(), function.instructions.end() - 1);
  parsed.instruction = parsed.instructions.at(0);
  return parsed;
}

}  // namespace drywarp::jit::test
