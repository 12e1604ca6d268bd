#include "engine/check/global_accesses.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace drywarp::check {
namespace {

using Entry = GlobalAccesses::Entry;
using Use = GlobalAccesses::Use;

void insert(std::array<Entry::By, 2>& lowest, const Entry::By& by) {
  if (by.block == lowest[0].block || by.block == lowest[1].block) return;
  if (by.block < lowest[0].block)
    lowest[1] = std::exchange(lowest[0], by);
  else if (by.block < lowest[1].block)
    lowest[1] = by;
}

bool conflict(const Entry& a, const Entry& b) {
  if ((a.bytes & b.bytes) == 0 || (a.use == Use::Strong && b.use == Use::Strong)) return false;
  return a.writes || b.writes;
}

bool write_same(const Entry& a, const Entry& b) {
  uint32_t both = 0;
  for (unsigned byte = 0; byte < kWordBytes; ++byte)
    if ((a.bytes & b.bytes & 1u << byte) != 0) both |= 0xffu << 8 * byte;
  return a.one_value && b.one_value && ((a.value ^ b.value) & both) == 0;
}

// The lowest pair of different blocks; nothing: there is none.
std::optional<std::pair<Entry::By, Entry::By>> blocks_of(const Entry& a, const Entry& b, uint64_t end) {
  for (const auto& [i, j] : {std::pair{0, 0}, {0, 1}, {1, 0}}) {
    const Entry::By &one = a.by[static_cast<size_t>(i)], &other = b.by[static_cast<size_t>(j)];
    if (one.block < end && other.block < end && one.block != other.block) return std::pair{one, other};
  }
  return std::nullopt;
}

}  // namespace

// By a hash: words of one stride would be all or none.
bool GlobalAccesses::is_looked_at(uint64_t word) const {
  return level_ == 0 || word * 0x9e3779b97f4a7c15 >> (64 - level_) == 0;
}

void GlobalAccesses::thin() {
  while (entries_ > most_) {
    ++level_;
    std::erase_if(words_, [&](const auto& word) {
      if (is_looked_at(word.first)) return false;
      entries_ -= word.second.size();
      return true;
    });
  }
}

void GlobalAccesses::add(const std::vector<Word>& words) {
  const std::lock_guard hold(mutex_);
  for (const Word& w : words) {
    if (!is_looked_at(w.number)) continue;
    std::vector<Entry>& entries = words_[w.number];
    const auto known = std::ranges::find_if(entries, [&](const Entry& e) {
      return e.at == w.entry.at && e.use == w.entry.use && e.bytes == w.entry.bytes;
    });
    if (known != entries.end()) {
      insert(known->by, w.entry.by[0]);
      known->one_value &= w.entry.one_value && w.entry.value == known->value;
    } else {
      entries.push_back(w.entry);
      ++entries_;
      thin();
    }
  }
}

std::vector<GlobalAccesses::Race> GlobalAccesses::races(uint64_t end) const {
  std::vector<Race> all;
  const std::lock_guard hold(mutex_);
  std::vector<uint64_t> numbers;
  for (const auto& [number, entries] : words_) numbers.push_back(number);
  std::ranges::sort(numbers);
  std::map<std::tuple<const InstructionInfo*, const InstructionInfo*, bool>, size_t> known;
  for (const uint64_t number : numbers) {
    const std::vector<Entry>& entries = words_.at(number);
    for (size_t i = 0; i < entries.size(); ++i)
      for (size_t j = i; j < entries.size(); ++j) {
        const Entry *a = &entries[i], *b = &entries[j];
        if (!conflict(*a, *b)) continue;
        // A write first; of two, the earlier instruction.
        const bool swap = !a->writes || (b->writes && b->at < a->at);
        if (swap) std::swap(a, b);
        const auto blocks = blocks_of(*a, *b, end);
        if (!blocks) continue;
        const bool same = write_same(*a, *b);
        const auto [place, is_new] = known.try_emplace({a->at, b->at, same}, all.size());
        if (is_new)
          all.push_back({number, static_cast<uint8_t>(a->bytes & b->bytes), a, b, blocks->first, blocks->second, same});
        else
          ++all[place->second].words;
      }
  }
  return all;
}

void add_words(std::vector<GlobalAccesses::Word>& words, const observe::Access& a, const InstructionInfo* at,
               uint64_t block, bool strong) {
  for (LaneMask left = a.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t begin = a.addresses[lane], end = begin + a.bytes;
    GlobalAccesses::Entry entry;
    entry.at = at;
    entry.use = strong ? GlobalAccesses::Use::Strong : GlobalAccesses::Use::Write;
    entry.writes = true, entry.one_value = a.values != nullptr;
    entry.by[0] = {block, a.warp * kWarpSize + lane};
    for (uint64_t word = begin / kWordBytes; word * kWordBytes < end; ++word) {
      entry.bytes = 0, entry.value = 0;
      const uint64_t first = word * kWordBytes;
      for (uint64_t place = std::max(first, begin); place < std::min(first + kWordBytes, end); ++place) {
        entry.bytes |= static_cast<uint8_t>(1u << (place - first));
        if (!entry.one_value) continue;
        const auto offset = static_cast<uint32_t>(place - begin), size = a.element_bytes;
        entry.value |= uint32_t{a.values[(size_t{offset / size} * kWarpSize + lane) * size + offset % size]}
                       << 8 * (place - first);
      }
      words.push_back({word, entry});
    }
  }
}

}  // namespace drywarp::check
