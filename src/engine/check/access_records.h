// The accesses to each word of a memory that later accesses may race with.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/access/access_pattern.h"
#include "base/events/counts.h"

namespace drywarp::check {

inline constexpr uint32_t kWordBytes = 4;

// An access to a word by lanes of one warp at one time.
struct AccessRecord {
  const InstructionInfo* at = nullptr;
  LaneMask lanes = 0;
  uint32_t time = 0;   // ThreadClocks::now
  uint32_t value = 0;  // of a write, in its bytes
  uint16_t warp = 0;
  uint8_t bytes = 0;                   // of the word: a bit each
  bool atomic = false, swaps = false;  // an atomic, by compare-and-swap
  bool is_volatile = false, has_value = false;
  // Strong accesses do not race with each other: PTX ISA, memory consistency model.
  [[nodiscard]] bool strong() const { return atomic || is_volatile; }
  [[nodiscard]] bool joins(const AccessRecord& o) const {  // the same instruction has the same flags
    return at == o.at && warp == o.warp && time == o.time && bytes == o.bytes && value == o.value;
  }
};

// Lists of records, by number.
class RecordLists {
 public:
  static constexpr uint32_t kNone = ~0u;
  uint32_t push(uint32_t list, const AccessRecord& record) {
    uint32_t node = free_;
    if (node != kNone)
      free_ = nodes_[node].next;
    else
      nodes_.emplace_back(), node = static_cast<uint32_t>(nodes_.size() - 1);
    nodes_[node] = {record, list};
    return node;
  }
  // Visits every record of the list; one for which `visit` returns false is removed.
  template <class Visit>
  void filter(uint32_t& list, Visit visit) {
    for (uint32_t* link = &list; *link != kNone;) {
      const uint32_t node = *link;
      if (visit(nodes_[node].record)) {
        link = &nodes_[node].next;
      } else {
        *link = nodes_[node].next;
        nodes_[node].next = free_;
        free_ = node;
      }
    }
  }
  template <class Visit>
  void for_each(uint32_t list, Visit visit) const {
    for (; list != kNone; list = nodes_[list].next) visit(nodes_[list].record);
  }
  // The first record that is like it; null: none.
  AccessRecord* find(uint32_t list, const AccessRecord& like) {
    for (; list != kNone; list = nodes_[list].next)
      if (nodes_[list].record.joins(like)) return &nodes_[list].record;
    return nullptr;
  }

 private:
  struct Node {
    AccessRecord record;
    uint32_t next = kNone;
  };
  std::vector<Node> nodes_;
  uint32_t free_ = kNone;
};

struct WordRecords {
  uint32_t reads = RecordLists::kNone, writes = RecordLists::kNone;
};

// By the number of a word, in pages.
class WordTable {
 public:
  WordRecords& operator[](uint64_t word) {
    const uint64_t number = word / kPage;
    if (!last_ || number != last_number_) {
      std::unique_ptr<Page>& page = pages_[number];
      if (!page) page = std::make_unique<Page>();
      last_ = page.get(), last_number_ = number;
    }
    return (*last_)[word % kPage];
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [number, page] : pages_)
      for (size_t i = 0; i < kPage; ++i)
        if ((*page)[i].reads != RecordLists::kNone || (*page)[i].writes != RecordLists::kNone)
          visit(number * kPage + i, (*page)[i]);
  }

 private:
  static constexpr size_t kPage = 256;
  using Page = std::array<WordRecords, kPage>;
  std::map<uint64_t, std::unique_ptr<Page>> pages_;
  Page* last_ = nullptr;
  uint64_t last_number_ = 0;
};

}  // namespace drywarp::check
