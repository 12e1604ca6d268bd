#include "engine/check/memory_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/support/plural.h"

namespace drywarp::check {
namespace {

using observe::Denial;

constexpr uint64_t kNullPage = 4096;  // an address below is null, or a member of what it would point to

const char* name_of(AccessKind kind) {
  return kind == AccessKind::Load ? "read" : kind == AccessKind::Store ? "write" : "atomic";
}

FindingKind kind_of(const Denial& d) {
  switch (d.why) {
    case Denial::Why::BadMatrix:
      return d.unit == 0 ? FindingKind::MatrixAlignment : FindingKind::Misaligned;
    case Denial::Why::Misaligned:
    case Denial::Why::BadCopy:
      return FindingKind::Misaligned;
    case Denial::Why::ReadOnly:
      return FindingKind::ReadOnly;
    case Denial::Why::NotPermitted:
      return FindingKind::NotPermitted;
    case Denial::Why::BadFree:
      return FindingKind::BadFree;
    default:
      return FindingKind::OutOfBounds;
  }
}

// Which allocation an address misses, and how.
std::string miss(const MemoryMap::Near& near) {
  const auto size = static_cast<int64_t>(near.allocation.size);
  if (near.offset < 0)
    return fmt::format("{} before {} of {}", plural(static_cast<uint64_t>(-near.offset), "byte"), near.allocation.what,
                       plural(near.allocation.size, "byte"));
  if (near.offset >= size)
    return fmt::format("{} past the end of {}{} of {}", plural(static_cast<uint64_t>(near.offset - size), "byte"),
                       near.live ? "" : "freed: ", near.allocation.what, plural(near.allocation.size, "byte"));
  return fmt::format("{} into {} of {}{}", plural(static_cast<uint64_t>(near.offset), "byte"), near.allocation.what,
                     plural(near.allocation.size, "byte"), near.live ? "" : " that has been freed");
}

class BlockMemoryCheck : public BlockCheck {
 public:
  using BlockCheck::BlockCheck;

  void heap(const observe::HeapUse& h) override {
    if (h.bytes == 0) return;
    const InstructionInfo* at = launch().at_line(h.ptx_line, h.line);
    const std::string where = at ? to_string(launch().line(*at)) : std::string();
    launch().memory().made(h.address, fmt::format("{} by {}", where, to_string(thread(h.warp, h.lane))));
  }

  void denial(const Denial& d) override {
    const InstructionInfo* at = launch().at_line(d.ptx_line, d.line);
    for (LaneMask left = d.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      const Judged judged = judge(d, lane);
      report(judged.kind, at, 1, [&](Finding& f) {
        if (!at) f.where.ptx_line = d.ptx_line;
        f.thread = thread(d.warp, lane);
        f.bytes = d.bytes;
        f.what = what(d, judged);
        if (judged.near) f.allocation = judged.near->allocation;
        if (judged.kind == FindingKind::UseAfterFree && judged.near && !judged.near->freed.empty())
          f.other = OtherAccess{"free", {judged.near->freed, 0, 0, "free"}, std::nullopt, {}};
        // Outside the device's memory a place is an address of this machine, which the next run does not have.
        const bool in_window = d.space == AddressSpace::Shared || d.space == AddressSpace::Local;
        if (judged.past_variable)
          f.address = *judged.past_variable;
        else if (judged.past_array)
          f.address = judged.past_array->offset;
        else if (in_window || judged.kind == FindingKind::NullPointer || d.places[lane] != d.addresses[lane])
          f.address = d.places[lane];
      });
    }
  }

 private:
  struct Judged {
    FindingKind kind;
    std::string where;
    std::optional<MemoryMap::Near> near;
    // It leaves a variable of shared memory, or another block's memory: what it hits on a GPU.
    std::optional<uint64_t> past_variable = std::nullopt;
    // It leaves an array in the thread's local memory: the offset that it has there without padding, if it has one.
    struct PastArray {
      std::optional<uint64_t> offset;
    };
    std::optional<PastArray> past_array = std::nullopt;
  };

  [[nodiscard]] static std::string what(const Denial& d, const Judged& judged) {
    if (d.why == Denial::Why::BadFree)
      return fmt::format("free() of an address that malloc() did not give or that is free already: {}", judged.where);
    if (d.why == Denial::Why::BadCopy || d.why == Denial::Why::BadMatrix)
      return fmt::format("{}; at {}", d.rule, judged.where);
    std::string text = fmt::format("{} {} {} of {}", d.why == Denial::Why::Misaligned ? "misaligned" : "invalid",
                                   judged.past_variable ? "shared"
                                   : judged.past_array  ? "local"
                                                        : name(d.space),
                                   name_of(d.kind), plural(d.bytes, "byte"));
    if (d.unit != 0) text += fmt::format(" by a copy that needs a multiple of {}", d.unit);
    return fmt::format("{}: {}", text, judged.where);
  }

  // An address of the block's shared or of a thread's local memory where it does not belong.
  [[nodiscard]] std::optional<std::string> other_space(const Denial& d, uint32_t lane) const {
    const uint64_t address = d.addresses[lane], in_shared = address - d.shared_memory.base;
    if (in_shared < d.shared_memory.bytes && d.space != AddressSpace::Generic)
      return fmt::format("the address of offset {:#x} of the block's shared memory", in_shared);
    const uint64_t thread_bytes = d.local_memory.bytes, in_local = address - d.local_memory.base;
    if (thread_bytes != 0 && in_local < thread_bytes * kWarpSize * launch().warps()) {
      const auto owner = static_cast<uint32_t>(in_local / thread_bytes);
      const ThreadPlace place = thread(owner / kWarpSize, owner % kWarpSize);
      if (owner == d.warp * kWarpSize + lane && d.space == AddressSpace::Generic) return std::nullopt;
      return fmt::format("the address of local memory of thread ({},{},{}), offset {:#x}", place.thread[0],
                         place.thread[1], place.thread[2], in_local % thread_bytes);
    }
    if (address >= kNullPage && address < d.shared_memory.bytes)
      return fmt::format("{:#x}, which is an offset in shared memory and no generic address", address);
    return std::nullopt;
  }

  // A generic address in the block's shared memory or the threads' local memories, or beside them.
  [[nodiscard]] static std::optional<std::string> past_window(const Denial& d, uint32_t lane) {
    constexpr int64_t kWindow = 64 << 10;  // further away, something else is missed
    if (d.space != AddressSpace::Generic) return std::nullopt;
    const auto in_shared = static_cast<int64_t>(d.addresses[lane] - d.shared_memory.base);
    const auto shared_bytes = static_cast<int64_t>(d.shared_memory.bytes);
    const uint64_t own_bytes = d.shared_memory.bytes - d.shared_padding;
    if (shared_bytes != 0 && in_shared > -kWindow && in_shared < shared_bytes + kWindow)
      return fmt::format("{} the block's shared memory, which has {}",
                         in_shared < 0 ? plural(static_cast<uint64_t>(-in_shared), "byte") + " before"
                         : in_shared < shared_bytes
                             ? plural(static_cast<uint64_t>(in_shared), "byte") + " into"
                             : plural(static_cast<uint64_t>(in_shared - shared_bytes), "byte") + " past the end of",
                         plural(own_bytes, "byte"));
    const auto owner = static_cast<int64_t>(d.warp * kWarpSize + lane);
    const auto own = static_cast<int64_t>(d.addresses[lane] - d.local_memory.base) -
                     owner * static_cast<int64_t>(d.local_memory.bytes);
    if (d.local_memory.bytes == 0 || own < -kWindow || own > kWindow) return std::nullopt;
    return fmt::format("{}{:#x} from the start of the thread's local memory, which has {}", own < 0 ? "-" : "",
                       static_cast<uint64_t>(std::abs(own)), plural(d.local_memory.bytes, "byte"));
  }

  // Of an access that leaves its variable: what it hits on a GPU, which has no padding.
  struct PastVariable {
    std::string where;
    uint64_t place = 0;  // in the block's shared memory
  };

  // The variable from whose address an access's own is computed. If nobody knows, the one before it: what lies in the
  // padding behind that is nobody's.
  [[nodiscard]] static const observe::SharedVariable* left_variable(const Denial& d, uint64_t at) {
    if (d.variable || at >= d.shared_memory.bytes) return d.variable;
    const auto behind =
        std::ranges::upper_bound(d.variables, at, {}, [](const observe::SharedVariable& v) { return v.first; });
    return behind == d.variables.begin() ? nullptr : &*std::prev(behind);
  }

  // An address in or past the block's shared memory that leaves its variable.
  [[nodiscard]] static std::optional<PastVariable> past_variable(const Denial& d, uint32_t lane) {
    if (d.space != AddressSpace::Shared && d.space != AddressSpace::Generic) return std::nullopt;
    const uint64_t in_memory = d.addresses[lane] - d.shared_memory.base;
    const observe::SharedVariable* const variable = left_variable(d, in_memory);
    if (!variable) return std::nullopt;
    const uint64_t shared_end = d.shared_memory.bytes - d.shared_padding, at = in_memory - variable->padding;
    const auto first_of = [](const observe::SharedVariable& v) { return v.first - v.padding; };
    const auto end_of = [&](const observe::SharedVariable& v) { return v.dynamic ? shared_end : v.end - v.padding; };
    const uint64_t end = end_of(*variable), begin = first_of(*variable);
    const auto place = static_cast<int64_t>(at), first = static_cast<int64_t>(begin);
    if (place >= first && at + d.bytes <= end) return std::nullopt;
    std::string where = place < first ? plural(static_cast<uint64_t>(first - place), "byte") + " before"
                        : at < end    ? plural(at - begin, "byte") + " into"
                                      : plural(at - end, "byte") + " past the end of";
    where += fmt::format(" {} of {}", short_name(variable->name), plural(end - begin, "byte"));
    const auto hit = std::ranges::find_if(d.variables, [&](const observe::SharedVariable& v) {
      return &v != variable && at + d.bytes > first_of(v) && at < end_of(v);
    });
    if (hit != d.variables.end()) return PastVariable{where + fmt::format(", in {}", short_name(hit->name)), at};
    where += place < 0 || at + d.bytes > shared_end
                 ? fmt::format("; the block has {} of shared memory", plural(shared_end, "byte"))
                 : ", in no other variable";
    return PastVariable{where, at};
  }

  // An address in or near the thread's local memory, beside an array of which the code has told: where padding lies, or
  // else, the next one to it.
  [[nodiscard]] std::optional<Judged> past_array(const Denial& d, uint32_t lane) const {
    if ((d.space != AddressSpace::Local && d.space != AddressSpace::Generic) || d.local_memory.bytes == 0)
      return std::nullopt;
    const auto at = static_cast<int64_t>(d.addresses[lane] - d.local_memory.base -
                                         (uint64_t{d.warp} * kWarpSize + lane) * d.local_memory.bytes);
    if (d.space == AddressSpace::Generic && (at < 0 || at >= static_cast<int64_t>(d.local_memory.bytes)))
      return std::nullopt;
    const auto end = at + int64_t{d.bytes};
    const observe::LocalArray* nearest = nullptr;
    int64_t least = 0, padding = 0;
    for (const observe::LocalArray& a : d.local_arrays) {
      if ((a.lanes >> lane & 1) == 0) continue;
      const int64_t distance =
          std::max({int64_t{0}, static_cast<int64_t>(a.first) - at, end - static_cast<int64_t>(a.last)});
      if (!nearest || distance < least) nearest = &a, least = distance;
    }
    if (!nearest) return std::nullopt;
    for (const observe::LocalArray& a : d.local_arrays) {
      if ((a.lanes >> lane & 1) == 0) continue;
      if (a.begin <= nearest->begin) padding += static_cast<int64_t>(a.begin - a.first);
      if (a.last <= nearest->begin) padding += static_cast<int64_t>(a.last - a.end);
    }
    const auto first = static_cast<int64_t>(nearest->begin), past = static_cast<int64_t>(nearest->end);
    std::string where = at < first  ? plural(static_cast<uint64_t>(first - at), "byte") + " before"
                        : at < past ? plural(static_cast<uint64_t>(at - first), "byte") + " into"
                                    : plural(static_cast<uint64_t>(at - past), "byte") + " past the end of";
    where += fmt::format(" {} of {}", nearest->name.empty() ? "a local variable" : "'" + nearest->name + "'",
                         plural(static_cast<uint64_t>(past - first), "byte"));
    Judged judged{kind_of(d), std::move(where), {}};
    judged.past_array.emplace();
    if (at >= padding) judged.past_array->offset = static_cast<uint64_t>(at - padding);
    return judged;
  }

  // "tile" of "kernel(float*)::tile".
  static std::string short_name(const std::string& symbol) {
    const std::string name = display_name(symbol);
    const size_t scope = name.rfind("::");
    return fmt::format("'{}'", scope == std::string::npos ? name : name.substr(scope + 2));
  }

  [[nodiscard]] Judged judge(const Denial& d, uint32_t lane) const {
    const FindingKind kind = kind_of(d);
    if (d.cluster && !d.cluster[lane].empty()) return {kind, d.cluster[lane], {}, d.places[lane]};
    if (kind == FindingKind::OutOfBounds)
      if (auto past = past_variable(d, lane)) return {kind, std::move(past->where), {}, past->place};
    if (kind == FindingKind::OutOfBounds)
      if (auto past = past_array(d, lane)) return *std::move(past);
    if (d.space == AddressSpace::Shared || d.space == AddressSpace::Local)
      return {kind,
              fmt::format("offset {:#x}; the {} has {} of it", d.places[lane],
                          d.space == AddressSpace::Shared ? "block" : "thread", plural(d.size, "byte")),
              {}};
    if (d.space == AddressSpace::Param)
      return {kind,
              fmt::format("byte {} of the kernel's parameters, which have {}", static_cast<int64_t>(d.places[lane]),
                          plural(d.size, "byte")),
              {}};
    const uint64_t address = d.addresses[lane];
    const bool freed = kind == FindingKind::BadFree;
    if (kind == FindingKind::OutOfBounds || freed)
      if (const auto where = other_space(d, lane)) return {freed ? kind : FindingKind::WrongSpace, *where, {}};
    if (address < kNullPage && !freed)
      return {FindingKind::NullPointer,
              address == 0 ? "the null pointer" : plural(address, "byte") + " from the null pointer",
              {}};
    if (const auto where = past_window(d, lane); where && !freed) return {kind, *where, {}};
    auto near = launch().memory().near(address);
    if (!near)
      return {freed || kind == FindingKind::Misaligned || kind == FindingKind::MatrixAlignment
                  ? kind
                  : FindingKind::WildPointer,
              "far from every allocation; a host pointer, perhaps?",
              {}};
    const bool inside = near->offset >= 0 && static_cast<uint64_t>(near->offset) < near->allocation.size;
    if (kind == FindingKind::OutOfBounds && inside && !near->live && d.space != AddressSpace::Const)
      return {FindingKind::UseAfterFree, miss(*near), near};
    if (kind == FindingKind::NotPermitted) return {kind, fmt::format("{}, which may {}", miss(*near), near->may), near};
    // In the padding between two allocations: the one that the instruction has left, if it is known.
    if (kind == FindingKind::OutOfBounds && !inside && d.beside != 0) {
      const auto left = launch().memory().near(address, d.beside);
      if (left && left->live && is_beside(*left)) return {kind, miss(*left), left};
    }
    // In another allocation than that of the kernel's parameter from which it is computed.
    if (kind == FindingKind::OutOfBounds && inside && d.beside != 0) {
      auto left = launch().memory().near(address, d.beside);
      if (left && left->live) {
        std::string where =
            fmt::format("{}, in {} of {}", miss(*left), near->allocation.what, plural(near->allocation.size, "byte"));
        return {kind, std::move(where), std::move(left)};
      }
    }
    return {kind, miss(*near), near};
  }

  static bool is_beside(const MemoryMap::Near& near) {
    constexpr int64_t kMost = 1 << 20;  // further than padding is wide, another allocation is missed
    return near.offset > -kMost && near.offset < static_cast<int64_t>(near.allocation.size) + kMost;
  }
};

}  // namespace

std::unique_ptr<observe::BlockObserver> MemoryCheck::begin(uint64_t block) {
  return std::make_unique<BlockMemoryCheck>(*this, block);
}

}  // namespace drywarp::check
