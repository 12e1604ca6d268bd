// Initial values of variables: bytes, and relocations where a value is an address.
#include <algorithm>
#include <cstring>

#include "language/ir/build/builder.h"
#include "language/ir/build/immediates.h"

namespace drywarp::ir {

bool ModuleBuilder::initialize(const ptx::Variable& variable, SymbolId id) {
  Symbol& symbol = module.symbols[id];
  if (symbol.space != AddressSpace::Global && symbol.space != AddressSpace::Const) {
    return fail(variable.at, "only .global and .const variables can have initial values");
  }
  if (type_from_name(variable.type) == Type::Other) return true;  // fields of a sampler: nothing that runs reads them
  constexpr uint64_t kMost = uint64_t{1} << 28;
  if (symbol.size > kMost) return fail(variable.at, "variable with initial values is larger than 256 MiB");
  symbol.initial.assign(symbol.size, 0);
  return fill(variable, id, tree.initializers[variable.initializer], 0, 0);
}

// `dimension`: of the array that `init` fills; after the last one come vectors, then elements.
bool ModuleBuilder::fill(const ptx::Variable& variable, SymbolId id, const ptx::Initializer& init, size_t dimension,
                         uint64_t offset) {
  const uint64_t element = element_bytes(variable);
  const Symbol& symbol = module.symbols[id];
  if (!init.is_list) return store_value(variable, id, tree.operands[init.value], offset);
  const size_t dimensions = variable.dimensions.count;
  uint64_t stride = element;
  uint64_t count = 1;
  if (dimension < dimensions) {
    for (size_t i = dimension + 1; i < dimensions; ++i) stride *= tree.numbers[variable.dimensions.first + i];
    count = tree.numbers[variable.dimensions.first + dimension];
    if (count == 0 && variable.open_array && stride != 0) count = symbol.size / stride;
  } else if (variable.vector > 1 && dimension == dimensions) {
    stride = element / variable.vector;
    count = variable.vector;
  }
  // A flat list may give the values of an array of arrays one after the other.
  const bool nested = std::any_of(tree.initializer_items.begin() + init.items.first,
                                  tree.initializer_items.begin() + init.items.first + init.items.count,
                                  [&](uint32_t item) { return tree.initializers[item].is_list; });
  if (!nested && dimension + 1 < dimensions) {
    count = element == 0 ? 0 : count * stride / element;
    stride = element;
  }
  if (init.items.count > count) return fail(init.at, "more initial values than '" + symbol.name + "' has elements");
  for (uint32_t i = 0; i < init.items.count; ++i) {
    const ptx::Initializer& item = tree.initializers[tree.initializer_items[init.items.first + i]];
    if (!fill(variable, id, item, dimension + 1, offset + i * stride)) return false;
  }
  return true;
}

bool ModuleBuilder::store_value(const ptx::Variable& variable, SymbolId id, const ptx::Operand& value,
                                uint64_t offset) {
  const Type type = type_from_name(variable.type);
  const unsigned width = bits(type) / 8;
  Symbol& symbol = module.symbols[id];
  if (offset > symbol.size || width > symbol.size - offset) {
    return fail(value.at, "more initial values than '" + symbol.name + "' has elements");
  }
  if (value.kind == ptx::OperandKind::Name) {
    if (width != 8 && value.mask == 0) return fail(value.at, "an address needs an element of 8 bytes");
    Symbol::Relocation relocation;
    relocation.offset = offset;
    relocation.addend = int64_t(value.bits);
    relocation.generic = value.generic;
    relocation.bytes = uint8_t(width);
    relocation.mask = value.mask;
    if (const auto found = symbols.find(value.name); found != symbols.end()) {
      relocation.symbol = found->second;
      if (value.indexed) relocation.addend *= int64_t(element_size[found->second]);
    } else if (const auto function = functions.find(value.name); function != functions.end()) {
      relocation.function = function->second;
    } else {
      return fail(value.at, "'" + std::string(value.name) + "' is not declared");
    }
    symbol.relocations.push_back(relocation);
    return true;
  }
  if (value.kind != ptx::OperandKind::Integer && value.kind != ptx::OperandKind::Float32 &&
      value.kind != ptx::OperandKind::Float64) {
    return fail(value.at, "expected a number or an address");
  }
  const uint64_t bytes = immediate_bits(value, type);
  std::memcpy(symbol.initial.data() + offset, &bytes, std::min(width, 8u));
  return true;
}

}  // namespace drywarp::ir
