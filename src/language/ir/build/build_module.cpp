// Module scope: files, variables, functions' heads, then bodies and the layouts that need all of them.
#include <algorithm>

#include "language/ir/build/build.h"
#include "language/ir/build/builder.h"
#include "language/ir/clusters.h"
#include "language/ir/passes.h"
#include "language/ptx/parser.h"

namespace drywarp::ir {

ModuleBuilder::ModuleBuilder(const ptx::SyntaxTree& syntax, std::string name) : tree(syntax) {
  module.name = std::move(name);
}

bool ModuleBuilder::fail(ptx::Position at, std::string message, std::string hint) {
  if (!problem) problem = error_at({tree.name, at.line, at.column}, std::move(message), std::move(hint));
  return false;
}

uint32_t ModuleBuilder::file_index(uint64_t number) const {
  const auto found = file_numbers_.find(number);
  return found == file_numbers_.end() ? kNone : found->second;
}

uint64_t ModuleBuilder::element_bytes(const ptx::Variable& variable) const {
  const Type type = type_from_name(variable.type);
  if (variable.type == "texref" || variable.type == "samplerref" || variable.type == "surfref")
    return 8;  // opaque handles
  return uint64_t{bits(type) / 8} * variable.vector;
}

bool ModuleBuilder::make_symbol(const ptx::Variable& variable, AddressSpace space, Symbol& symbol) {
  const uint64_t element = element_bytes(variable);
  if (element == 0) return fail(variable.at, "variable of type ." + std::string(variable.type) + ", which has no size");
  if (variable.is_range) {
    if (variable.range > 1u << 16) return fail(variable.at, "too many variables");
  }
  constexpr uint64_t kMost = uint64_t{1} << 48;
  if (variable.elements > kMost / element) return fail(variable.at, "variable is too large");
  symbol.name = variable.name;
  symbol.space = space;
  symbol.size = variable.elements * element;
  symbol.alignment = uint32_t(std::max(variable.alignment, element));
  symbol.is_extern = variable.linking == ptx::Linking::Extern;
  symbol.managed = variable.managed;
  return true;
}

void ModuleBuilder::add_parameters(const ptx::Variable& variable, std::vector<Parameter>& list) const {
  const bool registers = variable.space == ptx::StateSpace::Reg;
  const uint64_t element = registers ? bits(type_from_name(variable.type)) / 8 : element_bytes(variable);
  Parameter parameter;
  parameter.type = type_from_name(variable.type);
  parameter.size = variable.elements * element;
  parameter.alignment = uint32_t(std::max({variable.alignment, element, uint64_t{1}}));
  list.insert(list.end(), registers ? variable.vector : 1, parameter);
}

bool ModuleBuilder::declare_variables() {
  constexpr std::pair<ptx::StateSpace, AddressSpace> kSpaces[] = {{ptx::StateSpace::Global, AddressSpace::Global},
                                                                  {ptx::StateSpace::Const, AddressSpace::Const},
                                                                  {ptx::StateSpace::Shared, AddressSpace::Shared},
                                                                  {ptx::StateSpace::Tex, AddressSpace::Global}};
  for (const ptx::Variable& variable : tree.module_variables) {
    if (variable.space == ptx::StateSpace::Reg) {
      const Type type = type_from_name(variable.type);
      if (type == Type::None) return fail(variable.at, "unknown type '." + std::string(variable.type) + "'");
      if (!module_registers.emplace(variable.name, std::pair(type, variable.vector)).second) {
        return fail(variable.at, "'" + std::string(variable.name) + "' is declared twice");
      }
      continue;
    }
    const auto space =
        std::find_if(std::begin(kSpaces), std::end(kSpaces), [&](const auto& s) { return s.first == variable.space; });
    if (space == std::end(kSpaces))
      return fail(variable.at, "variables of this state space cannot stand outside of functions");
    Symbol symbol;
    if (!make_symbol(variable, space->second, symbol)) return false;
    symbol.of_module = true;
    const auto [found, fresh] = symbols.emplace(variable.name, SymbolId(module.symbols.size()));
    if (!fresh) {
      // A declaration and its definition, in either order; the first of two declarations stays.
      Symbol& known = module.symbols[found->second];
      if (known.space != symbol.space || (!known.is_extern && !symbol.is_extern)) {
        return fail(variable.at, "'" + std::string(variable.name) + "' is declared twice");
      }
      if (symbol.is_extern) continue;
      known = std::move(symbol);
      element_size[found->second] = uint32_t(element_bytes(variable));
    } else {
      module.symbols.push_back(std::move(symbol));
      element_size.push_back(uint32_t(element_bytes(variable)));
    }
    if (variable.has_initializer) initializers.push_back({&variable, found->second});
  }
  return true;
}

// Function heads, so that bodies can call functions that are defined later.
bool ModuleBuilder::declare_functions() {
  for (const ptx::Function& syntax : tree.functions) {
    const auto [found, fresh] = functions.emplace(syntax.name, FunctionId(module.functions.size()));
    if (fresh) module.functions.emplace_back();
    Function& function = module.functions[found->second];
    if (!fresh) {
      if (function.is_kernel != syntax.is_kernel)
        return fail(syntax.at, "'" + std::string(syntax.name) + "' is declared twice");
      if (!function.is_declaration && syntax.has_body)
        return fail(syntax.at, "'" + std::string(syntax.name) + "' is defined twice");
      if (!syntax.has_body) continue;
    }
    function = {};
    function.name = syntax.name;
    function.source = tree.text;
    function.is_kernel = syntax.is_kernel;
    function.is_declaration = !syntax.has_body;
    const auto list = [&](ptx::Range range, std::vector<Parameter>& into) {
      for (uint32_t i = 0; i < range.count; ++i) add_parameters(tree.variables[range.first + i], into);
    };
    list(syntax.results, function.results);
    list(syntax.parameters, function.parameters);
    if (symbols.contains(syntax.name)) return fail(syntax.at, "'" + std::string(syntax.name) + "' is declared twice");
  }
  return true;
}

// An alias is another name for its target: calls go there.
bool ModuleBuilder::apply_aliases() {
  for (const ptx::Alias& alias : tree.aliases) {
    const auto target = functions.find(alias.target);
    if (target == functions.end())
      return fail(alias.at, "alias of '" + std::string(alias.target) + "', which is not declared");
    functions[alias.name] = target->second;
  }
  return true;
}

bool ModuleBuilder::build() {
  module.version = tree.version;
  if (!tree.target.empty()) module.target = tree.target.front();
  for (const ptx::File& file : tree.files) {
    if (file_numbers_.emplace(file.number, uint32_t(module.files.size())).second) module.files.emplace_back(file.path);
  }
  if (!declare_variables() || !declare_functions() || !apply_aliases()) return false;
  for (const ptx::Function& syntax : tree.functions) {
    if (!syntax.has_body) continue;
    if (!FunctionBuilder(*this, syntax, functions.find(syntax.name)->second).build()) return false;
  }
  for (const Pending& pending : initializers) {
    if (!initialize(*pending.variable, pending.symbol)) return false;
  }
  lay_out(module);
  module.uses_clusters = std::ranges::any_of(module.functions, uses_clusters);
  for (const Function& function : module.functions) {
    if (Status status = verify(module, function); !status) {
      problem = status.problem();
      return false;
    }
  }
  return true;
}

Result<Module> build(const ptx::SyntaxTree& tree, std::string name) {
  ModuleBuilder builder(tree, std::move(name));
  if (!builder.build()) return *builder.problem;
  return std::move(builder.module);
}

Result<Module> parse_module(std::string_view ptx_text, std::string name) {
  Result<ptx::SyntaxTree> tree = ptx::parse(ptx_text, name);
  if (!tree) return tree.problem();
  return build(*tree, std::move(name));
}

}  // namespace drywarp::ir
