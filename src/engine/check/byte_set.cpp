#include "engine/check/byte_set.h"

#include <algorithm>
#include <bit>

namespace drywarp::check {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Bits [first, end) of a word.
uint64_t mask(uint64_t first, uint64_t end) {
  const uint64_t below_end = end == 64 ? ~uint64_t{0} : (uint64_t{1} << end) - 1;
  return below_end & ~((uint64_t{1} << first) - 1);
}

// Calls `visit(word, mask)` for bytes [begin, end) of a page.
template <class Visit>
void for_each_mask(uint64_t begin, uint64_t end, Visit visit) {
  while (begin < end) {
    const uint64_t word = begin / 64, stop = std::min(end, (word + 1) * 64);
    visit(static_cast<unsigned>(word), mask(begin % 64, stop - word * 64));
    begin = stop;
  }
}

}  // namespace

const ByteSet::Writer::Cached& ByteSet::Writer::find_page(uint64_t number) {
  const std::lock_guard hold(set_->mutex_);
  const auto [it, is_new] = set_->pages_.try_emplace(number);
  if (is_new) it->second.bits = std::make_unique<Bits>();
  return pages_[number % pages_.size()] = {number, it->second.bits.get()};
}

void ByteSet::Writer::insert_any(uint64_t address, uint64_t bytes) {
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t page = address / kPageBytes, start = page * kPageBytes, stop = std::min(end, start + kPageBytes);
    const Cached& cached = page_of(page);
    if (cached.bits)
      for_each_mask(address - start, stop - start, [&](unsigned word, uint64_t m) {
        std::atomic<uint64_t>& w = (*cached.bits)[word];
        if ((w.load(kRelaxed) & m) != m) w.fetch_or(m, kRelaxed);
      });
    address = stop;
  }
}

void ByteSet::insert(uint64_t address, uint64_t bytes) {
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t page = address / kPageBytes, stop = std::min(end, (page + 1) * kPageBytes);
    if (stop - address == kPageBytes)
      pages_[page].bits.reset();
    else
      Writer(*this).insert(address, stop - address);
    address = stop;
  }
}

void ByteSet::insert(const ByteSet& other) {
  for (const auto& [number, page] : other.pages_) {
    const auto [it, is_new] = pages_.try_emplace(number);
    if (!page.bits) {
      it->second.bits.reset();
      continue;
    }
    if (is_new) it->second.bits = std::make_unique<Bits>();
    if (!it->second.bits) continue;
    for (unsigned i = 0; i < kWords; ++i) (*it->second.bits)[i].fetch_or(page.word(i), kRelaxed);
  }
}

ByteSet::Bits& ByteSet::split(Page& page) {
  if (!page.bits) {
    page.bits = std::make_unique<Bits>();
    for (auto& word : *page.bits) word.store(~uint64_t{0}, kRelaxed);
  }
  return *page.bits;
}

bool ByteSet::is_empty(const Page& page) {
  return page.bits && std::ranges::all_of(*page.bits, [](const auto& word) { return word.load(kRelaxed) == 0; });
}

void ByteSet::erase(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  for (auto it = pages_.lower_bound(address / kPageBytes); it != pages_.end() && it->first * kPageBytes < end;) {
    const uint64_t start = it->first * kPageBytes;
    const uint64_t first = std::max(address, start) - start, stop = std::min(end - start, kPageBytes);
    if (stop - first == kPageBytes) {
      it = pages_.erase(it);
      continue;
    }
    Bits& bits = split(it->second);
    for_each_mask(first, stop, [&](unsigned word, uint64_t m) { bits[word].fetch_and(~m, kRelaxed); });
    it = is_empty(it->second) ? pages_.erase(it) : std::next(it);
  }
}

bool ByteSet::is_apart(const ByteSet& other) const {
  return empty() || other.empty() || pages_.rbegin()->first < other.pages_.begin()->first ||
         other.pages_.rbegin()->first < pages_.begin()->first;
}

void ByteSet::erase(const ByteSet& other) {
  if (is_apart(other)) return;
  for (auto it = pages_.begin(); it != pages_.end();) {
    const auto theirs = other.pages_.find(it->first);
    if (theirs == other.pages_.end()) {
      ++it;
      continue;
    }
    if (!theirs->second.bits) {
      it = pages_.erase(it);
      continue;
    }
    Bits& bits = split(it->second);
    for (unsigned i = 0; i < kWords; ++i) bits[i].fetch_and(~theirs->second.word(i), kRelaxed);
    it = is_empty(it->second) ? pages_.erase(it) : std::next(it);
  }
}

template <class Visit>
void ByteSet::for_each_word(uint64_t address, uint64_t bytes, Visit visit) const {
  const uint64_t end = address + bytes;
  for (auto it = pages_.lower_bound(address / kPageBytes); it != pages_.end(); ++it) {
    const uint64_t start = it->first * kPageBytes;
    if (start >= end) return;
    bool more = true;
    for_each_mask(std::max(address, start) - start, std::min(end - start, kPageBytes), [&](unsigned word, uint64_t m) {
      if (more) more = visit(it->second.word(word) & m);
    });
    if (!more) return;
  }
}

bool ByteSet::has_any(uint64_t address, uint64_t bytes) const {
  bool any = false;
  for_each_word(address, bytes, [&](uint64_t word) { return !(any = word != 0); });
  return any;
}

uint64_t ByteSet::count(uint64_t address, uint64_t bytes) const {
  uint64_t all = 0;
  for_each_word(address, bytes, [&](uint64_t word) {
    all += static_cast<uint64_t>(std::popcount(word));
    return true;
  });
  return all;
}

std::optional<ByteSet::Range> ByteSet::common(const ByteSet& other, uint64_t from) const {
  if (is_apart(other)) return std::nullopt;
  auto a = pages_.lower_bound(from / kPageBytes);
  auto b = other.pages_.lower_bound(from / kPageBytes);
  while (a != pages_.end() && b != other.pages_.end()) {
    if (a->first < b->first) {
      a = pages_.lower_bound(b->first);
    } else if (b->first < a->first) {
      b = other.pages_.lower_bound(a->first);
    } else {
      const uint64_t start = a->first * kPageBytes, skip = from > start ? from - start : 0;
      for (auto i = static_cast<unsigned>(skip / 64); i < kWords; ++i) {
        uint64_t both = a->second.word(i) & b->second.word(i);
        if (i == skip / 64) both &= mask(skip % 64, 64);
        if (both == 0) continue;
        const auto first = static_cast<unsigned>(std::countr_zero(both));
        const auto bytes = static_cast<unsigned>(std::countr_one(both >> first));
        const uint64_t begin = start + uint64_t{i} * 64 + first;
        return Range{begin, begin + bytes};
      }
      ++a, ++b;
    }
  }
  return std::nullopt;
}

uint64_t ByteSet::memory() const {
  uint64_t all = 0;
  for (const auto& [number, page] : pages_) all += page.bits ? sizeof(Bits) : sizeof(Page);
  return all;
}

}  // namespace drywarp::check
