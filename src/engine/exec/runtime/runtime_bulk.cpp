// Copies of many bytes by one thread: done at once, checked, told to observers; then the barrier object hears of them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "base/support/plural.h"
#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/mbarrier.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/bulk/tensor_box.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/bulk_pieces.h"
#include "engine/exec/runtime/mbarrier_use.h"
#include "language/ir/bulk_copies.h"

using namespace drywarp;
using namespace drywarp::exec;
using ir::AtomOp;
using ir::Opcode;
using ir::Type;

namespace {

// A box begins at a multiple of it in shared memory.
constexpr uint32_t kBoxUnit = 128;
// So does a tensor map in any memory.
constexpr uint32_t kMapUnit = 64;

// Bytes that follow each other on both sides.
struct Move {
  uint64_t to = 0;
  uint64_t from = 0;  // 0: they are filled
  uint32_t bytes = 0;
};

Type type_of(TensorType type) {
  constexpr Type kTypes[] = {Type::U8,  Type::U16, Type::U32,  Type::S32, Type::U64, Type::S64, Type::F16,
                             Type::F32, Type::F64, Type::BF16, Type::F32, Type::F32, Type::F32};
  return kTypes[size_t(type)];
}

// What an H100 fills in for elements outside of a tensor, if it is to be NaN: halves and f32 alike.
constexpr uint64_t kNanOutside = 0x7ff7'7ff7'7ff7'7ff7;

// The copy of one lane.
class BulkCopy {
 public:
  BulkCopy(Warp& warp, uint32_t instruction, uint32_t lane, uint32_t lanes, const uint64_t* operands)
      : warp_(warp),
        in_(running_code(warp).instructions[instruction]),
        at_(ir::bulk_operands(in_)),
        instruction_(instruction),
        lane_(lane),
        lanes_(lanes),
        operands_(operands),
        type_(in_.type) {}

  void run() {
    if (in_.op == Opcode::CpAsyncBulkPrefetch) return check_prefetch();
    if (in_.op == Opcode::CpAsyncBulkPrefetchTensor) return void(plan_box());
    if (!has_cluster() || !(at_.map ? plan_box() : plan_bytes())) {
      // Left out: who waits for its bytes is to go on all the same.
      if (at_.barrier && has_barrier()) complete();
      return;
    }
    if (!at_.blocks) return copy();
    // The same place in the shared memory of each block that the mask names, and the same barrier object there.
    const auto named = static_cast<uint32_t>(value(at_.blocks));
    const std::vector<Move> planned = moves_;
    for (uint32_t left = named & ((1u << warp_.cluster_nctarank) - 1); left != 0; left &= left - 1) {
      away_ = (uint64_t(std::countr_zero(left)) - warp_.cluster_ctarank) * kSharedWindow;
      moves_ = planned;
      for (Move& m : moves_) m.to += away_;
      copy();
    }
  }

 private:
  [[nodiscard]] uint64_t barrier() const { return address(at_.barrier, AddressSpace::Shared) + away_; }
  // False: its address is none, of which observers have heard.
  [[nodiscard]] bool has_barrier() {
    bad_barrier_ = bad_barrier_ || !may_use_mbarrier(warp_, instruction_, lane_, barrier());
    return !bad_barrier_;
  }
  void copy() {
    if (at_.barrier && !has_barrier()) return;
    const Move first = moves_.empty() ? Move{} : moves_.front();
    const BulkSide from = source(first.from), to = destination(first.to);
    check(from, to);
    tell(from, to);
    if (!std::exchange(counted_, true)) count();
    for (const Move& m : moves_) do_move(m);
    if (at_.barrier) complete();
  }
  [[nodiscard]] uint64_t value(const std::optional<size_t>& operand) const {
    return operand ? operands_[*operand * kWarpSize + lane_] : 0;
  }
  [[nodiscard]] bool is_prefetch() const {
    return in_.op == Opcode::CpAsyncBulkPrefetch || in_.op == Opcode::CpAsyncBulkPrefetchTensor;
  }
  [[nodiscard]] BulkSide in_global() const {
    return {warp_, instruction_, lane_, AddressSpace::Global, AccessKind::Load, false};
  }
  [[nodiscard]] bool reduces() const { return in_.mods.atom != AtomOp::None; }
  static AddressSpace space_on_host(AddressSpace space) {
    return ir::is_shared(space) ? AddressSpace::Shared : AddressSpace::Global;
  }
  // Shared memory of another block of the cluster is accessed as generic addresses are.
  [[nodiscard]] BulkSide side(AddressSpace space, AccessKind kind, uint64_t first) const {
    const bool remote = ir::is_shared(space) && other_owner(warp_, first, 0) != nullptr;
    return {warp_, instruction_, lane_, remote ? AddressSpace::Generic : space_on_host(space), kind, remote};
  }
  // Of memory in a space: where the host has it.
  [[nodiscard]] uint64_t address(const std::optional<size_t>& operand, AddressSpace space) const {
    if (!ir::is_shared(space)) return value(operand);
    return reinterpret_cast<uint64_t>(warp_.cluster_shared) + static_cast<uint32_t>(value(operand));
  }
  // `first`: an address there; 0: its own block's memory.
  [[nodiscard]] BulkSide source(uint64_t first = 0) const {
    return side(in_.mods.bulk.source, AccessKind::Load, first);
  }
  [[nodiscard]] BulkSide destination(uint64_t first = 0) const {
    const AccessKind kind =
        !reduces() ? ir::is_shared(in_.mods.space) ? AccessKind::CopyPastL1 : AccessKind::Store : AccessKind::Atomic;
    return side(in_.mods.space, kind, first);
  }
  // A box whose map says nothing: how many bytes it has is not known, so that its barrier object hears of all that it
  // waits for.
  bool leave_out_box() {
    Mbarrier object{};
    if (at_.barrier && has_barrier()) std::memcpy(&object, reinterpret_cast<const void*>(barrier()), sizeof object);
    total_ = static_cast<uint32_t>(std::max(object.bytes(), 0));
    return false;
  }
  bool leave_out_box(std::string rule) {
    const bool loads = ir::is_shared(in_.mods.space);
    const uint64_t in_shared =
        is_prefetch() ? value(at_.map) : address(loads ? at_.to : at_.from, AddressSpace::Shared);
    refuse_copy(is_prefetch() ? in_global()
                : loads       ? destination()
                              : source(),
                {in_shared, 0, 0, rule}, FaultKind::IllegalInstruction, "a " + rule);
    return leave_out_box();
  }
  // The copy has a size, or a box a place, that it may not have. Returns false: it is left out.
  bool leave_out(uint64_t to, std::string rule) const {
    refuse_copy(is_prefetch() ? in_global() : destination(), {to, total_, 0, rule}, FaultKind::IllegalInstruction,
                "a " + rule);
    return false;
  }
  // The same of an address of one side.
  bool leave_out(const BulkSide& side, uint64_t address, uint32_t unit) const {
    const uint64_t shown =
        side.space == AddressSpace::Shared ? address - reinterpret_cast<uint64_t>(warp_.shared) : address;
    refuse_copy(side, {address, total_, unit, {}}, FaultKind::MisalignedAddress,
                fmt::format("a copy of many bytes at {} {:#x}, which is no multiple of {}",
                            side.space == AddressSpace::Shared ? "offset" : "address", shown, unit));
    return false;
  }

  // In a launch that has not named clusters an H200 takes copies within shared memory, and to other blocks, for illegal
  // instructions. In one that has, a copy to a block that is not in the cluster stops it.
  bool has_cluster() {
    const bool within_shared =
        ir::is_shared(in_.mods.bulk.source) && ir::is_shared(in_.mods.space) && in_.op != Opcode::StBulk;
    const uint64_t beyond = at_.blocks ? (value(at_.blocks) & 0xffff) >> warp_.cluster_nctarank : 0;
    const bool named = warp_.worker->launch->explicit_cluster;
    // Of the one block that an address names.
    const bool one = named && !at_.blocks && in_.mods.space == AddressSpace::SharedCluster;
    const uint64_t rank = one ? static_cast<uint32_t>(value(at_.to)) / kSharedWindow : 0;
    const bool too_far = beyond != 0 || rank >= warp_.cluster_nctarank;
    if (!too_far && (named || !within_shared)) return true;
    total_ = static_cast<uint32_t>(value(at_.bytes));
    if (named) {
      const std::string rule = fmt::format("copy to block {} of a cluster of {}",
                                           beyond != 0 ? warp_.cluster_nctarank + std::countr_zero(beyond) : rank,
                                           plural(warp_.cluster_nctarank, "block"));
      const RefusedCopy refused{address(at_.to, in_.mods.space), total_, 0, rule};
      refuse_copy(destination(), refused, FaultKind::ClusterSharedMemory, "a " + rule);
      return at_.map && leave_out_box();
    }
    const char* what = at_.blocks ? "to other blocks" : "from shared memory to shared memory";
    std::string rule = fmt::format("copy {} in a launch without clusters", what);
    if (at_.map) return leave_out_box(std::move(rule));
    return leave_out(address(at_.to, in_.mods.space), std::move(rule));
  }

  // Whether the copy is one that the instruction can do.
  bool plan_bytes() {
    auto bytes = static_cast<uint32_t>(value(at_.bytes));
    total_ = bytes;
    const uint64_t to = address(at_.to, in_.mods.space);
    if (bytes % ir::kBulkUnit != 0) {
      const std::string rule =
          fmt::format("copy of {} bytes: their number must be a multiple of {}", bytes, ir::kBulkUnit);
      const bool goes_on = in_.op != Opcode::StBulk && warp_.worker->launch->allows_undefined_uses;
      if (warp_.owner->spares || !goes_on) return leave_out(to, rule);
      note_undefined_use(warp_, instruction_, UndefinedUse::Of::CopySize, [&] {
        return fault_at(warp_, FaultKind::IllegalInstruction, instruction_, lane_, "a " + rule);
      });
      total_ = bytes -= bytes % ir::kBulkUnit;  // as an H200 does
    }
    if (bytes == 0) return true;
    const uint64_t from = in_.op == Opcode::StBulk ? 0 : address(at_.from, in_.mods.bulk.source);
    if (to % ir::kBulkUnit != 0) return leave_out(destination(), to, ir::kBulkUnit);
    if (from % ir::kBulkUnit != 0) return leave_out(source(), from, ir::kBulkUnit);
    moves_.push_back({to, from, bytes});
    fill_ = value(at_.value);
    return true;
  }

  // An H200 says nothing of a prefetch of memory that is not there, or of any size, but faults by its address.
  void check_prefetch() {
    const uint64_t from = value(at_.from);
    total_ = static_cast<uint32_t>(value(at_.bytes));
    if (from % ir::kBulkUnit != 0) leave_out(in_global(), from, ir::kBulkUnit);
  }

  bool plan_box() {
    TensorMap map;
    const uint64_t where = value(at_.map);
    // The buffer of parameters lies somewhere on the host.
    const Launch& launch = *warp_.worker->launch;
    const uint64_t in_parameters = where - reinterpret_cast<uint64_t>(launch.parameters);
    const bool is_parameter = in_parameters < launch.kernel->prepared.code.parameter_bytes;
    if ((is_parameter ? in_parameters : where) % kMapUnit != 0) {
      total_ = kTensorMapBytes;
      leave_out(in_global(), where, kMapUnit);
      return leave_out_box();
    }
    uint64_t addresses[kWarpSize] = {};
    addresses[lane_] = where;
    for (uint32_t part = 0; part < kTensorMapBytes; part += ir::kBulkUnit, addresses[lane_] += ir::kBulkUnit) {
      Access read{warp_, nullptr, AddressSpace::Generic, instruction_, addresses, 1u << lane_, ir::kBulkUnit};
      bool one = false;
      check_lanes(read, &one);
      if (read.mask == 0) return leave_out_box();
    }
    std::memcpy(&map, reinterpret_cast<const void*>(where), sizeof map);
    if (map.mark != TensorMap::kMark)
      return leave_out_box("copy by a tensor map that cuTensorMapEncodeTiled has not made");
    if (map.rank != in_.mods.bulk.rank)
      return leave_out_box(fmt::format("copy by a tensor map of {} dimensions, of which the instruction names {}",
                                       map.rank, in_.mods.bulk.rank));
    int32_t first[kMostTensorRank] = {};
    for (size_t d = 0; d < map.rank; ++d) first[d] = static_cast<int32_t>(value(*at_.coordinates + d));
    const TensorBox box(map, first);
    total_ = box.bytes();
    const bool loads = ir::is_shared(in_.mods.space) && !is_prefetch();
    const uint32_t start = static_cast<uint32_t>(value(loads ? at_.to : at_.from));
    const auto shared = reinterpret_cast<uint64_t>(warp_.cluster_shared);
    // Measured on an H100, with and without a swizzle, inside of the tensor and outside.
    if (const int64_t in_row = int64_t{first[0]} * element_bytes(map.type); in_row % ir::kBulkUnit != 0)
      return leave_out(loads ? shared + start : map.address,
                       fmt::format("copy of a box that begins {} bytes into its row: that must be a multiple of {}",
                                   in_row, ir::kBulkUnit));
    if (is_prefetch()) return true;
    if (start % kBoxUnit != 0) return leave_out(loads ? destination() : source(), shared + start, kBoxUnit);
    for (const BoxPiece& piece : box.pieces(!loads)) {
      const uint64_t in_shared = shared + box.place(start, piece.in_box);
      if (loads)
        moves_.push_back({in_shared, piece.outside ? 0 : piece.address, piece.bytes});
      else if (!piece.outside)
        moves_.push_back({piece.address, in_shared, piece.bytes});
    }
    if (map.nan_outside) fill_ = kNanOutside;
    type_ = type_of(map.type);
    return true;
  }

  // The ranges of one side, neighbours together.
  template <class Address>
  [[nodiscard]] std::vector<ByteRange> ranges(Address address) const {
    std::vector<ByteRange> all;
    for (const Move& m : moves_) {
      const uint64_t at = address(m);
      if (at == 0) continue;
      if (!all.empty() && all.back().address + all.back().bytes == at)
        all.back().bytes += m.bytes;
      else
        all.push_back({at, m.bytes});
    }
    return all;
  }

  // Bytes that may not be moved are left out.
  void check(const BulkSide& from, const BulkSide& to) {
    std::vector<Move> kept;
    std::vector<bool> may_read, may_write;
    bool all = true;
    for (const Move& m : moves_) {
      may_read.clear(), may_write.clear();
      const bool reads = m.from == 0 || may_access(from, {m.from, m.bytes}, may_read);
      const bool writes = may_access(to, {m.to, m.bytes}, may_write);
      if (reads && writes) {
        kept.push_back(m);
        continue;
      }
      all = false;
      for (uint32_t at = 0; at < m.bytes; ++at) {
        const bool may = (may_read.empty() || may_read[at]) && (may_write.empty() || may_write[at]);
        if (may) kept.push_back({m.to + at, m.from == 0 ? 0 : m.from + at, 1});
      }
    }
    if (!all) moves_ = std::move(kept);
  }

  void tell(const BulkSide& from, const BulkSide& to) const {
    if (!has_listeners(*warp_.owner) && !to.remote) return;
    const auto& numbers = warp_.inside->code->prepared.numbers;
    const bool fills = in_.op == Opcode::StBulk;
    if (!fills) tell_bulk(from, numbers.access[instruction_], ranges([](const Move& m) { return m.from; }));
    tell_bulk(to, fills ? numbers.access[instruction_] : numbers.written[instruction_],
              ranges([](const Move& m) { return m.to; }));
  }

  // As ncu counts them on an H100: each row of a box has sectors of its own.
  void count() const {
    const bool reads = !ir::is_shared(in_.mods.bulk.source), writes = !ir::is_shared(in_.mods.space);
    if (!warp_.worker->launch->counters || in_.op == Opcode::StBulk || reads == writes) return;
    AccessCounts counts;
    for (const ByteRange& range : ranges([&](const Move& m) { return reads ? m.from : m.to; }))
      counts.bulk_sectors += (range.address + range.bytes - 1) / kSectorBytes - range.address / kSectorBytes + 1;
    const auto& numbers = warp_.inside->code->prepared.numbers;
    warp_.sites[reads ? numbers.access[instruction_] : numbers.written[instruction_]].total += counts;
  }

  void do_move(const Move& m) const {
    auto* to = reinterpret_cast<uint8_t*>(m.to);
    const auto* from = reinterpret_cast<const uint8_t*>(m.from);
    if (m.from == 0) {
      for (uint32_t at = 0; at < m.bytes; ++at) to[at] = static_cast<uint8_t>(fill_ >> 8 * (at % 8));
    } else if (reduces()) {
      reduce(m);
    } else if (at_.byte_mask) {
      const uint64_t mask = value(at_.byte_mask);
      for (uint32_t at = 0; at < m.bytes; ++at)
        if ((mask >> at % ir::kBulkUnit & 1) != 0) to[at] = from[at];
    } else {
      std::memmove(to, from, m.bytes);
    }
  }

  // As many elements at once as a warp has lanes.
  void reduce(const Move& m) const {
    const uint32_t bytes = ir::bits(type_) / 8;
    const uint32_t what = uint32_t(in_.mods.atom) | uint32_t(type_) << 8 | 1u << 16;
    for (uint32_t first = 0; first < m.bytes; first += kWarpSize * bytes) {
      const uint32_t count = std::min(kWarpSize, (m.bytes - first) / bytes);
      alignas(64) uint64_t addresses[kWarpSize] = {};
      alignas(64) uint8_t values[kWarpSize * 8];
      for (uint32_t i = 0; i < count; ++i) addresses[i] = m.to + first + uint64_t{i} * bytes;
      std::memcpy(values, reinterpret_cast<const void*>(m.from + first), size_t{count} * bytes);
      const auto lanes = static_cast<uint32_t>((uint64_t{1} << count) - 1);
      dw_atomic(&warp_, nullptr, instruction_, uint32_t(space_on_host(in_.mods.space)), what, addresses, lanes, values,
                nullptr, nullptr);
    }
  }

  void complete() {
    uint64_t addresses[kWarpSize] = {};
    addresses[lane_] = barrier();
    // The copies come before what the object's phase lets go on.
    const bool remote = other_owner(warp_, addresses[lane_], 0) != nullptr;
    if (warp_.worker->launch->kernel->options.events.copies)
      exec::tell(
          *warp_.owner, &observe::BlockObserver::copies,
          observe::CopyUse{warp_.warp, observe::CopyUse::Use::Arrive, 0, LaneMask{1} << lane_, addresses, remote});
    use_mbarrier(warp_, instruction_, jit::MbarrierKind::CompleteTx, lane_, lanes_, addresses[lane_], total_);
    note_object_change(warp_);
  }

  Warp& warp_;
  const ir::Instruction& in_;
  const ir::BulkOperands at_;
  const uint32_t instruction_, lane_, lanes_;
  const uint64_t* operands_;
  Type type_;  // of the elements that are combined
  std::vector<Move> moves_;
  uint64_t fill_ = 0;   // by 8 bytes
  uint32_t total_ = 0;  // bytes, those that are filled too
  bool counted_ = false, bad_barrier_ = false;
  uint64_t away_ = 0;  // of a multicast: the block that gets the bytes, from its own
};

}  // namespace

extern "C" {

void dw_bulk(WarpContext* context, uint32_t instruction, uint32_t mask, void* operands) {
  Warp& warp = warp_of(context);
  for (uint32_t left = mask; left != 0; left &= left - 1)
    BulkCopy(warp, instruction, static_cast<uint32_t>(std::countr_zero(left)), mask,
             static_cast<const uint64_t*>(operands))
        .run();
}

}  // extern "C"
