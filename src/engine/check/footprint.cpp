#include "engine/check/footprint.h"

#include <algorithm>
#include <bit>

#include "base/access/lane_offsets.h"

namespace drywarp::check {

using observe::Access;

namespace {

constexpr size_t kMostOfBlock = 1024;  // witnesses of an instruction

bool for_device(MemoryScope scope) { return scope == MemoryScope::Gpu || scope == MemoryScope::Sys; }
bool orders_others(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::Release || order == MemoryOrder::AcqRel ||
         order == MemoryOrder::Sc;
}

// Lanes that each go along a row of their own, a multiple of 64 bytes apart, as in a product whose threads have a row
// each. What they access of 64 bytes, access by access, is inserted at once.
class Columns {
 public:
  // The next access of the same lanes.
  bool take(const Access& a) {
    if (mask_ == 0 || a.lanes != ~LaneMask{0} || a.addresses[0] / 64 != window_ || !within(a)) return false;
    if (lanes_elsewhere(a.addresses, a.lanes, a.addresses[0], apart_.data()) != 0) return false;
    mask_ |= bytes_of(a);
    return true;
  }
  // A first one. False: its lanes go otherwise.
  bool begin(const Access& a, ByteSet::Writer& writer) {
    if (a.lanes != ~LaneMask{0} || !within(a)) return false;
    end(writer);
    uint64_t all = 0;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) all |= apart_[lane] = a.addresses[lane] - a.addresses[0];
    if (all % 64 != 0) return false;
    window_ = a.addresses[0] / 64, mask_ = bytes_of(a);
    return true;
  }
  void end(ByteSet::Writer& writer) {
    for (uint32_t lane = 0; mask_ != 0 && lane < kWarpSize; ++lane)
      writer.insert_mask(window_ * 64 + apart_[lane], mask_);
    mask_ = 0;
  }

 private:
  static bool within(const Access& a) { return a.bytes != 0 && a.addresses[0] % 64 + a.bytes <= 64; }
  static uint64_t bytes_of(const Access& a) { return ~uint64_t{0} >> (64 - a.bytes) << a.addresses[0] % 64; }

  uint64_t window_ = 0, mask_ = 0;  // of the first lane; 0: no lanes
  std::array<uint64_t, kWarpSize> apart_{};
};

}  // namespace

class BlockFootprint : public observe::BlockObserver {
 public:
  BlockFootprint(FootprintObserver& launch, uint64_t block) : launch_(launch), block_(block) {}
  ~BlockFootprint() override {
    std::map<Footprint::Part*, std::vector<Witness>> all;
    for (auto& [key, own] : own_) {
      own.columns.end(own.writer);
      std::vector<Witness>& to = all[own.part];
      to.insert(to.end(), own.witnesses.begin(), own.witnesses.end());
    }
    launch_.keep(block_, std::move(all));
  }
  BlockFootprint(const BlockFootprint&) = delete;
  BlockFootprint& operator=(const BlockFootprint&) = delete;

  [[nodiscard]] bool looks_at_parts() const override { return true; }
  void bulk(const observe::BulkAccess& b) override {
    observe::as_accesses(b, [&](const Access& a) { access(a); });
  }
  void access(const Access& a) override {
    if (a.memory != Memory::Global || a.lanes == 0) return;
    const bool atomic = a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap;
    const bool is_volatile = a.order == MemoryOrder::Volatile || a.order == MemoryOrder::Mmio;
    const bool strong = is_volatile || (a.order != MemoryOrder::Weak && for_device(a.scope)) ||
                        (atomic && (a.order == MemoryOrder::Weak || for_device(a.scope)));
    const bool with_host = is_volatile || (strong && a.scope == MemoryScope::Sys);
    if (orders_others(a.order) && for_device(a.scope)) launch_.fences_ = true;
    Own& own = find({a.access, a.kind != AccessKind::Load, strong, with_host, atomic});
    if (own.columns.take(a)) return;
    // Rows of lanes whose bytes follow each other, or are the same.
    const auto [follows, same] = lane_steps(a.addresses, a.lanes, a.bytes);
    if (own.witnesses.size() == kMostOfBlock && follows == 0 && same == 0 && own.columns.begin(a, own.writer)) return;
    for (LaneMask left = a.lanes; left != 0;) {
      const auto first = static_cast<uint32_t>(std::countr_zero(left));
      const auto lanes = 1 + static_cast<uint32_t>(std::countr_one(follows >> first));
      const auto passed = std::max(lanes, 1 + static_cast<uint32_t>(std::countr_one(same >> first)));
      add(own, {a.addresses[first], a.bytes, lanes, a.warp * kWarpSize + first, block_});
      left &= ~(~LaneMask{0} >> (kWarpSize - passed) << first);
    }
  }

  void fence(const observe::Fence& f) override {
    if (for_device(f.scope)) launch_.fences_ = true;
  }

 private:
  struct Own {
    Footprint::Part* part;
    ByteSet::Writer writer;
    std::vector<Witness> witnesses;
    Columns columns = {};
  };

  Own& find(const FootprintObserver::Key& key) {
    if (last_.size() <= key.access) last_.resize(key.access + 1);
    Last& last = last_[key.access];
    if (last.own && key == last.key) return *last.own;
    auto it = own_.find(key);
    if (it == own_.end()) {
      Footprint::Part& part = launch_.part(key);
      it = own_.emplace(key, Own{&part, ByteSet::Writer(part.bytes), {}}).first;
    }
    last = {key, &it->second};
    return *last.own;
  }

  static void add(Own& own, const Witness& row) {
    // Lanes of a warp often access one place.
    if (!own.witnesses.empty()) {
      Witness& last = own.witnesses.back();
      if (row.begin >= last.begin && row.end() <= last.end()) return;
      if (last.end() == row.begin && last.width == row.width && last.thread + last.lanes == row.thread) {
        own.writer.insert(row.begin, row.end() - row.begin);
        last.lanes += row.lanes;
        return;
      }
    }
    own.writer.insert(row.begin, row.end() - row.begin);
    if (own.witnesses.size() < kMostOfBlock) own.witnesses.push_back(row);
  }

  FootprintObserver& launch_;
  const uint64_t block_;
  std::map<FootprintObserver::Key, Own> own_;
  struct Last {
    FootprintObserver::Key key{};
    Own* own = nullptr;
  };
  std::vector<Last> last_;  // by access
};

FootprintObserver::FootprintObserver(const CheckedLaunch& launch) : launch_(launch) {}

std::unique_ptr<observe::BlockObserver> FootprintObserver::begin(uint64_t block) {
  return std::make_unique<BlockFootprint>(*this, block);
}

Footprint::Part& FootprintObserver::part(const Key& key) {
  const std::lock_guard hold(mutex_);
  std::shared_ptr<Footprint::Part>& part = parts_[key];
  if (!part) {
    part = std::make_shared<Footprint::Part>();
    part->use = key.writes ? MemoryUse::Write : MemoryUse::Read;
    part->strong = key.strong, part->with_host = key.with_host, part->atomic = key.atomic;
    part->key = launch_.at_access(key.access);
    if (part->key) part->where = launch_.line(*launch_.at_access(key.access));
  }
  return *part;
}

// The lowest blocks' witnesses stay, up to the first that does not fit: whatever the order in which blocks end, the
// same ones.
void FootprintObserver::keep(uint64_t block, std::map<Footprint::Part*, std::vector<Witness>> witnesses) {
  const auto size_of = [](const auto& of_parts) {
    size_t size = 0;
    for (const auto& [part, list] : of_parts) size += list.size();
    return size;
  };
  const std::lock_guard hold(mutex_);
  if (block >= end_) return;
  kept_ += size_of(witnesses);
  witnesses_[block] = std::move(witnesses);
  while (kept_ > kMostWitnesses) {
    const auto last = std::prev(witnesses_.end());
    kept_ -= size_of(last->second);
    end_ = last->first;
    witnesses_.erase(last);
  }
}

Footprint FootprintObserver::take() {
  Footprint all;
  all.kernel = launch_.kernel().display_name;
  all.fences = fences_;
  all.grid = launch_.grid(), all.block = launch_.block();
  for (const auto& [block, of_parts] : witnesses_)
    for (const auto& [part, list] : of_parts) part->witnesses.insert(part->witnesses.end(), list.begin(), list.end());
  for (auto& [key, part] : parts_) {
    std::ranges::stable_sort(part->witnesses, {}, &Witness::begin);
    all.parts.push_back(std::move(part));
  }
  return all;
}

std::optional<ThreadPlace> Footprint::thread(const Footprint::Part& part, uint64_t address) const {
  const Witness* lowest = nullptr;
  constexpr uint64_t kLongest = uint64_t{1024} * 32;  // bytes of a row: a block's threads, at most 32 each
  const auto low = std::ranges::lower_bound(part.witnesses, address - std::min(address, kLongest), {}, &Witness::begin);
  for (auto it = low; it != part.witnesses.end() && it->begin <= address; ++it)
    if (address < it->end() && (!lowest || it->block < lowest->block)) lowest = &*it;
  if (!lowest) return std::nullopt;
  const auto thread = lowest->thread + static_cast<uint32_t>((address - lowest->begin) / lowest->width);
  return thread_place(grid, block, lowest->block, thread);
}

}  // namespace drywarp::check
