#include "engine/jit/memory/flow_reports.h"

#include "language/analysis/passes.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::jit {
namespace {

using ir::Family;
using ir::Opcode;

// A load, by a texture too, or a shuffle, which may read a lane that takes no part in it.
bool gives_unknown(const ir::Instruction& in) {
  const Family family = ir::info(in.op).family;
  const bool known = in.mods.space == AddressSpace::Param || in.mods.space == AddressSpace::Const;
  return in.op == Opcode::Ldmatrix || in.op == Opcode::Shfl || in.op == Opcode::Suld || family == Family::Texture ||
         (family == Family::Load && !known) || family == Family::Atomic || family == Family::AsyncCopy;
}

// Of a call: what was in the slot before is gone, whatever comes in.
bool writes_slot(const ir::Instruction& in) {
  return ir::info(in.op).family == Family::Store && in.mods.space == AddressSpace::ParamFunc;
}

// The registers that hold such values, or what is computed from them.
std::vector<bool> reached_by_loads(const ir::Function& code) {
  std::vector<bool> reached(code.registers.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Instruction& in : code.instructions) {
      bool flows = gives_unknown(in);
      analysis::for_each_use(in, [&](ir::RegisterId r) { flows = flows || reached[r]; });
      if (!flows) continue;
      analysis::for_each_definition(in, [&](ir::RegisterId r) {
        changed |= !reached[r];
        reached[r] = true;
      });
    }
  }
  return reached;
}

}  // namespace

FlowReports::FlowReports(FunctionCode& code, Values& values) : Part(code), values_(values) {
  if (f.options.events.flows) reached_ = reached_by_loads(f.code);
}

llvm::Value* FlowReports::lanes_true(const ir::Operand& predicate) {
  Value* v = values_.value_of(predicate, ir::Type::Pred, values_.is_uniform(predicate) ? 1 : 32);
  return v->getType()->isVectorTy() ? f.lanes_to_mask(v) : b.CreateSelect(v, i32(~0u), i32(0));
}

void FlowReports::report(const ir::Instruction& in, uint32_t index) {
  if (reached_.empty()) return;
  bool wanted = gives_unknown(in) || writes_slot(in) || in.op == Opcode::Call;
  const auto look = [&](ir::RegisterId r) { wanted = wanted || reached_[r]; };
  analysis::for_each_use(in, look);
  analysis::for_each_definition(in, look);
  if (!wanted) return;
  // What logic makes of a bit that nobody knows depends on the other one.
  const auto predicate = [&](size_t i) -> const ir::Operand* {
    if (i >= in.src.size() || in.src[i].kind != ir::Operand::Kind::Register) return nullptr;
    return f.code.registers[in.src[i].id].type == ir::Type::Pred ? &in.src[i] : nullptr;
  };
  if (in.op == Opcode::Shfl) return report_shuffle(in, index);
  if (in.op == Opcode::Selp || in.op == Opcode::Setp) return call(index, predicate(2), nullptr);
  if (in.type == ir::Type::Pred) return call(index, predicate(0), predicate(1));
  call(index, nullptr, nullptr);
}

void FlowReports::report_guard(const ir::Instruction& in, uint32_t index) {
  if (reached_.empty() || !in.guard || !reached_[in.guard.reg]) return;
  call(index | kGuardAlone, nullptr, nullptr);
}

void FlowReports::report_shuffle(const ir::Instruction& in, uint32_t index) {
  Value* mask = f.active_mask();
  Value* lacks_lanes = b.CreateICmpNE(mask, i32(~0u));
  const std::optional<size_t> member_mask = ir::member_mask(in);
  f.when(b.CreateOr(holds_unknown(), lacks_lanes), false, [&] {
    const auto lanes = [&](size_t i, const char* name) {
      return f.spill(values_.value_of(in.src[i], ir::Type::U32, 32), name);
    };
    Value* members = member_mask ? lanes(*member_mask, "members") : llvm::ConstantPointerNull::get(b.getPtrTy());
    f.call_runtime(runtime::flow_shuffle,
                   {f.context, i32(index), mask, lanes(1, "distances"), lanes(2, "controls"), members});
  });
}

llvm::Value* FlowReports::holds_unknown() {
  Value* unknown = b.CreateLoad(b.getInt32Ty(), f.context_address(offsetof(WarpContext, unknown)));
  return b.CreateICmpNE(unknown, i32(0));
}

void FlowReports::call(uint32_t index, const ir::Operand* first, const ir::Operand* second) {
  Value* mask = f.active_mask();
  f.when(holds_unknown(), false, [&] {
    f.call_runtime(runtime::flow, {f.context, i32(index), mask, first ? lanes_true(*first) : i32(0),
                                   second ? lanes_true(*second) : i32(0)});
  });
}

}  // namespace drywarp::jit
