// A sectored, set-associative cache: tags, and the time at which each sector's data arrives. A line has 128 bytes in
// four sectors (Nsight Compute Profiling Guide). The least recently used line of a set makes room for a new one; in a
// cache that protects lines, so many of a set that were used again stay before those that were used once (segmented
// LRU: Karedla et al., Caching Strategies to Improve Disk System Performance, Computer 1994). Some lines
// that have to go end the protection of one: else new lines that are all needed would push each other out beside old
// ones.
//
// A sector that is being filled counts as present; a request that hits it waits for the same fill.
#pragma once

#include <cstdint>

#include "base/support/huge_pages.h"
#include "model/memory/server.h"

namespace drywarp::memory {

class Cache {
 public:
  // The largest associativity that is simulated; more ways would change hit rates very little. `ways` 0: this many.
  static constexpr uint32_t kMaxWays = 16;
  // The arena holds the tags and must outlive the cache. `protects`: lines of a set; 0: none.
  Cache(uint64_t bytes, uint32_t ways, ZeroedArena& arena, uint32_t protects = 0);

  struct Found {
    uint32_t hits = 0;         // sectors present or being filled, as a mask
    Cycles ready = 0;          // when the last of them arrives; 0: all arrived some time ago
    uint32_t dirty_out = 0;    // sectors of the evicted line to write back
    uint32_t partial_out = 0;  // those of them that are written only in part: the rest must be read first
    uint64_t victim = 0;       // number of the evicted line
  };
  // Looks up sectors (a mask) of line number `line`, and allocates the line if it is missing.
  Found access(uint64_t line, uint32_t sectors, Cycles now);
  // Of the line just looked up, these sectors arrive at `ready`.
  void fill(uint32_t sectors, Cycles ready);
  void make_dirty(uint32_t sectors);
  // `bytes` of each of these sectors, of the line just looked up, are written. A sector is complete after 32 bytes.
  void write_partial(uint32_t sectors, unsigned bytes, Cycles now);
  // A store to a write-through cache: of these sectors of the line just looked up, `parts` in part, each with `bytes`;
  // they are there at `ready`. Returns those that were there, whole or in part, at `now`; the others wait for this
  // store, too.
  uint32_t write_through(uint32_t sectors, uint32_t parts, unsigned bytes, Cycles now, Cycles ready);
  // Makes the line just looked up the next to evict, until it is used again.
  void make_lru();
  // The sectors that are present. Changes nothing.
  [[nodiscard]] uint32_t present(uint64_t line, uint32_t sectors) const;
  // Invalidates sectors of a line.
  void invalidate(uint64_t line, uint32_t sectors);
  // Marks a line as clean. Returns the sectors to write back, as in Found. `settled`: they stay clean even if they are
  // written again.
  Found clean(uint64_t line, bool settled);
  // Whether the line just looked up has dirty sectors.
  [[nodiscard]] bool dirty() const { return last_.known() && (*last_.tag & kDirty) != 0; }
  // Whether the line has sectors of which only a part is written.
  [[nodiscard]] bool partial() const { return last_.known() && (*last_.tag >> kDirtyAt & ~*last_.tag & kValid) != 0; }
  [[nodiscard]] bool partial(uint64_t line) const {
    const Entry entry = find(line);
    return entry.known() && (*entry.tag >> kDirtyAt & ~*entry.tag & kValid) != 0;
  }

  [[nodiscard]] uint64_t lines() const { return size_; }

 private:
  // A line's tag: its number + 1, above the flags of its sectors. 0: the entry is free.
  static constexpr unsigned kFlagBits = 17;

  static constexpr uint64_t kValid = 0x000f, kDirty = 0x00f0;
  static constexpr unsigned kDirtyAt = 4, kSettledAt = 8;  // settled: see clean()
  static constexpr unsigned kPartAt = 12;                  // written in part: Written has the number of bytes
  // Some of its sectors may still be arriving. If not, Sectors need not be read.
  static constexpr uint64_t kArriving = 0x10000;
  // Data of a line beside its tag.
  struct Sectors {
    float ready[4] = {};  // arrival times of valid sectors
  };
  struct Written {
    uint8_t bytes[4] = {};  // bytes written of sectors that are dirty but not valid
  };
  // A set is contiguous and starts at a host cache line. It has the LRU order of its ways (four bits each, most recent
  // lowest), whose first are protected (how many: the highest four bits, if lines are protected); a signature byte for
  // each way, 0 if it is free; and the tags.
  static constexpr size_t kHostLine = 64 / sizeof(uint64_t);
  struct Set {
    uint64_t* words;
    size_t first;   // index of its first entry
    uint64_t sign;  // the signature of the requested line, eight times
  };
  struct Entry {
    uint64_t* tag = nullptr;
    Set set{};
    uint32_t way = 0;
    [[nodiscard]] bool known() const { return tag != nullptr; }
    [[nodiscard]] size_t index() const { return set.first + way; }
  };
  [[nodiscard]] Set set_of(uint64_t line) const;
  [[nodiscard]] Entry find(uint64_t line) const;
  [[nodiscard]] Entry find(const Set& set, uint64_t line) const;
  [[nodiscard]] Entry entry_at(const Set& set, uint32_t way) const {
    return {set.words + 1 + sign_words_ + way, set, way};
  }
  [[nodiscard]] Entry choose_victim(const Set& set) const;
  void use_again(const Entry& entry) const;
  void use_first(const Entry& entry) const;

  uint32_t ways_;
  uint32_t protects_;
  uint32_t evicted_ = 0;  // lines; counted if some are protected
  uint32_t sign_words_;   // of a set
  size_t set_words_;      // 64 bits each
  uint64_t sets_;
  uint64_t inverse_;  // 2^64 / sets_, rounded up
  size_t size_;
  uint64_t* words_ = nullptr;   // of all sets
  Sectors* sectors_ = nullptr;  // of all lines
  Written* written_ = nullptr;
  Entry last_;  // just looked up
};

// The number of sectors in a mask of a line.
inline uint32_t count(uint32_t sectors) { return 0x4332322132212110 >> 4 * sectors & 15; }

// Spreads line numbers over slices and channels. NVIDIA does not publish its hashes; this one (the finalizer of
// splitmix64) has no bad strides.
inline uint64_t hash_line(uint64_t line) {
  line ^= line >> 30;
  line *= 0xbf58476d1ce4e5b9;
  line ^= line >> 27;
  line *= 0x94d049bb133111eb;
  return line ^ line >> 31;
}
// A number below `count` from a hash.
inline uint32_t pick(uint64_t hash, uint64_t count) { return static_cast<uint32_t>((hash >> 32) * count >> 32); }

}  // namespace drywarp::memory
