#include "memsys/cache.h"

#include <new>

#include "events/access_pattern.h"

namespace drywarp::memsys {

template <typename T>
Cache::Zeroed<T> Cache::zeroed(size_t count) {
  Zeroed<T> memory(static_cast<T*>(std::calloc(count, sizeof(T))));
  if (!memory) throw std::bad_alloc();
  return memory;
}

Cache::Cache(uint64_t bytes, uint32_t ways) : ways_(ways) {
  constexpr size_t kHostLine = 64 / sizeof(uint64_t);
  const uint64_t lines = bytes / kLineBytes;
  if (ways_ == 0 || ways_ > lines) ways_ = static_cast<uint32_t>(std::max<uint64_t>(lines, 1));
  sets_ = std::max<uint64_t>(lines / ways_, 1);
  inverse_ = ~uint64_t{0} / sets_ + 1;
  size_ = lines == 0 ? 0 : sets_ * ways_;
  set_words_ = ways_ + (ways_ + 1) / 2;
  memory_ = zeroed<uint64_t>(size_ / ways_ * set_words_ + kHostLine);
  tags_ = memory_.get() + (kHostLine - reinterpret_cast<uintptr_t>(memory_.get()) / sizeof(uint64_t) % kHostLine);
  sectors_ = zeroed<Sectors>(size_ + 1);
  written_ = zeroed<Written>(size_ + 1);
}

// Neighbouring lines lie in different sets, each set once in as many lines as there are, from a place that a hash
// finds: an H200's L1 keeps a stretch of memory as long as it has lines at all, and none of one a quarter longer.
Cache::Set Cache::set_of(uint64_t line) const {
  uint64_t set = 0;
  if (sets_ != 1) {
    const auto stretch = static_cast<uint64_t>(static_cast<unsigned __int128>(line) * inverse_ >> 64);
    set = line - stretch * sets_ + pick(hash_line(stretch), sets_);
    if (set >= sets_) set -= sets_;
  }
  uint64_t* tags = tags_ + set * set_words_;
  return {tags, reinterpret_cast<uint32_t*>(tags + ways_), set * ways_};
}

Cache::Entry Cache::find(uint64_t line) const {
  if (size_ == 0) return {};
  const Set set = set_of(line);
  for (uint32_t e = 0; e != ways_; ++e)
    if (set.tags[e] >> kFlagBits == line + 1) return {set.tags + e, set.used + e, set.first + e};
  return {};
}

Cache::Found Cache::access(uint64_t line, uint32_t sectors) {
  Found found;
  last_ = {};
  if (size_ == 0) return found;
  ++clock_;
  const Set set = set_of(line);
  for (uint32_t e = 0; e != ways_; ++e) {
    if (set.tags[e] >> kFlagBits != line + 1) continue;
    set.used[e] = clock_;
    last_ = {set.tags + e, set.used + e, set.first + e};
    found.hits = static_cast<uint32_t>(set.tags[e] & kValid) & sectors;
    if (found.hits == 0) return found;
    const Sectors& s = sectors_[last_.index];
    for (unsigned i = 0; i < 4; ++i)
      if ((found.hits >> i & 1) != 0) found.ready = std::max(found.ready, Cycles{s.ready[i]});
    return found;
  }
  uint32_t oldest = 0;
  for (uint32_t e = 1; e != ways_; ++e)
    if (set.used[e] < set.used[oldest]) oldest = e;
  uint64_t& tag = set.tags[oldest];
  if ((tag & kDirty) != 0) {
    found.dirty_out = static_cast<uint32_t>(tag >> kDirtyAt & 15), found.victim = (tag >> kFlagBits) - 1;
    found.parts_out = found.dirty_out & ~static_cast<uint32_t>(tag);
  }
  tag = (line + 1) << kFlagBits;
  set.used[oldest] = clock_;
  last_ = {&tag, set.used + oldest, set.first + oldest};
  return found;
}

void Cache::fill(uint32_t sectors, Cycles ready) {
  if (!last_.known() || sectors == 0) return;
  *last_.tag |= sectors;
  Sectors& s = sectors_[last_.index];
  for (unsigned i = 0; i < 4; ++i)
    if ((sectors >> i & 1) != 0) s.ready[i] = static_cast<float>(ready);
}

void Cache::make_dirty(uint32_t sectors) {
  if (last_.known()) *last_.tag |= (sectors & ~(*last_.tag >> kSettledAt) & 15) << kDirtyAt;
}

void Cache::write_part(uint32_t sectors, unsigned bytes, Cycles now) {
  if (!last_.known()) return;
  make_dirty(sectors);
  uint64_t& tag = *last_.tag;
  if ((sectors & ~tag & kValid) == 0) return;
  Written& written = written_[last_.index];
  for (unsigned i = 0; i < 4; ++i) {
    if (((sectors & ~tag) >> i & 1) == 0) continue;
    if ((tag >> kPartAt >> i & 1) == 0) written.bytes[i] = 0;
    tag |= uint64_t{1} << kPartAt << i;
    written.bytes[i] = static_cast<uint8_t>(std::min<unsigned>(written.bytes[i] + bytes, kSectorBytes));
    if (written.bytes[i] == kSectorBytes) fill(1u << i, now);
  }
}

void Cache::leave_first() {
  if (last_.known()) *last_.used = kFirstToLeave;
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
  found.parts_out = found.dirty_out & ~static_cast<uint32_t>(tag);
  // Sectors of which a part was written have been read for that: they are here, and nobody waits for them.
  for (unsigned i = 0; i < 4; ++i)
    if ((found.parts_out >> i & 1) != 0) sectors_[entry.index].ready[i] = 0;
  tag |= found.parts_out;
  if (settled) tag |= uint64_t{found.dirty_out} << kSettledAt;
  tag &= ~kDirty;
  return found;
}

void Cache::drop(uint64_t line, uint32_t sectors) {
  const Entry entry = find(line);
  if (entry.known()) *entry.tag &= ~uint64_t{sectors};
}

}  // namespace drywarp::memsys
