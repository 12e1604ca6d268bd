// The accesses to each line of a memory that later accesses may race with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/events/counts.h"
#include "engine/check/lane_runs.h"
#include "engine/check/thread_clocks.h"

namespace drywarp::check {

// How an access may race: two strong ones do not, if each other's scope has the other's thread.
struct AccessUse {
  bool writes = false;
  bool strong = false;       // an atomic, or with a scope: PTX ISA, memory consistency model
  bool is_volatile = false;  // of the strong ones
  bool in_step = false;      // of these: in shared memory, where code that relies on lanes in step uses them
  bool wide = false;         // of the strong ones: for more than its block
  bool of_cluster = false;   // of the wide ones: for its cluster alone
  bool atomic = false;       // reads and writes at once
  bool swaps = false;        // an atomic by compare-and-swap, which may write nothing
  bool failed = false;       // and did not
  bool unread = false;       // nobody looks at the value that it has read, if it reads
  bool operator==(const AccessUse&) const = default;
};

// An access to bytes of one line by lanes of a warp at one time, or by the same lanes of several warps of a block.
struct AccessRecord {
  LaneRun run;
  const InstructionInfo* at = nullptr;
  uint32_t block = 0;
  Time time = 0;
  uint32_t warps = 0;   // a bit each
  bool copies = false;  // by asynchronous copies
  bool valued = false;  // a store whose value is still what the line's bytes had last
  bool reader = false;  // only tells who has read what: another access stands for it
  AccessUse use;
  // Of strong accesses: the last one, by its number among those of the memory.
  struct Last {
    uint32_t turn = 0, warp = 0;
    LaneMask lanes = 0, top = 0;  // here; the last one of the instruction
  } last;
  // Of a strong write: up to which turn one reads from it, or from atomics behind it.
  uint32_t read_until = ~0u;
  uint32_t section = 0;  // LockSections: in which it comes before a fence; 0: none
  uint32_t cluster = 0;  // of its block, if there are any

  [[nodiscard]] bool alike(const AccessRecord& o) const {
    return at == o.at && block == o.block && copies == o.copies && valued == o.valued && reader == o.reader &&
           read_until == o.read_until && section == o.section && use == o.use;
  }
  // Takes the other one in: the same instruction at the same time. False: it does not fit.
  bool take(const AccessRecord& o);
  void take_last(const AccessRecord& o) {
    if (o.last.turn == last.turn)
      last.lanes |= o.last.lanes;
    else if (o.last.turn > last.turn)
      last = o.last;
  }
};

// Lists of records, by number.
class RecordLists {
 public:
  static constexpr uint32_t kNone = ~0u;
  // `owner`: of the list. Returns the number of the record.
  uint32_t push(uint32_t& list, const AccessRecord& record, uint64_t owner) {
    uint32_t node = free_;
    if (node != kNone)
      free_ = nodes_[node].next;
    else
      node = nodes_.add();
    nodes_[node] = {record, owner, list};
    list = node;
    ++used_;
    return node;
  }
  // Visits every record of the list; one for which `visit` returns false is removed. `visit` adds none.
  template <class Visit>
  void filter(uint32_t& list, Visit visit) {
    for (uint32_t* link = &list; *link != kNone;) {
      const uint32_t node = *link;
      if (visit(nodes_[node].record)) {
        link = &nodes_[node].next;
      } else {
        *link = nodes_[node].next;
        nodes_[node].next = free_;
        nodes_[node].owner = kFree;
        free_ = node;
        --used_;
      }
    }
  }
  // Whether some record of the list is so. The first one ends the search.
  template <class Is>
  [[nodiscard]] bool any(uint32_t list, Is is) const {
    for (; list != kNone; list = nodes_[list].next)
      if (is(nodes_[list].record)) return true;
    return false;
  }
  // A record of the owner by its number; null: it has gone.
  [[nodiscard]] AccessRecord* get(uint32_t number, uint64_t owner) {
    return number < nodes_.size() && nodes_[number].owner == owner ? &nodes_[number].record : nullptr;
  }
  // The first `most` records, until `visit` returns true: that one moves to the front.
  template <class Visit>
  bool find(uint32_t& list, uint32_t most, Visit visit) {
    for (uint32_t* link = &list; *link != kNone && most != 0; link = &nodes_[*link].next, --most) {
      const uint32_t node = *link;
      if (!visit(nodes_[node].record)) continue;
      if (link == &list) return true;
      *link = nodes_[node].next;
      nodes_[node].next = list;
      list = node;
      return true;
    }
    return false;
  }
  [[nodiscard]] size_t used() const { return used_; }
  void clear() { nodes_.clear(), free_ = kNone, used_ = 0; }

 private:
  static constexpr uint64_t kFree = ~uint64_t{0};
  struct Node {
    AccessRecord record;
    uint64_t owner = kFree;
    uint32_t next = kNone;
  };
  // Grows piece by piece: millions of nodes are not copied, and need no room twice.
  class Nodes {
   public:
    Node& operator[](uint32_t n) { return pieces_[n / kPiece][n % kPiece]; }
    const Node& operator[](uint32_t n) const { return pieces_[n / kPiece][n % kPiece]; }
    uint32_t add() {
      if (size_ == pieces_.size() * kPiece) pieces_.push_back(std::make_unique<Node[]>(kPiece));
      return size_++;
    }
    [[nodiscard]] size_t size() const { return size_; }
    void clear() { size_ = 0; }

   private:
    static constexpr uint32_t kPiece = 1024;
    std::vector<std::unique_ptr<Node[]>> pieces_;
    uint32_t size_ = 0;
  };
  Nodes nodes_;
  uint32_t free_ = kNone;
  size_t used_ = 0;
};

struct RecordedLine {
  uint32_t loads = RecordLists::kNone, stores = RecordLists::kNone;
  uint32_t era = 0;                      // of the block's barriers when it was last accessed
  uint32_t life = 0;                     // of the table: an older one's lists are void
  uint16_t kept = 0, kept_bytes = 0;     // records, about, and their bytes: 0xffff and more are one
  uint16_t room = 64;                    // records until they are looked through for needless ones
  uint16_t rest = 0;                     // accesses until a list that stays full is looked through again
  uint16_t readers = 0;                  // of those that are no access of their own: AccessRecord::reader
  uint32_t values = RecordLists::kNone;  // what weak stores have written, in LineTable
  uint32_t words = RecordLists::kNone;   // the lists are by word: in LineTable
  bool strong = false;                   // a strong access is among the records
  bool narrow = false;                   // and one that is for its block alone
  bool plain = false;                    // an access is not, or it is a store whose value is known
  bool failed = false;                   // and a compare-and-swap that wrote nothing
  bool replaced = false;                 // a strong store has replaced what one of them wrote: read_until
  bool strong_lost = false;              // a strong access is not: who has read from whom is not known
};

// Lines by number, in pages.
class LineTable {
 public:
  using Values = std::array<uint8_t, kLineBytes>;
  struct Words {
    std::array<RecordedLine, kLineBytes / 4> of;
  };

  RecordedLine& operator[](uint64_t line) {
    const uint64_t number = line / kPage;
    Cached& cached = cache_[number % cache_.size()];
    if (!cached.page || cached.number != number) cached = {number, &page(number)};
    RecordedLine& found = (*cached.page)[line % kPage];
    if (found.life != life_) found = {.life = life_};
    return found;
  }
  Values& values(RecordedLine& line) {
    if (line.values == RecordLists::kNone) {
      line.values = static_cast<uint32_t>(values_.size());
      values_.emplace_back();
    }
    return values_[line.values];
  }
  // Null: its lists are of the whole line.
  [[nodiscard]] Words* words(const RecordedLine& line) {
    return line.words == RecordLists::kNone ? nullptr : words_[line.words].get();
  }
  Words& split(RecordedLine& line) {
    line.words = static_cast<uint32_t>(words_.size());
    words_.push_back(std::make_unique<Words>());
    return *words_.back();
  }
  void clear() {
    ++life_;
    values_.clear(), words_.clear();
    if (pages_.size() > kPagesKept) pages_.clear(), cache_ = {};
  }

 private:
  static constexpr size_t kPage = 64, kPagesKept = 256;
  using Page = std::array<RecordedLine, kPage>;
  struct Cached {
    uint64_t number = 0;
    Page* page = nullptr;
  };
  Page& page(uint64_t number) {
    std::unique_ptr<Page>& p = pages_[number];
    if (!p) p = std::make_unique<Page>();
    return *p;
  }
  uint32_t life_ = 1;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Cached, 512> cache_{};
  std::deque<Values> values_;  // grows with no copy of what it has
  std::vector<std::unique_ptr<Words>> words_;
};

inline bool AccessRecord::take(const AccessRecord& o) {
  if (time != o.time) return false;
  if (warps != o.warps) {
    // Single lanes that count in a word are other ones the next time: each warp's become one record. So do swaps that
    // failed: the warp's next one that does not stands for them.
    if (!(run == o.run) || use.failed || (use.atomic && std::has_single_bit(run.lanes))) return false;
    warps |= o.warps;
    take_last(o);
    return true;
  }
  if (run.stride == 0 && o.run.stride == 0) {
    if (run.bytes != o.run.bytes && run.lanes != o.run.lanes) return false;
  } else if (!run.same_lanes(o.run)) {
    return false;
  } else if (o.run.first_byte < run.first_byte) {
    run.first_byte = o.run.first_byte, run.first_lane = o.run.first_lane;
  }
  run.bytes = run.bytes | o.run.bytes;
  run.lanes |= o.run.lanes;
  take_last(o);
  return true;
}

}  // namespace drywarp::check
