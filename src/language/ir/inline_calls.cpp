
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "language/ir/draft.h"
#include "language/ir/passes.h"

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

  // Walks the callees depth first with a stack of its own: each instruction is copied once, straight into the result.
  Function run(const Function& root) {
    out_ = root;
    draft_.labels(root.blocks.size());
    std::vector<Draft::Label> labels(root.blocks.size());
    std::iota(labels.begin(), labels.end(), 0);
    left_ = root.instructions.size();
    frames_.push_back({&root, nullptr, 0, 0, {}, std::move(labels), kNone});
    draft_.start(frames_.back().labels[0]);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const Function& function = *frame.function;
      if (frame.at == function.instructions.size()) {
        leave();
        continue;
      }
      while (frame.at == function.blocks[frame.block].end) draft_.start(frame.labels[++frame.block]);
      const Instruction& instruction = function.instructions[frame.at++];
      --left_;
      if (is_inlined(instruction) && fits_the_limit(instruction)) {
        enter(instruction);
      } else {
        draft_.add(renamed(instruction, frame));
      }
    }
    if (!inlined_any_) return root;
    std::move(draft_).finish(out_);
    return std::move(out_);
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
        if (given[i].bits != 0 || slot.space != AddressSpace::ParamFunc || !seen.insert(given[i].id).second)
          return false;
        if (slot.size < wanted[i].size) return false;
        if (wanted[i].reg == kNone && slot.alignment < wanted[i].alignment) return false;
      }
      return true;
    };
    return all(call.call_arguments, callee.parameters) && all(call.call_results, callee.results);
  }

  // A function on the stack: the root, or a callee whose body is being copied.
  struct Frame {
    const Function* function;
    const Instruction* call;  // null for the root
    RegisterId first_register;
    uint32_t first_place;
    std::unordered_map<SymbolId, SymbolId> slots;  // the function's parameters to slots of the code around it
    std::vector<Draft::Label> labels;              // of its blocks
    Draft::Label after;                            // behind the call
    BlockId block = 0;
    uint32_t at = 0;         // the next instruction
    uint32_t place = kNone;  // of the call, in the result
  };

  bool fits_the_limit(const Instruction& call) const {
    return draft_.size() + left_ + module_.functions[call.callee].instructions.size() <= kMostInstructions;
  }

  void enter(const Instruction& text) {
    const Function& callee = module_.functions[text.callee];
    const Instruction call = renamed(text, frames_.back());
    inlined_any_ = true;
    left_ += callee.instructions.size();
    Frame frame{&callee, &text,         RegisterId(out_.registers.size()), uint32_t(out_.places.size()), {},
                {},      draft_.label()};
    frame.place = call.place;
    if (call.guard) {
      Instruction skip = added(Opcode::Bra, Type::None, call.place);
      skip.guard = {call.guard.reg, !call.guard.negate};
      skip.target = frame.after;
      draft_.add(std::move(skip));
      draft_.start(draft_.label());
    }
    out_.registers.insert(out_.registers.end(), callee.registers.begin(), callee.registers.end());
    for (Place place : callee.places) {
      place.inlined_at = place.inlined_at == kNone ? call.place : place.inlined_at + frame.first_place;
      out_.places.push_back(place);
    }
    for (size_t i = 0; i < call.call_arguments.size(); ++i) {
      pass(call.call_arguments[i], callee.parameters[i], true, {}, frame);
    }
    for (size_t i = 0; i < call.call_results.size(); ++i) {
      if (call.call_results[i].kind == Operand::Kind::Symbol && callee.results[i].symbol != kNone) {
        frame.slots.emplace(callee.results[i].symbol, call.call_results[i].id);
      }
    }
    Instruction marker = call;
    marker.origin = Origin::InlinedCall;
    marker.guard = {};
    marker.call_arguments.clear();
    marker.call_results.clear();
    draft_.add(std::move(marker));
    for (size_t i = 0; i < callee.blocks.size(); ++i) frame.labels.push_back(draft_.label());
    draft_.start(frame.labels[0]);
    frames_.push_back(std::move(frame));
  }

  void leave() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.call == nullptr) return;
    draft_.start(frame.after);
    const Instruction call = renamed(*frame.call, frames_.back());
    // Lanes that skipped a guarded call keep their registers: the moves of results have the call's guard.
    for (size_t i = 0; i < call.call_results.size(); ++i) {
      pass(call.call_results[i], frame.function->results[i], false, call.guard, frame);
    }
  }

  // Copies an argument into the callee (`in`) or a result out of it, unless the caller's slot is the callee's own.
  void pass(const Operand& given, const Parameter& formal, bool in, Guard guard, Frame& callee) {
    if (given.kind == Operand::Kind::Sink) return;
    const bool from_slot = given.kind == Operand::Kind::Symbol;
    if (from_slot && formal.symbol != kNone) {
      callee.slots.emplace(formal.symbol, given.id);
      return;
    }
    const bool load = in == from_slot;  // which side is memory
    Instruction move = added(from_slot || formal.symbol != kNone ? (load ? Opcode::Ld : Opcode::St) : Opcode::Mov,
                             formal.type, callee.place);
    move.guard = guard;
    const Operand formal_register =
        formal.reg == kNone ? Operand{} : register_operand(formal.reg + callee.first_register);
    if (move.op == Opcode::Mov) {
      move.dst = {in ? formal_register : given};
      move.src = {in ? given : formal_register};
    } else {
      move.mods.space = AddressSpace::ParamFunc;
      move.address = Address{kNone, from_slot ? given.id : formal.symbol, 0};
      const Operand& value = from_slot ? formal_register : given;
      (load ? move.dst : move.src) = {value};
    }
    draft_.add(std::move(move));
  }

  // The instruction with the numbers of the result.
  static Instruction renamed(const Instruction& original, const Frame& frame) {
    Instruction result = original;
    const auto slot = [&](SymbolId& id) {
      if (const auto found = frame.slots.find(id); found != frame.slots.end()) id = found->second;
    };
    const auto operand = [&](Operand& o) {
      if (o.kind == Operand::Kind::Register) o.id += frame.first_register;
      if (o.kind == Operand::Kind::Symbol) slot(o.id);
    };
    const auto address = [&](std::optional<Address>& a) {
      if (!a) return;
      if (a->reg != kNone) a->reg += frame.first_register;
      slot(a->symbol);
    };
    if (result.guard) result.guard.reg += frame.first_register;
    std::for_each(result.dst.begin(), result.dst.end(), operand);
    std::for_each(result.src.begin(), result.src.end(), operand);
    std::for_each(result.call_arguments.begin(), result.call_arguments.end(), operand);
    std::for_each(result.call_results.begin(), result.call_results.end(), operand);
    address(result.address);
    address(result.address2);
    if (result.place != kNone) result.place += frame.first_place;
    if (result.op == Opcode::Bra) result.target = frame.labels[result.target];
    for (BlockId& target : result.targets) target = frame.labels[target];
    if (result.op == Opcode::Ret && frame.call != nullptr) {
      result.op = Opcode::Bra;
      if (result.origin == Origin::Text) result.origin = Origin::InlinedRet;
      result.target = frame.after;
    }
    return result;
  }

  const Module& module_;
  std::vector<bool> recursive_;
  Function out_;
  Draft draft_;
  std::vector<Frame> frames_;
  size_t left_ = 0;  // instructions of the functions on the stack that are still to come
  bool inlined_any_ = false;
};

}  // namespace

Function inline_calls(const Module& module, const Function& function) {
  Function result = Inliner(module).run(function);
  promote_param_slots(module, result);
  return result;
}

}  // namespace drywarp::ir
