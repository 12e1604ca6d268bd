#include "memsys/cache.h"

#include "events/access_pattern.h"

namespace drywarp::memsys {

Cache::Cache(uint64_t bytes, uint32_t ways) : ways_(ways) {
  const uint64_t lines = bytes / kLineBytes;
  if (ways_ == 0 || ways_ > lines) ways_ = static_cast<uint32_t>(std::max<uint64_t>(lines, 1));
  sets_ = std::max<uint64_t>(lines / ways_, 1);
  entries_.resize(lines == 0 ? 0 : sets_ * ways_);
}

size_t Cache::set_of(uint64_t line) const { return pick(hash_line(line), sets_) * size_t{ways_}; }

Cache::Found Cache::access(uint64_t line, uint32_t sectors) {
  Found found;
  last_ = nullptr;
  if (entries_.empty()) return found;
  ++clock_;
  Entry* const set = &entries_[set_of(line)];
  Entry* oldest = set;
  for (Entry* e = set; e != set + ways_; ++e) {
    if (e->tag == line) {
      e->used = clock_;
      found.hits = e->valid & sectors;
      for (unsigned s = 0; s < 4; ++s)
        if ((found.hits >> s & 1) != 0) found.ready = std::max(found.ready, Cycles{e->ready[s]});
      last_ = e;
      return found;
    }
    if (e->used < oldest->used) oldest = e;
  }
  if (oldest->dirty != 0) {
    found.dirty_out = oldest->dirty, found.victim = oldest->tag;
    found.parts_out = oldest->dirty & ~oldest->valid & 15u;
  }
  *oldest = {};
  oldest->tag = line;
  oldest->used = clock_;
  last_ = oldest;
  return found;
}

void Cache::fill(uint32_t sectors, Cycles ready) {
  if (!last_) return;
  last_->valid |= static_cast<uint8_t>(sectors);
  for (unsigned s = 0; s < 4; ++s)
    if ((sectors >> s & 1) != 0) last_->ready[s] = static_cast<float>(ready);
}

void Cache::make_dirty(uint32_t sectors) {
  if (last_) last_->dirty |= static_cast<uint8_t>(sectors);
}

void Cache::write_part(uint32_t sectors, unsigned bytes, Cycles now) {
  if (!last_) return;
  make_dirty(sectors);
  for (unsigned s = 0; s < 4; ++s) {
    if (((sectors & ~last_->valid) >> s & 1) == 0) continue;
    last_->written[s] = static_cast<uint8_t>(std::min<unsigned>(last_->written[s] + bytes, kSectorBytes));
    if (last_->written[s] == kSectorBytes) fill(1u << s, now);
  }
}

void Cache::leave_first() {
  if (last_) last_->used = 0;
}

uint32_t Cache::present(uint64_t line, uint32_t sectors) const {
  if (entries_.empty()) return 0;
  const Entry* const set = &entries_[set_of(line)];
  for (const Entry* e = set; e != set + ways_; ++e)
    if (e->tag == line) return e->valid & sectors;
  return 0;
}

void Cache::drop(uint64_t line, uint32_t sectors) {
  if (entries_.empty()) return;
  Entry* const set = &entries_[set_of(line)];
  for (Entry* e = set; e != set + ways_; ++e) {
    if (e->tag != line) continue;
    e->valid &= static_cast<uint8_t>(~sectors);
    return;
  }
}

}  // namespace drywarp::memsys
