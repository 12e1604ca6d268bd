#include "engine/check/init_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/support/plural.h"

namespace drywarp::check {
namespace {

using observe::Access;

class BlockInitCheck : public BlockCheck {
 public:
  using BlockCheck::BlockCheck;

  void access(const Access& a) override {
    const bool atomic = a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap;
    const bool reads = a.kind == AccessKind::Load || atomic, writes = a.kind != AccessKind::Load;
    if (a.memory == Memory::Local) return;
    for (LaneMask left = a.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      if (reads && !written(a, lane)) unwritten(a, lane);
      if (writes) write(a, lane);
    }
  }

 private:
  [[nodiscard]] bool written(const Access& a, uint32_t lane) const {
    if (a.memory == Memory::Global) return launch().memory().written(a.addresses[lane], a.bytes);
    const uint64_t place = a.places[lane];
    for (uint32_t b = 0; b < a.bytes; ++b)
      if (place + b >= shared_.size() || !shared_[place + b]) return false;
    return true;
  }

  void write(const Access& a, uint32_t lane) {
    if (a.memory == Memory::Global) return launch().memory().write(a.addresses[lane], a.bytes);
    const uint64_t place = a.places[lane];
    if (place >= kMostShared) return;  // out of bounds: another check's
    if (shared_.size() < place + a.bytes) shared_.resize(place + a.bytes);
    std::fill_n(shared_.begin() + static_cast<std::ptrdiff_t>(place), a.bytes, uint8_t{1});
  }

  void unwritten(const Access& a, uint32_t lane) {
    report(FindingKind::Uninitialized, launch().at_access(a.access), 1, [&](Finding& f) {
      f.thread = thread(a.warp, lane);
      f.bytes = a.bytes;
      f.address = a.places[lane];
      std::string where = fmt::format("offset {:#x} of the block's", a.places[lane]);
      if (a.memory == Memory::Global) {
        const auto near = launch().memory().near(a.addresses[lane]);
        if (near) f.allocation = near->allocation;
        where = near ? fmt::format("{} into {} of {}", plural(static_cast<uint64_t>(near->offset), "byte"),
                                   near->allocation.what, plural(near->allocation.size, "byte"))
                     : std::string("no allocation");
      }
      f.what = fmt::format("read of {} of {} memory that nothing has written: {}", plural(a.bytes, "byte"),
                           a.memory == Memory::Global ? "global" : "shared", where);
    });
  }

  static constexpr uint64_t kMostShared = uint64_t{1} << 20;  // bytes; more than any GPU's
  std::vector<uint8_t> shared_;                               // by byte: written
};

}  // namespace

std::unique_ptr<observe::BlockObserver> InitCheck::begin(uint64_t block) {
  return std::make_unique<BlockInitCheck>(*this, block);
}

}  // namespace drywarp::check
