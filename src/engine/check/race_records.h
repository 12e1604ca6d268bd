// Compares each access to a memory with the earlier ones that it may race with, and remembers it: FastTrack, by lines
// of memory and runs of lanes. What an ordered later access makes needless is forgotten, so that each access that races
// with an earlier one is still told, with one that it races with.
#pragma once

#include <functional>
#include <span>

#include "engine/check/access_records.h"
#include "engine/observe/observer.h"

namespace drywarp::check {

// Told of races.
class RaceListener {
 public:
  virtual ~RaceListener() = default;
  // Bytes of a line; `same_value`: both wrote it.
  virtual void race(const AccessRecord& earlier, const AccessRecord& now, const LineBytes& bytes, uint64_t line,
                    bool same_value) = 0;
  // A lock that both were in a section of.
  struct PassedLock {
    const Clock* before;  // what the lane of the later access knew before it took it
    bool fenced;          // the earlier access is behind a fence in its section
  };
  // Those in whose section the earlier access is, and which the lane holds now. They stay until the next call.
  virtual std::span<const PassedLock> passed_locks(const AccessRecord& earlier, uint32_t lane) = 0;
  // Whether the earlier access lacks a fence in its section, so that one behind it does not stand for it.
  [[nodiscard]] virtual bool stays(const AccessRecord& earlier, const AccessRecord& now) = 0;
  // The lock orders the two as it passed. The other way, nothing would: if the earlier one is not fenced, or else if
  // the lane gives the lock back without a fence.
  virtual void race_of_lock(const AccessRecord& earlier, const AccessRecord& now, const LineBytes& bytes, uint64_t line,
                            const PassedLock& lock) = 0;
};

// What is kept at most; then an access is compared with earlier ones, and not remembered.
struct RaceLimits {
  size_t records = 2'400'000;            // of a launch, or of a block that is looked at alone: 650 MB
  size_t in_list = 4096;                 // of a line, or of its words; fits 16 bits
  size_t same_writes = size_t{1} << 22;  // GlobalAccesses
};

class RaceRecords {
 public:
  explicit RaceRecords(const RaceLimits& limits = {}) : limits_(limits) {}

  // Who accesses, and what that thread knows.
  struct Accessor {
    const Clock& known;
    const observe::Access& access;
    const uint64_t* at;                         // of each lane, in this memory
    const std::array<Time, kWarpSize>* waited;  // up to which its lanes have waited for their copies; null: not at all
    uint32_t warp;
    uint32_t warps;           // of a block
    uint32_t era;             // grows with the barriers of the block
    const BlockTimes* floor;  // what all threads know that access this memory; null: not known
    RaceListener& races;
  };
  // The number of a strong access, to be given to all its records.
  [[nodiscard]] uint32_t next_turn() { return turn_ += 2; }
  void access(uint64_t line, AccessRecord now, const Accessor& by);
  // The bytes of a range begin a new life.
  void forget(uint64_t address, uint64_t bytes);
  // Whether a block has ended, and nothing that it did can be known to others: of its accesses, one stands for all.
  std::function<bool(uint32_t block)> is_over;
  // Accesses that were not remembered.
  struct GivenUp {
    uint64_t accesses = 0;
    const InstructionInfo* first = nullptr;
  };
  [[nodiscard]] const GivenUp& given_up() const { return given_up_; }
  void clear();

 private:
  // Of the lists of a line, and of its words.
  static uint64_t owner_of(uint64_t line, uint32_t part) { return line << 6 | part; }
  template <class Visit>
  LineBytes unordered(const AccessRecord& r, const AccessRecord& now, const Accessor& by, Visit visit) const;
  bool is_needless(const AccessRecord& r, const AccessRecord& now, const Accessor& by) const;
  bool reads_first(const RecordedLine& lists, const AccessRecord& r) const;
  bool reads_what_is_replaced(const RecordedLine& lists, const AccessRecord& r, const AccessRecord& now) const;
  void take_bytes(const RecordedLine& lists, AccessRecord& r, const LineBytes& bytes);
  bool joins(const RecordedLine& lists, AccessRecord& r, const AccessRecord& now);
  void push_added(RecordedLine& lists, uint32_t& list);
  bool has_room_for_reader(RecordedLine& lists);
  void drop_readers(RecordedLine& lists);
  void access_list(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by,
                   LineTable::Values* values);
  bool needs_readers(const RecordedLine& lists, const AccessRecord& now, const Accessor& by) const;
  void compare_sections(const AccessRecord& r, const AccessRecord& now, uint64_t line, const Accessor& by) const;
  void find_readers(RecordedLine& lists, const AccessRecord& now, const Accessor& by);
  LineBytes read_from(const AccessRecord& r) const;
  void compare_loads(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by);
  void compare_stores(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by,
                      LineTable::Values* values);
  void remember(RecordedLine& lists, uint32_t& list, const AccessRecord& now);
  void drop_failed(RecordedLine& lists, const AccessRecord& now);
  static bool needs_room(const RecordedLine& lists) { return lists.kept >= lists.room && lists.rest == 0; }
  void condense(RecordedLine& lists);
  void split(RecordedLine& line, uint64_t number);
  void prune(RecordedLine& line, const Accessor& by);

  RaceLimits limits_;
  LineTable lines_;
  RecordLists records_;
  std::array<uint32_t, 8192> recent_{};  // records, by a hash of their line and instruction
  std::vector<AccessRecord> added_;      // while a list is visited
  std::vector<AccessRecord> condensed_;  // of a list, while it is condensed
  // Strong reads that come before the access that is compared.
  struct Reader {
    LineBytes bytes;
    uint32_t block, turn;
    bool wide;
  };
  std::vector<Reader> readers_;
  uint32_t turn_ = 0;       // even; the odd one behind it is of the last of its lanes
  uint64_t owner_ = 0;      // of the lists that are accessed: RecordLists
  bool long_list_ = false;  // of the line that is accessed: it has been condensed
  GivenUp given_up_;
};

}  // namespace drywarp::check
