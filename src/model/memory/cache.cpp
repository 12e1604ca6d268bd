#include "model/memory/cache.h"

#include <bit>

#include "base/access/access_pattern.h"

namespace drywarp::memory {
namespace {

constexpr uint64_t kBytes = 0x0101010101010101, kNibbles = 0x1111111111111111;
// The initial LRU order: way i at position i. Orders are stored XORed with it, so that zeroed memory is a valid order.
constexpr uint64_t kFirstOrder = 0xfedcba9876543210;

// Requests may be out of time order by this much.
constexpr Cycles kOutOfOrder = 128;

// Sets the highest bit of each zero byte. Bytes above a zero byte may give false positives.
constexpr uint64_t zero_bytes(uint64_t word) { return (word - kBytes) & ~word & kBytes << 7; }

// The bit position of a way in an LRU order.
unsigned place_of(uint32_t way, uint64_t order) {
  const uint64_t others = order ^ way * kNibbles;
  return static_cast<unsigned>(std::countr_zero((others - kNibbles) & ~others & kNibbles << 3)) & ~3u;
}

// The order with the way at `from` moved up to `to`, both bit positions.
uint64_t moved(uint64_t order, uint64_t way, unsigned from, unsigned to) {
  const uint64_t above = (uint64_t{1} << to) - 1, between = ((uint64_t{1} << from) - 1) & ~above;
  const uint64_t behind = ~(above | between | uint64_t{15} << from);
  return (order & (above | behind)) | (order & between) << 4 | way << to;
}

// Where a set's first word has the number of protected lines.
constexpr unsigned kProtectedAt = 60;
// Of so many lines that have to go one ends the protection of another. Fitted to which of 2,048 to 4,096 lines an H200
// keeps that are loaded there and back (data/h200-l1-lines.csv).
constexpr unsigned kEndsOneOf = 4;

}  // namespace

Cache::Cache(uint64_t bytes, uint32_t ways, ZeroedArena& arena, uint32_t protects) : protects_(protects) {
  const uint64_t lines = bytes / kLineBytes;
  ways_ = static_cast<uint32_t>(std::clamp<uint64_t>(lines, 1, ways == 0 ? kMaxWays : std::min(ways, kMaxWays)));
  if (protects_ > 0) ways_ = std::min(ways_, kMaxWays - 1);
  sign_words_ = (ways_ + 7) / 8;
  sets_ = std::max<uint64_t>(lines / ways_, 1);
  inverse_ = ~uint64_t{0} / sets_ + 1;
  size_ = lines == 0 ? 0 : sets_ * ways_;
  set_words_ = (1 + sign_words_ + ways_ + kHostLine - 1) / kHostLine * kHostLine;
  words_ = arena.take<uint64_t>(sets_ * set_words_);
  sectors_ = arena.take<Sectors>(size_);
  written_ = arena.take<Written>(size_);
}

// A stretch of as many lines as there are sets fills each set once, from an offset given by a hash. So an H200's L1
// behaves: it keeps a stretch of its own size completely, and nothing of one a quarter longer.
Cache::Set Cache::set_of(uint64_t line) const {
  const uint64_t stretch =
      sets_ == 1 ? line : static_cast<uint64_t>(static_cast<unsigned __int128>(line) * inverse_ >> 64);
  const uint64_t hash = hash_line(stretch);
  uint64_t set = line - stretch * sets_ + pick(hash, sets_);
  if (set >= sets_) set -= sets_;
  return {words_ + set * set_words_, static_cast<size_t>(set * ways_), std::max<uint64_t>(hash & 255, 1) * kBytes};
}

Cache::Entry Cache::find(const Set& set, uint64_t line) const {
  for (uint32_t w = 0; w != sign_words_; ++w)
    for (uint64_t alike = zero_bytes(set.words[1 + w] ^ set.sign); alike != 0; alike &= alike - 1) {
      const Entry entry = entry_at(set, 8 * w + static_cast<uint32_t>(std::countr_zero(alike)) / 8);
      if (*entry.tag >> kFlagBits == line + 1) return entry;
    }
  return {};
}

Cache::Entry Cache::find(uint64_t line) const { return size_ == 0 ? Entry{} : find(set_of(line), line); }

// A free way, else the least recently used one.
Cache::Entry Cache::choose_victim(const Set& set) const {
  for (uint32_t w = 0; w != sign_words_; ++w)
    if (const uint64_t free = zero_bytes(set.words[1 + w]); free != 0) {
      const uint32_t way = 8 * w + static_cast<uint32_t>(std::countr_zero(free)) / 8;
      if (way < ways_) return entry_at(set, way);  // the bytes behind the last way are zero too
    }
  return entry_at(set, static_cast<uint32_t>((set.words[0] ^ kFirstOrder) >> 4 * (ways_ - 1) & 15));
}

// A line that is used again becomes the most recent one, and is protected: if too many are, the oldest of them no
// longer.
void Cache::use_again(const Entry& entry) const {
  uint64_t& word = entry.set.words[0];
  const uint64_t order = word ^ kFirstOrder;
  const unsigned from = place_of(entry.way, order);
  const uint64_t protected_lines = word >> kProtectedAt;
  word = moved(order, entry.way, from, 0) ^ kFirstOrder;
  if (from / 4 >= protected_lines && protected_lines < protects_) word += uint64_t{1} << kProtectedAt;
}

// A new line is the most recent of those that are not protected.
void Cache::use_first(const Entry& entry) const {
  uint64_t& word = entry.set.words[0];
  const uint64_t order = word ^ kFirstOrder;
  const unsigned from = place_of(entry.way, order);
  const auto to = static_cast<unsigned>(protects_ > 0 ? word >> kProtectedAt : 0) * 4;
  word = moved(order, entry.way, from, std::min(from, to)) ^ kFirstOrder;
}

Cache::Found Cache::access(uint64_t line, uint32_t sectors, Cycles now) {
  Found found;
  last_ = {};
  if (size_ == 0) return found;
  const Set set = set_of(line);
  last_ = find(set, line);
  if (last_.known()) {
    uint64_t& tag = *last_.tag;
    found.hits = static_cast<uint32_t>(tag & kValid) & sectors;
    if ((tag & kArriving) != 0) {
      const Sectors& s = sectors_[last_.index()];
      Cycles all = 0;
      for (unsigned i = 0; i < 4; ++i) {
        if ((tag >> i & 1) != 0) all = std::max(all, Cycles{s.ready[i]});
        if ((found.hits >> i & 1) != 0) found.ready = std::max(found.ready, Cycles{s.ready[i]});
      }
      if (all + kOutOfOrder <= now) tag &= ~kArriving;
    }
    use_again(last_);
  } else {
    last_ = choose_victim(set);
    uint64_t& tag = *last_.tag;
    if (tag != 0 && protects_ > 0 && ++evicted_ % kEndsOneOf == 0 && set.words[0] >> kProtectedAt != 0)
      set.words[0] -= uint64_t{1} << kProtectedAt;
    if ((tag & kDirty) != 0) {
      found.dirty_out = static_cast<uint32_t>(tag >> kDirtyAt & 15), found.victim = (tag >> kFlagBits) - 1;
      found.partial_out = found.dirty_out & ~static_cast<uint32_t>(tag);
    }
    tag = (line + 1) << kFlagBits;
    const unsigned at = last_.way % 8 * 8;
    uint64_t& signs = set.words[1 + last_.way / 8];
    signs = (signs & ~(uint64_t{255} << at)) | (set.sign & 255) << at;
    use_first(last_);
  }
  return found;
}

void Cache::fill(uint32_t sectors, Cycles ready) {
  if (!last_.known() || sectors == 0) return;
  *last_.tag |= sectors | kArriving;
  Sectors& s = sectors_[last_.index()];
  for (unsigned i = 0; i < 4; ++i)
    if ((sectors >> i & 1) != 0) s.ready[i] = static_cast<float>(ready);
}

void Cache::make_dirty(uint32_t sectors) {
  if (last_.known()) *last_.tag |= (sectors & ~(*last_.tag >> kSettledAt) & 15) << kDirtyAt;
}

void Cache::write_partial(uint32_t sectors, unsigned bytes, Cycles now) {
  if (!last_.known()) return;
  make_dirty(sectors);
  uint64_t& tag = *last_.tag;
  if ((sectors & ~tag & kValid) == 0) return;
  Written& written = written_[last_.index()];
  for (unsigned i = 0; i < 4; ++i) {
    if (((sectors & ~tag) >> i & 1) == 0) continue;
    if ((tag >> kPartAt >> i & 1) == 0) written.bytes[i] = 0;
    tag |= uint64_t{1} << kPartAt << i;
    written.bytes[i] = static_cast<uint8_t>(std::min<unsigned>(written.bytes[i] + bytes, kSectorBytes));
    if (written.bytes[i] == kSectorBytes) fill(1u << i, now);
  }
}

uint32_t Cache::write_through(uint32_t sectors, uint32_t parts, unsigned bytes, Cycles now, Cycles ready) {
  if (!last_.known()) return 0;
  uint64_t& tag = *last_.tag;
  Sectors& s = sectors_[last_.index()];
  uint32_t there = static_cast<uint32_t>(tag | tag >> kDirtyAt) & sectors;
  const uint32_t new_sectors = sectors & ~there;
  for (unsigned i = 0; i < 4; ++i)
    if ((there >> i & 1) != 0 && Cycles{s.ready[i]} > now) there &= ~(1u << i);
  fill(new_sectors & ~parts, ready);
  write_partial(parts, bytes, ready);
  tag |= new_sectors != 0 || there != sectors ? kArriving : 0;
  for (unsigned i = 0; i < 4; ++i)
    if (((sectors & ~there) >> i & 1) != 0) s.ready[i] = std::max(s.ready[i], static_cast<float>(ready));
  return there;
}

void Cache::make_lru() {
  if (!last_.known()) return;
  const uint64_t order = last_.set.words[0] ^ kFirstOrder;
  const uint64_t before = (uint64_t{1} << place_of(last_.way, order)) - 1, all = ~uint64_t{0} >> 4 * (kMaxWays - ways_);
  const uint64_t behind = (order & all & ~(before << 4 | 15)) >> 4;
  last_.set.words[0] =
      ((order & ~all) | uint64_t{last_.way} << 4 * (ways_ - 1) | behind | (order & before)) ^ kFirstOrder;
}

uint32_t Cache::present(uint64_t line, uint32_t sectors) const {
  const Entry entry = find(line);
  return entry.known() ? static_cast<uint32_t>(*entry.tag & kValid) & sectors : 0;
}

Cache::Found Cache::clean(uint64_t line, bool settled) {
  Found found;
  const Entry entry = find(line);
  if (!entry.known()) return found;
  uint64_t& tag = *entry.tag;
  found.dirty_out = static_cast<uint32_t>(tag >> kDirtyAt & 15), found.victim = line;
  found.partial_out = found.dirty_out & ~static_cast<uint32_t>(tag);
  // Partly written sectors are read for the write-back, so they are complete now.
  for (unsigned i = 0; i < 4; ++i)
    if ((found.partial_out >> i & 1) != 0) sectors_[entry.index()].ready[i] = 0;
  tag |= found.partial_out;
  if (settled) tag |= uint64_t{found.dirty_out} << kSettledAt;
  tag &= ~kDirty;
  return found;
}

void Cache::invalidate(uint64_t line, uint32_t sectors) {
  const Entry entry = find(line);
  if (entry.known()) *entry.tag &= ~(uint64_t{sectors} | uint64_t{sectors} << kDirtyAt | uint64_t{sectors} << kPartAt);
}

}  // namespace drywarp::memory
