#include "language/ir/passes.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "base/support/round_up.h"

namespace drywarp::ir {
namespace {

// What a function's body names.
struct Uses {
  std::vector<FunctionId> callees;    // direct, each once
  std::vector<FunctionId> addresses;  // functions whose address it takes
  std::vector<SymbolId> shared;       // .shared symbols, each once
  bool indirect = false;
};

template <class T>
void make_unique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

Uses uses_of(const Module& module, const Function& function) {
  Uses uses;
  const auto symbol = [&](SymbolId id) {
    if (id < module.symbols.size() && module.symbols[id].space == AddressSpace::Shared) uses.shared.push_back(id);
  };
  const auto operand = [&](const Operand& o) {
    if (o.kind == Operand::Kind::Symbol) symbol(o.id);
    if (o.kind == Operand::Kind::Function) uses.addresses.push_back(o.id);
  };
  for (const Instruction& i : function.instructions) {
    std::for_each(i.src.begin(), i.src.end(), operand);
    std::for_each(i.call_arguments.begin(), i.call_arguments.end(), operand);
    if (i.address) symbol(i.address->symbol);
    if (i.address2) symbol(i.address2->symbol);
    if (i.op != Opcode::Call) continue;
    if (i.callee != kNone) {
      uses.callees.push_back(i.callee);
    } else {
      uses.indirect = true;
    }
  }
  for (SymbolId id : function.symbols) symbol(id);
  make_unique(uses.callees);
  make_unique(uses.addresses);
  make_unique(uses.shared);
  return uses;
}

// Tarjan's strongly connected components over direct calls, without recursion.
std::vector<bool> on_cycles(const std::vector<Uses>& uses) {
  const size_t count = uses.size();
  std::vector<bool> cyclic(count), on_stack(count);
  std::vector<uint32_t> order(count, kNone), low(count);
  std::vector<FunctionId> stack;
  uint32_t next = 0;
  struct Frame {
    FunctionId f;
    size_t callee;
  };
  for (FunctionId root = 0; root < count; ++root) {
    if (order[root] != kNone) continue;
    std::vector<Frame> frames{{root, 0}};
    while (!frames.empty()) {
      const FunctionId f = frames.back().f;
      if (frames.back().callee == 0 && order[f] == kNone) {
        order[f] = low[f] = next++;
        stack.push_back(f);
        on_stack[f] = true;
      }
      if (frames.back().callee < uses[f].callees.size()) {
        const FunctionId g = uses[f].callees[frames.back().callee++];
        if (g == f) cyclic[f] = true;
        if (order[g] == kNone) {
          frames.push_back({g, 0});
        } else if (on_stack[g]) {
          low[f] = std::min(low[f], order[g]);
        }
        continue;
      }
      if (low[f] == order[f]) {
        const bool several = stack.back() != f;
        for (FunctionId g = kNone; g != f;) {
          g = stack.back();
          stack.pop_back();
          on_stack[g] = false;
          if (several) cyclic[g] = true;
        }
      }
      frames.pop_back();
      if (!frames.empty()) low[frames.back().f] = std::min(low[frames.back().f], low[f]);
    }
  }
  return cyclic;
}

std::vector<Uses> all_uses(const Module& module) {
  std::vector<Uses> uses;
  uses.reserve(module.functions.size());
  for (const Function& function : module.functions) uses.push_back(uses_of(module, function));
  return uses;
}

void find_reachable(Module& module, const std::vector<Uses>& uses) {
  std::vector<FunctionId> taken;  // every function that an indirect call could mean
  for (const Uses& use : uses) taken.insert(taken.end(), use.addresses.begin(), use.addresses.end());
  for (const Symbol& symbol : module.symbols) {
    for (const Symbol::Relocation& relocation : symbol.relocations) {
      if (relocation.function != kNone) taken.push_back(relocation.function);
    }
  }
  make_unique(taken);
  for (FunctionId root = 0; root < module.functions.size(); ++root) {
    if (!module.functions[root].is_kernel) continue;
    std::vector<FunctionId> found{root};
    std::unordered_set<FunctionId> seen{root};
    const auto add = [&](FunctionId f) {
      if (seen.insert(f).second) found.push_back(f);
    };
    bool indirect = false;
    for (size_t i = 0; i < found.size(); ++i) {
      const Uses& use = uses[found[i]];
      std::for_each(use.callees.begin(), use.callees.end(), add);
      std::for_each(use.addresses.begin(), use.addresses.end(), add);
      if (use.indirect && !indirect) {
        indirect = true;
        std::for_each(taken.begin(), taken.end(), add);
      }
    }
    module.functions[root].reachable = std::move(found);
  }
}

// A callee's frame lies behind those of all its callers: the longest path through the calls that get inlined. Frames of
// functions that are really called start at 0 on their own; they may have a hole at the start if they are inlined
// elsewhere.
void lay_out_frames(Module& module, const std::vector<Uses>& uses, const std::vector<bool>& recursive) {
  const size_t count = module.functions.size();
  const auto inlinable = [&](FunctionId callee) {
    return !module.functions[callee].is_declaration && !module.functions[callee].is_kernel && !recursive[callee];
  };
  std::vector<uint32_t> callers(count, 0);
  for (const Uses& use : uses) {
    for (FunctionId callee : use.callees) callers[callee] += inlinable(callee) ? 1 : 0;
  }
  std::vector<FunctionId> order;
  for (FunctionId f = 0; f < count; ++f) {
    if (callers[f] == 0) order.push_back(f);
  }
  constexpr uint64_t kFrameAlignment = 16;
  std::vector<uint64_t> base(count, 0), end(count, 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const FunctionId f = order[i];
    uint64_t alignment = kFrameAlignment;
    for (SymbolId id : module.functions[f].symbols)
      alignment = std::max<uint64_t>(alignment, module.symbols[id].alignment);
    base[f] = round_up(base[f], alignment);
    end[f] = base[f] + module.functions[f].local_bytes;
    for (SymbolId id : module.functions[f].symbols) {
      Symbol& symbol = module.symbols[id];
      if (symbol.space == AddressSpace::Local || symbol.space == AddressSpace::ParamFunc) symbol.offset += base[f];
    }
    for (FunctionId callee : uses[f].callees) {
      if (!inlinable(callee)) continue;
      base[callee] = std::max(base[callee], end[f]);
      if (--callers[callee] == 0) order.push_back(callee);
    }
  }
  std::vector<uint64_t> deepest(count, 0);
  for (size_t i = order.size(); i-- > 0;) {
    const FunctionId f = order[i];
    deepest[f] = module.functions[f].local_bytes == 0 ? 0 : end[f];
    for (FunctionId callee : uses[f].callees) {
      if (inlinable(callee)) deepest[f] = std::max(deepest[f], deepest[callee]);
    }
  }
  for (FunctionId f = 0; f < count; ++f) module.functions[f].local_bytes = deepest[f];
}

// Greedy: symbols that many kernels share first, each at the lowest offset that is free in all its kernels. Symbols of
// a single kernel are packed in the order of the text.
void lay_out_shared(Module& module, const std::vector<Uses>& uses) {
  std::vector<std::vector<FunctionId>> roots(module.symbols.size());    // by symbol
  std::vector<std::vector<SymbolId>> symbols(module.functions.size());  // by root
  for (FunctionId f = 0; f < module.functions.size(); ++f) {
    for (FunctionId g : module.functions[f].reachable)
      symbols[f].insert(symbols[f].end(), uses[g].shared.begin(), uses[g].shared.end());
    make_unique(symbols[f]);
    uint32_t alignment = 16;
    for (SymbolId id : symbols[f]) {
      if (module.symbols[id].size == 0) alignment = std::max(alignment, module.symbols[id].alignment);
    }
    module.functions[f].dynamic_shared_alignment = alignment;
    for (SymbolId id : symbols[f]) roots[id].push_back(f);
  }
  std::vector<SymbolId> order;
  for (SymbolId id = 0; id < module.symbols.size(); ++id) {
    if (!roots[id].empty() && module.symbols[id].size != 0) order.push_back(id);
  }
  std::sort(order.begin(), order.end(), [&](SymbolId a, SymbolId b) {
    return roots[a].size() != roots[b].size() ? roots[a].size() > roots[b].size() : a < b;
  });
  std::vector<bool> placed(module.symbols.size());
  std::vector<SymbolId> neighbours;
  for (SymbolId id : order) {
    Symbol& symbol = module.symbols[id];
    neighbours.clear();
    for (FunctionId root : roots[id]) {
      for (SymbolId other : symbols[root]) {
        if (placed[other]) neighbours.push_back(other);
      }
    }
    make_unique(neighbours);
    std::sort(neighbours.begin(), neighbours.end(),
              [&](SymbolId a, SymbolId b) { return module.symbols[a].offset < module.symbols[b].offset; });
    uint64_t offset = 0;
    for (SymbolId other : neighbours) {
      const Symbol& taken = module.symbols[other];
      if (offset + symbol.size <= taken.offset) break;
      offset = std::max(offset, round_up(taken.offset + taken.size, symbol.alignment));
    }
    symbol.offset = offset;
    placed[id] = true;
  }
  for (FunctionId f = 0; f < module.functions.size(); ++f) {
    uint64_t end = 0;
    for (SymbolId id : symbols[f]) {
      if (placed[id]) end = std::max(end, module.symbols[id].offset + module.symbols[id].size);
    }
    module.functions[f].shared_bytes = end;
  }
}

// Code that keeps variables apart puts this much between two of them. Every distance is one of whole rows of banks, so
// that accesses cost what they cost without.
constexpr uint64_t kSharedPadding = 1024, kRowOfBanks = 256;

void pad_shared(Module& module, const std::vector<Uses>& uses) {
  std::vector<std::vector<SymbolId>> symbols(module.functions.size());  // by root, as they lie
  std::vector<std::vector<FunctionId>> roots(module.symbols.size());
  std::vector<SymbolId> order;
  for (FunctionId f = 0; f < module.functions.size(); ++f) {
    for (FunctionId g : module.functions[f].reachable)
      for (SymbolId id : uses[g].shared)
        if (module.symbols[id].size != 0) symbols[f].push_back(id), roots[id].push_back(f);
    make_unique(symbols[f]);
    order.insert(order.end(), symbols[f].begin(), symbols[f].end());
  }
  make_unique(order);
  const auto lies_before = [&](SymbolId a, SymbolId b) { return module.symbols[a].offset < module.symbols[b].offset; };
  std::ranges::stable_sort(order, lies_before);
  const auto behind = [&](SymbolId id, uint32_t alignment) {
    return round_up(module.symbols[id].padding + kSharedPadding, std::max<uint64_t>(alignment, kRowOfBanks));
  };
  for (SymbolId id : order) {
    Symbol& symbol = module.symbols[id];
    for (FunctionId root : roots[id])
      for (SymbolId other : symbols[root])
        if (lies_before(other, id)) symbol.padding = std::max(symbol.padding, behind(other, symbol.alignment));
  }
  for (FunctionId f = 0; f < module.functions.size(); ++f) {
    Function& function = module.functions[f];
    for (SymbolId id : symbols[f]) {
      function.shared_padding = std::max(function.shared_padding, module.symbols[id].padding);
      function.dynamic_padding = std::max(function.dynamic_padding, behind(id, function.dynamic_shared_alignment));
    }
  }
}

}  // namespace

std::vector<bool> recursive_functions(const Module& module) { return on_cycles(all_uses(module)); }

bool can_inline(const Module& module, const std::vector<bool>& recursive, const Instruction& call) {
  if (call.op != Opcode::Call || call.origin != Origin::Text || call.callee == kNone) return false;
  const Function& callee = module.functions[call.callee];
  return !callee.is_declaration && !callee.is_kernel && !recursive[call.callee];
}

void lay_out(Module& module) {
  const std::vector<Uses> uses = all_uses(module);
  find_reachable(module, uses);
  lay_out_frames(module, uses, on_cycles(uses));
  lay_out_shared(module, uses);
  pad_shared(module, uses);
}

}  // namespace drywarp::ir
