#include <algorithm>

#include "engine/exec/kernels/loaded_module.h"
#include "language/analysis/passes.h"

namespace drywarp::exec {
namespace {

SharedLayout make_layout(LoadedModule& loaded, ir::FunctionId kernel) {
  const ir::Module& module = *loaded.module;
  std::vector<analysis::CalledCode> parts;
  for (const CalledFunctions::Part& part : called_functions(loaded, kernel).parts)
    parts.push_back({part.function, &analysed(loaded, part.function).code});
  const std::vector<analysis::SharedVariables> found = analysis::shared_variables(module, parts);
  std::vector<ir::SymbolId> symbols;
  for (const analysis::SharedVariables& of_part : found)
    std::ranges::copy_if(of_part.all, std::back_inserter(symbols),
                         [&](ir::SymbolId s) { return std::ranges::find(symbols, s) == symbols.end(); });
  const ir::Function& code = module.functions[kernel];
  const auto padding = [&](ir::SymbolId s) {
    return module.symbols[s].size == 0 ? code.dynamic_padding : module.symbols[s].padding;
  };
  const auto first = [&](ir::SymbolId s) {
    return (module.symbols[s].size == 0 ? ir::dynamic_shared_offset(code) : module.symbols[s].offset) + padding(s);
  };
  std::ranges::stable_sort(symbols, {}, first);
  SharedLayout layout;
  for (const ir::SymbolId s : symbols) {
    const ir::Symbol& symbol = module.symbols[s];
    layout.variables.push_back({symbol.name, first(s), first(s) + symbol.size, symbol.size == 0, padding(s)});
  }
  if (!layout.tells_apart()) return layout;
  for (size_t part = 0; part < parts.size(); ++part) {
    std::vector<uint32_t>& numbers = layout.accessed[parts[part].id];
    for (const ir::SymbolId s : found[part].accessed) {
      const auto known = std::ranges::find(symbols, s);
      numbers.push_back(known == symbols.end() ? ir::kNone : static_cast<uint32_t>(known - symbols.begin()));
    }
  }
  return layout;
}

}  // namespace

const observe::SharedVariable* SharedLayout::before(uint64_t place) const {
  const auto behind =
      std::ranges::upper_bound(variables, place, {}, [](const observe::SharedVariable& v) { return v.first; });
  return behind == variables.begin() ? nullptr : &*std::prev(behind);
}

const SharedLayout& shared_layout(LoadedModule& loaded, ir::FunctionId kernel) {
  const auto known = loaded.shared_layouts.find(kernel);
  if (known != loaded.shared_layouts.end()) return known->second;
  return loaded.shared_layouts.emplace(kernel, make_layout(loaded, kernel)).first->second;
}

}  // namespace drywarp::exec
