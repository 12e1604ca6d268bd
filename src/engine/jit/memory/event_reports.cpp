#include "engine/jit/memory/event_reports.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "language/ir/accesses.h"

namespace drywarp::jit {

using ir::Opcode;

namespace {

AccessKind kind_of(const ir::Instruction& in, const ir::MemoryAccess& access) {
  switch (access.kind) {
    case ir::MemoryAccess::Kind::Store:
      if (ir::info(in.op).family != ir::Family::AsyncCopy) return AccessKind::Store;
      return copy_op(in) == SharedOp::CopyPastL1 ? AccessKind::CopyPastL1 : AccessKind::Copy;
    case ir::MemoryAccess::Kind::Atomic:
      // A GPU without the instruction runs a compare-and-swap loop.
      return in.mods.atom == ir::AtomOp::Cas || ir::is_float(in.type) ? AccessKind::Swap : AccessKind::Atomic;
    default:
      return AccessKind::Load;
  }
}

// Parameters of the kernel are not reported.
bool is_call_slot(const ir::Instruction& in) {
  return in.mods.space == AddressSpace::Param || in.mods.space == AddressSpace::ParamFunc;
}

// As dw_access takes it, but for the parts of words.
enum : uint32_t { kUsed = 1u << 5, kEarly = 1u << 6, kReplaces = 1u << 7 };

uint32_t how(const ir::Instruction& in, const ir::MemoryAccess& access) {
  // Rows of matrices move by words.
  const unsigned element = ir::info(in.op).family == ir::Family::Matrix ? 4 : ir::bits(in.type) / 8;
  const bool past_l1 = ir::meets_in_l2(in);
  const MemoryOrder order = past_l1 ? MemoryOrder::Relaxed : in.mods.order;
  const MemoryScope scope = past_l1 ? MemoryScope::Gpu : in.mods.scope;
  const bool replaces = access.kind == ir::MemoryAccess::Kind::Atomic && in.mods.atom == ir::AtomOp::Exch;
  return uint32_t(kind_of(in, access)) | (replaces ? kReplaces : 0) | uint32_t(order) << 8 | uint32_t(scope) << 16 |
         element << 24 | uint32_t{is_call_slot(in)} << 31;
}

}  // namespace

void EventReports::report_step(ir::BlockId block) {
  f.call_runtime(runtime::step, {f.context, i32(block), b.CreateLoad(b.getInt32Ty(), f.mask_slot)});
}

// The lowest bits of the word's own address are zero.
llvm::Value* EventReports::offsets_in_word(const analysis::WordPart& part) {
  if (part.address == ir::kNone) return f.widen(i64(part.offset));
  ir::Operand address;
  address.kind = ir::Operand::Kind::Register, address.id = part.address;
  const ir::Type type = f.code.registers[part.address].type;
  Value* lanes = values_.value_of(address, type, 32);
  lanes = b.CreateZExtOrTrunc(lanes, llvm::FixedVectorType::get(b.getInt64Ty(), 32));
  return b.CreateAnd(lanes, f.widen(i64(3)));
}

Value* EventReports::tested_lanes(const analysis::TestedValue& tested) {
  static_assert(sizeof(TestedLanes) == sizeof(ValueTest) + ValueTest::kOthers * kWarpSize * 8);
  static_assert(offsetof(ValueTest, steps) % 8 == 0 && sizeof(ValueTest::Step) % 8 == 0);
  llvm::AllocaInst* slot = f.entry_slot(llvm::ArrayType::get(b.getInt64Ty(), sizeof(TestedLanes) / 8), "tested");
  slot->setAlignment(llvm::Align(64));
  const auto place = [&](size_t word) { return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), slot, word); };
  for (size_t i = 0; i < ValueTest::kOthers; ++i) {
    const analysis::TestedValue::Other& known = tested.others[i];
    if (known.id == ir::kNone) continue;
    ir::Operand other;
    other.kind = ir::Operand::Kind::Register, other.id = known.id;
    auto* integers = llvm::FixedVectorType::get(b.getIntNTy(ir::bits(known.type)), 32);
    Value* lanes = b.CreateZExt(b.CreateBitCast(values_.value_of(other, known.type, 32), integers),
                                llvm::FixedVectorType::get(b.getInt64Ty(), 32));
    b.CreateAlignedStore(lanes, place(i * kWarpSize), llvm::Align(64));
  }
  // Of the test, the steps that count.
  std::array<uint64_t, sizeof(ValueTest) / 8> words;
  std::memcpy(words.data(), &tested.test, sizeof tested.test);
  const size_t used = (offsetof(ValueTest, steps) + tested.test.count * sizeof(ValueTest::Step)) / 8;
  for (size_t i = 0; i < used; ++i)
    b.CreateAlignedStore(i64(words[i]), place(ValueTest::kOthers * kWarpSize + i), llvm::Align(8));
  return slot;
}

void EventReports::report_access(const ir::Instruction& in, uint32_t index, Value* values) {
  if (f.prepared.numbers.access[index] == ir::kNone) return;
  uint32_t number = f.prepared.numbers.access[index];
  const auto tested = values || !f.options.events.values ? f.prepared.tests.end() : f.prepared.tests.find(index);
  if (tested != f.prepared.tests.end()) values = tested_lanes(tested->second);
  if (!values) values = llvm::ConstantPointerNull::get(b.getPtrTy());
  const analysis::WordPart part =
      f.options.events.parts && !f.prepared.parts.empty() ? f.prepared.parts[index] : analysis::WordPart{};
  const uint32_t early = !f.prepared.reads.early.empty() && f.prepared.reads.early[index] ? kEarly : 0;
  for (const ir::MemoryAccess& access : ir::accesses(in)) {
    if (!access.address) continue;
    const Location at = addresses_.location(*access.address, access.named);
    if (at.space != AddressSpace::Param && at.space != AddressSpace::Const) {
      Value* lanes = addresses_.lane_addresses(at);
      if (part.bytes != 0) lanes = b.CreateOr(lanes, offsets_in_word(part));
      f.call_runtime(runtime::access,
                     {f.context, i32(number), i32(uint32_t(at.space)), addresses_.spill_addresses(lanes),
                      f.active_mask(), i32(access.bytes), i32(how(in, access) | early | part.bytes << 29), values});
    }
    if (at.space == AddressSpace::Const && f.options.events.constants && access.address->reg != ir::kNone)
      f.call_runtime(
          runtime::constant_load,
          {f.context, i32(number), addresses_.spill_addresses(addresses_.lane_addresses(at)), f.active_mask()});
    number = f.prepared.numbers.written[index];
  }
}

void EventReports::report_value_match(const ir::Instruction& in, uint32_t index) {
  if (in.op != ir::Opcode::Match || in.mods.mode == ir::Mode::MatchAll) return;
  if (in.dst[0].kind != ir::Operand::Kind::Register || f.prepared.numbers.instruction[index] == ir::kNone) return;
  Value* peers = values_.value_of(in.dst[0], ir::Type::B32, 32);
  f.call_runtime(runtime::value_match, {f.context, i32(index), f.active_mask(), f.spill(peers, "peers")});
}

void EventReports::report_followed(uint32_t index) {
  if (!f.options.events.values) return;
  for (const auto& [read, tested] : f.prepared.tests)
    if (tested.told_behind == index)
      f.call_runtime(runtime::followed,
                     {f.context, i32(tested.call), i32(tested.number), f.active_mask(), tested_lanes(tested)});
}

void EventReports::report_used_reads(ir::BlockId block) {
  if (f.prepared.reads.at_block.empty()) return;
  for (const uint32_t index : f.prepared.reads.at_block[block]) {
    if (f.prepared.numbers.access[index] == ir::kNone) continue;
    const ir::Instruction& in = f.code.instructions[index];
    const ir::MemoryAccess access = *ir::accesses(in).begin();
    const Location at = addresses_.location(*access.address, access.named);
    f.call_runtime(runtime::access,
                   {f.context, i32(f.prepared.numbers.access[index]), i32(uint32_t(at.space)),
                    addresses_.spill_addresses(addresses_.lane_addresses(at)), f.active_mask(), i32(access.bytes),
                    i32(how(in, access) | kUsed), llvm::ConstantPointerNull::get(b.getPtrTy())});
  }
}

void EventReports::report_outcome(uint32_t index, Value* wrote, Value* replaced, Value* values) {
  f.call_runtime(runtime::outcome,
                 {f.context, i32(f.prepared.numbers.access[index]), f.active_mask(), wrote, replaced, values});
}

void EventReports::report_arrival(Value* barrier, Value* threads, bool waits, Value* mask) {
  f.call_runtime(runtime::arrive, {f.context, i32(f.current_block), barrier, threads, i32(waits), mask});
}

void EventReports::report_warp_sync(const ir::Instruction& in, Value* members, bool goes_on) {
  const bool exchange = in.op != Opcode::BarWarpSync;
  f.call_runtime(runtime::warp_sync, {f.context, i32(f.current_block), i32(exchange + 2u * goes_on), f.active_mask(),
                                      f.spill(f.widen(members), "members")});
}

void EventReports::report_fence(const ir::Instruction& in) {
  f.call_runtime(runtime::fence, {f.context, i32(f.current_block),
                                  i32(uint32_t(in.mods.order) | uint32_t(in.mods.scope) << 8), f.active_mask()});
}

void EventReports::report_copies(const ir::Instruction& in, Value* objects) {
  // observe::CopyUse::Use
  enum : uint32_t { kCommit, kWait, kWaitAll, kArrive };
  uint32_t use = kArrive;
  if (in.op == Opcode::CpAsyncCommitGroup || in.op == Opcode::CpAsyncBulkCommitGroup) use = kCommit;
  if (in.op == Opcode::CpAsyncWaitAll) use = kWaitAll;
  if (in.op == Opcode::CpAsyncWaitGroup || in.op == Opcode::CpAsyncBulkWaitGroup)
    use = kWait | uint32_t(in.src.empty() ? 0 : in.src[0].bits) << 8;
  if (!objects) objects = llvm::ConstantPointerNull::get(b.getPtrTy());
  f.call_runtime(runtime::copy_use, {f.context, i32(use), f.active_mask(), objects});
}

void EventReports::report_exit(Value* leaving) {
  f.call_runtime(runtime::exit, {f.context, i32(f.current_block), leaving});
}

// Watched code reports which global memory it is about to access: see engine/exec/memory/conflict_watch.h.
void EventReports::watch_access(const Location& at, uint32_t index, unsigned bytes, unsigned elements, WatchKind kind,
                                Value* values) {
  if (at.space != AddressSpace::Global && at.space != AddressSpace::Generic) return;
  const auto tell = [&] {
    Value* from = values ? values : llvm::ConstantPointerNull::get(b.getPtrTy());
    f.call_runtime(runtime::watch,
                   {f.context, i32(uint32_t(at.space)), addresses_.spill_addresses(addresses_.lane_addresses(at)),
                    f.active_mask(), i32(bytes), i32(elements), i32(uint32_t(kind)), from});
  };
  if (kind != WatchKind::Load) return tell();
  Value* wanted = b.CreateLoad(
      b.getInt8Ty(), b.CreateConstInBoundsGEP1_64(
                         b.getInt8Ty(), f.context_field(offsetof(WarpContext, watched_loads), b.getPtrTy()), index));
  f.when(b.CreateICmpNE(wanted, b.getInt8(0)), false, tell);
}

}  // namespace drywarp::jit
