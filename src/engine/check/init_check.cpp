#include "engine/check/init_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/access/lane_offsets.h"
#include "base/access/lanes.h"
#include "base/support/plural.h"
#include "engine/check/block_bytes.h"

namespace drywarp::check {
namespace {

using observe::Access;
using observe::UnknownUse;

const char* name_of(Memory memory) {
  return memory == Memory::Global ? "global" : memory == Memory::Shared ? "shared" : "local";
}

const char* what_it_does(UnknownUse::How how) {
  switch (how) {
    case UnknownUse::How::Branch:
      return "steers a branch";
    case UnknownUse::How::Address:
      return "is part of an address";
    case UnknownUse::How::Store:
      return "is stored";
    case UnknownUse::How::Atomic:
      return "goes into an atomic";
    case UnknownUse::How::Exchange:
      return "goes to other lanes";
    case UnknownUse::How::Call:
      return "goes to a function of the device";
  }
  return "";
}

// From the first byte that a lane accesses to the last one, in the memory that the request is in.
struct Span {
  uint64_t place = 0, bytes = 0;
  bool filled = false;  // whole warps: every byte of it is accessed, in local memory by every thread
};

Span span_of(const Access& a) {
  const LaneSpan lanes = lane_span(a.places, a.lanes, a.bytes);
  const bool together = a.lanes == ~LaneMask{0} && lanes.first == lanes.last;
  return {lanes.first, lanes.last - lanes.first + a.bytes,
          together || (lanes.side_by_side && a.memory != Memory::Local)};
}

class BlockInitCheck : public BlockCheck {
 public:
  using BlockCheck::BlockCheck;

  void written_by_others(const observe::RemoteWrite& w) override { shared_.write_all(w.place, w.bytes); }

  void access(const Access& a) override {
    if (a.remote) return;  // who has the memory is told of writes; what is read there is not looked at
    const bool atomic = a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap;
    // What an exchange gives is followed as what a load gives is.
    const bool reads = a.kind == AccessKind::Load || atomic, writes = a.kind != AccessKind::Load;
    const Span span = span_of(a);
    // What lies between the lanes' bytes is mostly written, too.
    if (reads && !a.call_slot && !(span.bytes <= kLongestSpan && span_written(a, span))) read(a, atomic && !a.replaces);
    if (!writes) return;
    if (span.filled) return write_span(a, span);
    for_lanes(a.lanes, [&](uint32_t lane) { write(a, lane); });
  }

  void unknown_store(const observe::UnknownStore& s) override {
    if (s.memory == Memory::Global) {
      const UnknownSource from = source_of(origin(s.what.origin));
      for_lanes(s.what.lanes,
                [&](uint32_t lane) { launch().memory().store_unknown(s.places[lane], s.what.bytes[lane], from); });
      return;
    }
    BlockBytes& to = s.memory == Memory::Shared ? shared_ : local(s.warp);
    for_lanes(s.what.lanes, [&](uint32_t lane) {
      for (uint32_t left = s.what.bytes[lane]; left != 0; left &= left - 1) {
        const uint64_t place = s.places[lane] + static_cast<uint32_t>(std::countr_zero(left));
        to.forget(place, s.memory == Memory::Shared ? 0 : lane);
        kept_[key(s.memory, s.warp, lane, place)] = s.what.origin;
      }
    });
  }

  void inactive_source(const observe::InactiveSource& s) override {
    const auto [known, is_new] = inactive_.try_emplace({s.ptx_line, s.line}, static_cast<uint32_t>(origins_.size()));
    *s.origin = known->second;
    if (!is_new) return;
    Origin& o = origins_.emplace_back();
    o.kind = FindingKind::InactiveLane;
    o.at = launch().at_line(s.ptx_line, s.line);
    o.thread = thread(s.warp, static_cast<uint32_t>(std::countr_zero(s.lanes)));
    o.what = fmt::format("lane {} of warp {} gets the value of lane {}, which takes no part in the shuffle",
                         std::countr_zero(s.lanes), s.warp, s.from);
  }

  void unknown_use(const UnknownUse& use) override {
    // The first store of such a value was a finding; others are copies of it.
    if (use.how == UnknownUse::How::Store && origin(use.origin).stored) return;
    const auto lane = static_cast<uint32_t>(std::countr_zero(use.lanes));
    const InstructionInfo* at = launch().at_line(use.ptx_line, use.line);
    report(origin(use.origin), static_cast<uint64_t>(std::popcount(use.lanes)),
           OtherAccess{what_it_does(use.how), at ? launch().line(*at) : CodeLine{}, thread(use.warp, lane)});
  }

 private:
  // What is to be said of a read, if its value is used.
  struct Origin {
    FindingKind kind = FindingKind::Uninitialized;
    const InstructionInfo* at = nullptr;
    ThreadPlace thread;
    uint32_t bytes = 0;
    std::optional<uint64_t> address;
    std::optional<FoundAllocation> allocation;
    std::string what;
    const UnknownSource* stored = nullptr;  // global memory to which a kernel has stored an unwritten value; null: not
  };

  const Origin& origin(uint32_t number) const { return origins_[number & ~observe::kSpeaksLast]; }

  UnknownSource source_of(const Origin& o) const {
    if (o.stored) return *o.stored;
    const std::string line = o.at ? to_string(launch().line(*o.at)) : std::string();
    const std::string& kernel = launch().kernel().display_name;
    return {o.kind, line.empty() ? kernel : fmt::format("{} in {}", line, kernel)};
  }

  BlockBytes& local(uint32_t warp) {
    while (local_.size() <= warp) local_.emplace_back(kWarpSize);
    return local_[warp];
  }

  bool span_written(const Access& a, const Span& span) {
    if (a.memory == Memory::Global) return launch().memory().written(address_of(a, span), span.bytes);
    return a.memory == Memory::Shared ? shared_.all_written(span.place, span.bytes)
                                      : local(a.warp).all_written(span.place, span.bytes);
  }

  void write_span(const Access& a, const Span& span) {
    if (a.memory == Memory::Global) return launch().memory().write(address_of(a, span), span.bytes);
    if (a.memory == Memory::Shared) return shared_.write_all(span.place, span.bytes);
    local(a.warp).write_all(span.place, span.bytes);
  }

  static uint64_t address_of(const Access& a, const Span& span) {
    const auto lane = static_cast<size_t>(std::countr_zero(a.lanes));
    return a.addresses[lane] - (a.places[lane] - span.place);
  }

  bool written(const Access& a, uint32_t lane, uint32_t first, uint32_t bytes) {
    if (a.memory == Memory::Global) return launch().memory().written(a.addresses[lane] + first, bytes);
    return a.memory == Memory::Shared ? shared_.written(a.places[lane] + first, bytes, 0)
                                      : local(a.warp).written(a.places[lane] + first, bytes, lane);
  }

  void write(const Access& a, uint32_t lane) {
    if (a.memory == Memory::Global) return launch().memory().write(a.addresses[lane], a.bytes);
    if (a.memory == Memory::Shared) return shared_.write(a.places[lane], a.bytes, 0);
    local(a.warp).write(a.places[lane], a.bytes, lane);
  }

  // Of lanes that exchange one value, the first gets what was there, and the others what it has written.
  static bool shares_place(const Access& a, LaneMask with, uint32_t lane) {
    bool shares = false;
    for_lanes(with, [&](uint32_t other) { shares |= a.places[other] == a.places[lane]; });
    return shares;
  }

  // Followed values are reported where they are used; all others, and what atomics change, at once.
  void read(const Access& a, bool atomic) {
    const LaneMask perhaps =
        a.memory == Memory::Global ? launch().memory().unwritten(a.addresses, a.lanes, a.bytes) : a.lanes;
    LaneMask unwritten = 0;
    for_lanes(perhaps, [&](uint32_t lane) {
      if (!written(a, lane, 0, a.bytes) && !(a.replaces && shares_place(a, unwritten, lane))) unwritten |= 1u << lane;
    });
    if (unwritten == 0) return;
    if (a.unknown) return tell_unknown(a, unwritten);
    for_lanes(unwritten, [&](uint32_t lane) {
      uint32_t first = 0;
      while (first < a.bytes && written(a, lane, first, 1)) ++first;
      const Origin& read = origin(origin_of(a, lane, first));
      if (read.stored && !atomic) return;
      const InstructionInfo* at = launch().at_access(a.access);
      report(read, 1,
             atomic ? std::optional(OtherAccess{what_it_does(UnknownUse::How::Atomic),
                                                at ? launch().line(*at) : CodeLine{}, thread(a.warp, lane)})
                    : std::nullopt);
    });
  }

  void tell_unknown(const Access& a, LaneMask unwritten) {
    for_lanes(unwritten, [&](uint32_t lane) {
      for (uint32_t b = 0; b < a.bytes; ++b) {
        if (written(a, lane, b, 1)) continue;
        const uint32_t origin = origin_of(a, lane, b);
        auto known = std::ranges::find(*a.unknown, origin, &observe::UnknownBytes::origin);
        if (known == a.unknown->end()) {
          known = a.unknown->emplace(known);
          known->origin = origin;
        }
        if ((known->lanes >> lane & 1) == 0) known->bytes[lane] = 0;
        known->lanes |= 1u << lane;
        known->bytes[lane] |= 1u << b;
      }
    });
  }

  // The load that an unknown byte is from: one before the store that put it there, or this one.
  uint32_t origin_of(const Access& a, uint32_t lane, uint32_t byte) {
    if (a.memory != Memory::Global && !kept_.empty()) {
      const auto kept = kept_.find(key(a.memory, a.warp, lane, a.places[lane] + byte));
      if (kept != kept_.end()) return kept->second;
    }
    return origin_of_read(a, lane, byte);
  }

  static uint64_t key(Memory memory, uint32_t warp, uint32_t lane, uint64_t place) {
    return memory == Memory::Shared ? place : place << 16 | uint64_t{warp + 1} << 5 | lane | uint64_t{1} << 63;
  }

  // One for each instruction, memory, and source of what was stored there: of the first read.
  uint32_t origin_of_read(const Access& a, uint32_t lane, uint32_t byte) {
    const UnknownSource* stored =
        a.memory == Memory::Global ? launch().memory().unknown_source(a.addresses[lane] + byte) : nullptr;
    const uint32_t next = static_cast<uint32_t>(origins_.size()) | (stored ? observe::kSpeaksLast : 0);
    const auto [known, is_new] = numbers_.try_emplace({a.access, a.memory, stored}, next);
    if (!is_new) return known->second;
    Origin& o = origins_.emplace_back();
    o.stored = stored;
    if (stored) o.kind = stored->kind;
    o.at = launch().at_access(a.access);
    o.thread = thread(a.warp, lane);
    o.bytes = a.bytes;
    o.address = a.places[lane];
    std::string where =
        fmt::format("offset {:#x} of the {}'s", a.places[lane], a.memory == Memory::Shared ? "block" : "thread");
    if (a.memory == Memory::Global) {
      const auto near = launch().memory().near(a.addresses[lane]);
      if (near) o.allocation = near->allocation;
      where = near ? fmt::format("{} into {} of {}", plural(static_cast<uint64_t>(near->offset), "byte"),
                                 near->allocation.what, plural(near->allocation.size, "byte"))
                   : std::string("no allocation");
    }
    const std::string why = stored ? "holds an unwritten value from " + stored->where : "nothing has written";
    o.what = fmt::format("read of {} of {} memory that {}: {}", plural(a.bytes, "byte"), name_of(a.memory), why, where);
    return known->second;
  }

  void report(const Origin& o, uint64_t times, const std::optional<OtherAccess>& use) {
    BlockCheck::report(o.kind, o.at, times, [&](Finding& f) {
      f.thread = o.thread;
      f.bytes = o.bytes;
      f.address = o.address;
      f.allocation = o.allocation;
      f.what = o.what;
      f.other = use;
    });
  }

  static constexpr uint64_t kLongestSpan = 1024;

  BlockBytes shared_{1};
  std::vector<BlockBytes> local_;  // by warp
  std::vector<Origin> origins_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> inactive_;  // of origins, by line of PTX and of the source
  std::map<std::tuple<uint32_t, Memory, const UnknownSource*>, uint32_t> numbers_;  // of origins
  std::unordered_map<uint64_t, uint32_t> kept_;  // by byte of shared and local memory: what was stored there
};

}  // namespace

std::unique_ptr<observe::BlockObserver> InitCheck::begin(uint64_t block) {
  return std::make_unique<BlockInitCheck>(*this, block);
}

}  // namespace drywarp::check
