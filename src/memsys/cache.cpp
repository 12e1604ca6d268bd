#include "memsys/cache.h"

#include <new>

#include "events/access_pattern.h"

namespace drywarp::memsys {

Cache::Cache(uint64_t bytes, uint32_t ways) : ways_(ways) {
  const uint64_t lines = bytes / kLineBytes;
  if (ways_ == 0 || ways_ > lines) ways_ = static_cast<uint32_t>(std::max<uint64_t>(lines, 1));
  sets_ = std::max<uint64_t>(lines / ways_, 1);
  inverse_ = ~uint64_t{0} / sets_ + 1;
  size_ = lines == 0 ? 0 : sets_ * ways_;
  tags_.reset(static_cast<uint64_t*>(std::calloc(size_ + 1, sizeof(uint64_t))));
  used_.reset(static_cast<uint32_t*>(std::calloc(size_ + 1, sizeof(uint32_t))));
  entries_.reset(static_cast<Entry*>(std::calloc(size_ + 1, sizeof(Entry))));
  if (!tags_ || !used_ || !entries_) throw std::bad_alloc();
}

// Neighbouring lines lie in different sets, each set once in as many lines as there are, from a place that a hash
// finds: an H200's L1 keeps a stretch of memory as long as it has lines at all, and none of one a quarter longer.
size_t Cache::set_of(uint64_t line) const {
  if (sets_ == 1) return 0;
  const auto stretch = static_cast<uint64_t>(static_cast<unsigned __int128>(line) * inverse_ >> 64);
  uint64_t set = line - stretch * sets_ + pick(hash_line(stretch), sets_);
  if (set >= sets_) set -= sets_;
  return set * size_t{ways_};
}

Cache::Found Cache::access(uint64_t line, uint32_t sectors) {
  Found found;
  last_ = kNone;
  if (size_ == 0) return found;
  ++clock_;
  const size_t set = set_of(line), end = set + ways_;
  for (size_t e = set; e != end; ++e) {
    if (tags_[e] != line + 1) continue;
    used_[e] = clock_;
    const Entry& entry = entries_[e];
    found.hits = entry.valid & sectors;
    for (unsigned s = 0; s < 4; ++s)
      if ((found.hits >> s & 1) != 0) found.ready = std::max(found.ready, Cycles{entry.ready[s]});
    last_ = e;
    return found;
  }
  size_t oldest = set;
  for (size_t e = set + 1; e != end; ++e)
    if (used_[e] < used_[oldest]) oldest = e;
  Entry& entry = entries_[oldest];
  if (entry.dirty != 0) {
    found.dirty_out = entry.dirty, found.victim = tags_[oldest] - 1;
    found.parts_out = entry.dirty & ~entry.valid & 15u;
  }
  entry = {};
  tags_[oldest] = line + 1;
  used_[oldest] = clock_;
  last_ = oldest;
  return found;
}

void Cache::fill(uint32_t sectors, Cycles ready) {
  if (last_ == kNone) return;
  Entry& entry = entries_[last_];
  entry.valid |= static_cast<uint8_t>(sectors);
  for (unsigned s = 0; s < 4; ++s)
    if ((sectors >> s & 1) != 0) entry.ready[s] = static_cast<float>(ready);
}

void Cache::make_dirty(uint32_t sectors) {
  if (last_ != kNone) entries_[last_].dirty |= static_cast<uint8_t>(sectors & ~entries_[last_].settled);
}

void Cache::write_part(uint32_t sectors, unsigned bytes, Cycles now) {
  if (last_ == kNone) return;
  make_dirty(sectors);
  Entry& entry = entries_[last_];
  for (unsigned s = 0; s < 4; ++s) {
    if (((sectors & ~entry.valid) >> s & 1) == 0) continue;
    entry.written[s] = static_cast<uint8_t>(std::min<unsigned>(entry.written[s] + bytes, kSectorBytes));
    if (entry.written[s] == kSectorBytes) fill(1u << s, now);
  }
}

void Cache::leave_first() {
  if (last_ != kNone) used_[last_] = 0;
}

uint32_t Cache::present(uint64_t line, uint32_t sectors) const {
  if (size_ == 0) return 0;
  const size_t set = set_of(line);
  for (size_t e = set; e != set + ways_; ++e)
    if (tags_[e] == line + 1) return entries_[e].valid & sectors;
  return 0;
}

Cache::Found Cache::clean(uint64_t line, bool settled) {
  Found found;
  if (size_ == 0) return found;
  const size_t set = set_of(line);
  for (size_t e = set; e != set + ways_; ++e) {
    if (tags_[e] != line + 1) continue;
    Entry& entry = entries_[e];
    found.dirty_out = entry.dirty, found.victim = line;
    found.parts_out = entry.dirty & ~entry.valid & 15u;
    entry.valid |= static_cast<uint8_t>(found.parts_out);
    if (settled) entry.settled |= entry.dirty;
    entry.dirty = 0;
    break;
  }
  return found;
}

void Cache::drop(uint64_t line, uint32_t sectors) {
  if (size_ == 0) return;
  const size_t set = set_of(line);
  for (size_t e = set; e != set + ways_; ++e) {
    if (tags_[e] != line + 1) continue;
    entries_[e].valid &= static_cast<uint8_t>(~sectors);
    return;
  }
}

}  // namespace drywarp::memsys
