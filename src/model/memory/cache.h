// A sectored, set-associative cache: tags and the time at which each sector's data is there. Lines of 128 bytes, four
// sectors (Nsight Compute Profiling Guide). Least recently used lines leave first.
//
// Data that is on its way counts as present and says when it arrives: whoever asks for it meanwhile waits for the same
// fill.
#pragma once

#include <cstdint>

#include "base/support/huge_pages.h"
#include "model/memory/server.h"

namespace drywarp::memory {

class Cache {
 public:
  // 0 ways: as many as are simulated at most. A set of more of them keeps next to nothing longer.
  static constexpr uint32_t kMostWays = 16;
  // What it knows of its lines lies in the arena, which must outlive it.
  Cache(uint64_t bytes, uint32_t ways, ZeroedArena& arena);

  struct Found {
    uint32_t hits = 0;       // sectors present or on their way, as a mask
    Cycles ready = 0;        // when the last of them is there; 0: all are, and have been for some time
    uint32_t dirty_out = 0;  // sectors that a line which had to leave must write back
    uint32_t parts_out = 0;  // those of them that were written in part only: the rest must be read first
    uint64_t victim = 0;     // ... and its line number
  };
  // Looks up sectors (a mask) of line number `line`, and makes room for those that are missing.
  Found access(uint64_t line, uint32_t sectors, Cycles now);
  // The sectors just looked up arrive then.
  void fill(uint32_t sectors, Cycles ready);
  void make_dirty(uint32_t sectors);
  // `bytes` of each of the sectors just looked up were written, then: whole once enough bytes were.
  void write_part(uint32_t sectors, unsigned bytes, Cycles now);
  // The line just looked up is the first to leave, until somebody asks for it again.
  void leave_first();
  // Which of the sectors are there; changes nothing.
  [[nodiscard]] uint32_t present(uint64_t line, uint32_t sectors) const;
  // Forgets sectors of a line, if it is there.
  void drop(uint64_t line, uint32_t sectors);
  // What of a line is to be written back, as in Found: it stays, as clean. `settled`: for good, whoever writes it
  // again.
  Found clean(uint64_t line, bool settled);
  // Whether any of the line just looked up was written.
  [[nodiscard]] bool dirty() const { return last_.known() && (*last_.tag & kDirty) != 0; }
  // Whether of any of its sectors only a part is there.
  [[nodiscard]] bool partial() const { return last_.known() && (*last_.tag >> kDirtyAt & ~*last_.tag & kValid) != 0; }
  [[nodiscard]] bool partial(uint64_t line) const {
    const Entry entry = find(line);
    return entry.known() && (*entry.tag >> kDirtyAt & ~*entry.tag & kValid) != 0;
  }

  [[nodiscard]] uint64_t lines() const { return size_; }
  // Brings what access() looks at into the host's cache; what write_part() does, too.
  void prefetch(uint64_t line, bool part = false) const {
    if (size_ == 0) return;
    const Set set = set_of(line);
    for (size_t i = 0; i < set_words_; i += kHostLine) __builtin_prefetch(set.words + i);
    if (part) __builtin_prefetch(written_ + set.first);
  }

 private:
  // A line's tag: its number + 1, above what is known of its sectors, a bit each. 0: nothing.
  static constexpr unsigned kFlagBits = 17;

  static constexpr uint64_t kValid = 0x000f, kDirty = 0x00f0;
  static constexpr unsigned kDirtyAt = 4, kSettledAt = 8;  // settled: see clean()
  static constexpr unsigned kPartAt = 12;                  // bytes of it were written: how many is in Written
  // Some of its sectors may be on their way: of all others nobody needs to look up when they came.
  static constexpr uint64_t kArriving = 0x10000;
  // Beside its tag, what is known of a line.
  struct Sectors {
    float ready[4] = {};  // of those that are valid
  };
  struct Written {
    uint8_t bytes[4] = {};  // of a sector that is not valid, but dirty
  };
  // A set lies together, from the start of a cache line of the host's: the order in which its ways were used, four bits
  // each, the latest lowest; a byte for each way that a line is sought by, 0 where there is none; the tags.
  static constexpr size_t kHostLine = 64 / sizeof(uint64_t);
  struct Set {
    uint64_t* words;
    size_t first;   // index of its first entry
    uint64_t sign;  // the byte of the line that was asked for, eight times
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
  [[nodiscard]] Entry first_to_leave(const Set& set) const;
  static void note_use(const Entry& entry);

  uint32_t ways_;
  uint32_t sign_words_;  // of a set
  size_t set_words_;     // 64 bits each
  uint64_t sets_;
  uint64_t inverse_;  // 2^64 / sets_, rounded up
  size_t size_;
  uint64_t* words_ = nullptr;   // of all sets
  Sectors* sectors_ = nullptr;  // of all lines
  Written* written_ = nullptr;
  Entry last_;  // just looked up
};

// How many sectors of a line a mask has.
inline uint32_t count(uint32_t sectors) { return 0x4332322132212110 >> 4 * sectors & 15; }

// Spreads line numbers over slices and channels: the hardware's hashes are not published; this one has no stride
// that meets itself (a finalizer of splitmix64).
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
