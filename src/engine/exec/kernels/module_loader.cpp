// Puts a module into device memory: its variables, their initial values, and the addresses in them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/events/counts.h"
#include "base/support/digest.h"
#include "base/support/plural.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {

LoadedModule::~LoadedModule() {
  for (uint64_t address : owned) memory->free(address);
}

Result<std::shared_ptr<LoadedModule>> load_module(std::shared_ptr<const ir::Module> module, DeviceMemory& memory) {
  auto loaded = std::make_shared<LoadedModule>();
  loaded->memory = &memory;
  loaded->symbols.assign(module->symbols.size(), 0);
  for (const ir::Function& f : module->functions) {
    if (!f.source) continue;
    loaded->identity = Digester().add(*f.source).hex();
    break;  // one text for all
  }

  for (ir::SymbolId id = 0; id < module->symbols.size(); ++id) {
    const ir::Symbol& symbol = module->symbols[id];
    const bool constant = symbol.space == AddressSpace::Const;
    if (symbol.space != AddressSpace::Global && !constant) continue;
    if (symbol.is_extern && symbol.initial.empty() && symbol.size == 0)
      return error(fmt::format("the variable '{}' is declared extern and defined nowhere", symbol.name),
                   "link the module that defines it");
    const auto address = memory.allocate(std::max<uint64_t>(symbol.size, 1),
                                         constant ? MemoryKind::ModuleConstant : MemoryKind::ModuleGlobal);
    if (!address)
      return error(
          fmt::format("no device memory for the variable '{}' of {}", symbol.name, plural(symbol.size, "byte")));
    loaded->owned.push_back(*address);
    memory.label(*address, display_name(symbol.name));
    loaded->symbols[id] = *address;
    if (!symbol.initial.empty())
      std::memcpy(reinterpret_cast<void*>(*address), symbol.initial.data(), symbol.initial.size());
  }
  for (ir::SymbolId id = 0; id < module->symbols.size(); ++id) {
    if (loaded->symbols[id] == 0) continue;
    for (const ir::Symbol::Relocation& r : module->symbols[id].relocations) {
      uint64_t value = static_cast<uint64_t>(r.addend);
      value += r.function != ir::kNone ? jit::function_token(r.function) : loaded->symbols[r.symbol];
      if (r.mask != 0) value = (value & r.mask) >> std::countr_zero(r.mask);
      std::memcpy(reinterpret_cast<void*>(loaded->symbols[id] + r.offset), &value,
                  std::min<size_t>(r.bytes, sizeof value));
    }
  }
  loaded->module = std::move(module);
  return loaded;
}

}  // namespace drywarp::exec
