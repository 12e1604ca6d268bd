#include "ir/inline_calls.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/draft.h"
#include "ir/layout.h"
#include "ir/param_slots.h"

namespace drywarp::ir {
namespace {

constexpr size_t kMostInstructions = 1 << 16;

Operand register_operand(RegisterId id) {
  Operand operand;
  operand.kind = Operand::Kind::Register;
  operand.id = id;
  return operand;
}

Instruction added(Opcode op, Type type, uint32_t place) {
  Instruction instruction;
  instruction.op = op;
  instruction.type = type;
  instruction.origin = Origin::Added;
  instruction.place = place;
  return instruction;
}

class Inliner {
 public:
  explicit Inliner(const Module& module) : module_(module), recursive_(recursive_functions(module)) {}

  Function run(const Function& root) {
    for (FunctionId callee : callees_first(root)) bodies_.emplace(callee, expand(module_.functions[callee]));
    return expand(root);
  }

 private:
  bool is_inlined(const Instruction& call) const {
    return can_inline(module_, recursive_, call) && fits(call, module_.functions[call.callee]);
  }

  // Slots must be as large as the parameters that they become, and different from each other.
  bool fits(const Instruction& call, const Function& callee) const {
    std::unordered_set<SymbolId> seen;
    const auto all = [&](const std::vector<Operand>& given, const std::vector<Parameter>& wanted) {
      for (size_t i = 0; i < given.size(); ++i) {
        if (i >= wanted.size()) return false;
        if (given[i].kind != Operand::Kind::Symbol) {
          if (wanted[i].reg == kNone && given[i].kind == Operand::Kind::Register && wanted[i].size > 8) return false;
          continue;
        }
        const Symbol& slot = module_.symbols[given[i].id];
        if (given[i].bits != 0 || slot.space != Space::ParamFunc || !seen.insert(given[i].id).second) return false;
        if (slot.size < wanted[i].size) return false;
        if (wanted[i].reg == kNone && slot.alignment < wanted[i].alignment) return false;
      }
      return true;
    };
    return all(call.call_arguments, callee.parameters) && all(call.call_results, callee.results);
  }

  // Every function whose body goes into `root`, callees before callers.
  std::vector<FunctionId> callees_first(const Function& root) const {
    std::vector<FunctionId> order;
    std::unordered_set<FunctionId> seen;
    struct Frame {
      const Function* function;
      FunctionId id;
      size_t next;
    };
    std::vector<Frame> frames{{&root, kNone, 0}};
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.next == frame.function->instructions.size()) {
        if (frame.id != kNone) order.push_back(frame.id);
        frames.pop_back();
        continue;
      }
      const Instruction& instruction = frame.function->instructions[frame.next++];
      if (is_inlined(instruction) && seen.insert(instruction.callee).second) {
        frames.push_back({&module_.functions[instruction.callee], instruction.callee, 0});
      }
    }
    return order;
  }

  Function expand(const Function& original) {
    const bool any = std::any_of(original.instructions.begin(), original.instructions.end(),
                                 [&](const Instruction& i) { return is_inlined(i); });
    if (!any) return original;
    Function out = original;
    Draft draft;
    draft.labels(original.blocks.size());
    size_t left = original.instructions.size();  // of the text's own instructions
    for (BlockId id = 0; id < original.blocks.size(); ++id) {
      const Block& block = original.blocks[id];
      draft.start(id);
      for (uint32_t i = block.first; i < block.end; ++i, --left) {
        const Instruction& instruction = original.instructions[i];
        const bool room = !is_inlined(instruction) ||
                          draft.size() + left + bodies_.at(instruction.callee).instructions.size() <= kMostInstructions;
        if (room && is_inlined(instruction)) {
          splice(instruction, bodies_.at(instruction.callee), out, draft);
        } else {
          draft.add(instruction);
        }
      }
    }
    std::move(draft).finish(out);
    return out;
  }

  void splice(const Instruction& call, const Function& callee, Function& out, Draft& draft) const {
    const Draft::Label after = draft.label();
    if (call.guard) {
      Instruction skip = added(Opcode::Bra, Type::None, call.place);
      skip.guard = {call.guard.reg, !call.guard.negate};
      skip.target = after;
      draft.add(std::move(skip));
      draft.start(draft.label());
    }
    const auto first_register = RegisterId(out.registers.size());
    out.registers.insert(out.registers.end(), callee.registers.begin(), callee.registers.end());
    const auto first_place = uint32_t(out.places.size());
    for (Place place : callee.places) {
      place.inlined_at = place.inlined_at == kNone ? call.place : place.inlined_at + first_place;
      out.places.push_back(place);
    }

    std::unordered_map<SymbolId, SymbolId> slots;  // of the callee to the caller's
    for (size_t i = 0; i < call.call_arguments.size(); ++i) {
      pass(call.call_arguments[i], callee.parameters[i], first_register, true, call.place, slots, draft);
    }
    Instruction marker = call;
    marker.origin = Origin::InlinedCall;
    marker.guard = {};
    marker.call_arguments.clear();
    marker.call_results.clear();
    draft.add(std::move(marker));
    for (size_t i = 0; i < call.call_results.size(); ++i) {
      if (call.call_results[i].kind == Operand::Kind::Symbol && callee.results[i].symbol != kNone) {
        slots.emplace(callee.results[i].symbol, call.call_results[i].id);
      }
    }

    std::vector<Draft::Label> labels(callee.blocks.size());
    for (Draft::Label& label : labels) label = draft.label();
    for (BlockId id = 0; id < callee.blocks.size(); ++id) {
      draft.start(labels[id]);
      for (uint32_t i = callee.blocks[id].first; i < callee.blocks[id].end; ++i) {
        draft.add(renamed(callee.instructions[i], first_register, first_place, slots, labels, after));
      }
    }
    draft.start(after);
    // A guarded call leaves results alone in lanes that skipped it: only moves to registers, which the guard skips too.
    for (size_t i = 0; i < call.call_results.size(); ++i) {
      pass(call.call_results[i], callee.results[i], first_register, false, call.place, slots, draft, call.guard);
    }
  }

  // Copies an argument into the callee (`in`) or a result out of it, unless the caller's slot is the callee's.
  void pass(const Operand& given, const Parameter& formal, RegisterId first_register, bool in, uint32_t place,
            std::unordered_map<SymbolId, SymbolId>& slots, Draft& draft, Guard guard = {}) const {
    if (given.kind == Operand::Kind::Sink) return;
    const bool from_slot = given.kind == Operand::Kind::Symbol;
    if (from_slot && formal.symbol != kNone) {
      slots.emplace(formal.symbol, given.id);
      return;
    }
    const bool load = in == from_slot;  // which side is memory: loads bring a slot into a register
    Instruction move =
        added(from_slot || formal.symbol != kNone ? (load ? Opcode::Ld : Opcode::St) : Opcode::Mov, formal.type, place);
    move.guard = guard;
    const Operand formal_register = formal.reg == kNone ? Operand{} : register_operand(formal.reg + first_register);
    if (move.op == Opcode::Mov) {
      move.dst = {in ? formal_register : given};
      move.src = {in ? given : formal_register};
    } else {
      move.mods.space = Space::ParamFunc;
      move.address = Address{kNone, from_slot ? given.id : formal.symbol, 0};
      const Operand& value = from_slot ? formal_register : given;
      (load ? move.dst : move.src) = {value};
    }
    draft.add(std::move(move));
  }

  static Instruction renamed(const Instruction& original, RegisterId first_register, uint32_t first_place,
                             const std::unordered_map<SymbolId, SymbolId>& slots,
                             const std::vector<Draft::Label>& labels, Draft::Label after) {
    Instruction result = original;
    const auto slot = [&](SymbolId& id) {
      if (const auto found = slots.find(id); found != slots.end()) id = found->second;
    };
    const auto operand = [&](Operand& o) {
      if (o.kind == Operand::Kind::Register) o.id += first_register;
      if (o.kind == Operand::Kind::Symbol) slot(o.id);
    };
    const auto address = [&](std::optional<Address>& a) {
      if (!a) return;
      if (a->reg != kNone) a->reg += first_register;
      slot(a->symbol);
    };
    if (result.guard) result.guard.reg += first_register;
    std::for_each(result.dst.begin(), result.dst.end(), operand);
    std::for_each(result.src.begin(), result.src.end(), operand);
    std::for_each(result.call_arguments.begin(), result.call_arguments.end(), operand);
    std::for_each(result.call_results.begin(), result.call_results.end(), operand);
    address(result.address);
    address(result.address2);
    if (result.place != kNone) result.place += first_place;
    if (result.op == Opcode::Bra) result.target = labels[result.target];
    for (BlockId& target : result.targets) target = labels[target];
    if (result.op == Opcode::Ret) {
      result.op = Opcode::Bra;
      if (result.origin == Origin::Text) result.origin = Origin::InlinedRet;
      result.target = after;
    }
    return result;
  }

  const Module& module_;
  std::vector<bool> recursive_;
  std::unordered_map<FunctionId, Function> bodies_;
};

}  // namespace

Function inline_calls(const Module& module, const Function& function) {
  Function result = Inliner(module).run(function);
  promote_param_slots(module, result);
  return result;
}

}  // namespace drywarp::ir
