#include "engine/check/lock_sections.h"

#include <algorithm>
#include <string_view>

namespace drywarp::check {
namespace {

// The values that a swap compares with and writes, if both are constants: "0, 1;".
std::string_view constants_of(const InstructionInfo& swap) {
  const std::string_view text = swap.text;
  const size_t at = text.find(']');
  if (at == text.npos) return {};
  const std::string_view values = text.substr(at);
  return values.find('%') == values.npos ? values : std::string_view();
}

// By which a lock may be taken in any order.
bool alike(const LockSections::Taken& a, const LockSections::Taken& b) {
  if (a.exchanged || b.exchanged) return a.exchanged == b.exchanged;
  if (a.by == b.by) return true;
  const std::string_view values = a.by && b.by ? constants_of(*a.by) : std::string_view();
  return !values.empty() && values == constants_of(*b.by);
}

bool has(const InstructionInfo& i, const char* word) { return i.text.find(word) != std::string::npos; }
bool exchanges(const InstructionInfo& i) { return i.atomic && has(i, ".exch"); }

}  // namespace

uint32_t LockSections::add(const Section& section) {
  if (all_.size() >= kMost) return 0;
  all_.push_back(section);
  return static_cast<uint32_t>(all_.size() - 1);
}

void HeldLocks::take(uint32_t thread, uint64_t word, const LockSections::Taken& taken, Known before, Fenced fenced) {
  if (held_.size() <= thread) held_.resize(thread + 1), holding_.resize(thread / kWarpSize + 1);
  std::vector<Lock>& locks = held_[thread];
  // Swapped again, and not given back: it is no lock.
  std::erase_if(locks, [&](const Lock& l) { return l.word == word; });
  if (locks.size() == kMostHeld) locks.erase(locks.begin());
  locks.push_back({word, taken, std::move(before), fenced, {}});
  holding_[thread / kWarpSize] |= LaneMask{1} << thread % kWarpSize;
}

bool HeldLocks::give(uint32_t thread, uint64_t word, LockSections& sections) {
  if (thread >= held_.size()) return false;
  std::vector<Lock>& locks = held_[thread];
  const auto lock = std::ranges::find(locks, word, &Lock::word);
  if (lock == locks.end()) return false;
  for (const uint32_t number : lock->numbers)
    if (number != 0) sections[number].over = true;
  locks.erase(lock);
  if (locks.empty()) holding_[thread / kWarpSize] &= ~(LaneMask{1} << thread % kWarpSize);
  return true;
}

void HeldLocks::fence(uint32_t thread, bool wide) {
  if (thread >= held_.size()) return;
  for (Lock& l : held_[thread]) l.fenced = std::max(l.fenced, wide ? Fenced::All : Fenced::Block);
}

bool HeldLocks::loose(uint32_t thread) const {
  return thread < held_.size() &&
         std::ranges::any_of(held_[thread], [](const Lock& l) { return l.fenced != Fenced::All; });
}

uint32_t HeldLocks::section(uint32_t thread, LockSections& sections) {
  std::vector<Lock>& locks = held_[thread];
  for (size_t i = locks.size(); i-- > 0;) {
    Lock& l = locks[i];
    if (l.fenced == Fenced::All) continue;
    const bool fenced = l.fenced == Fenced::Block;
    uint32_t& number = l.numbers[fenced ? 1 : 0];
    if (number == 0) number = sections.add({l.word, l.taken, fenced, false});
    return number;
  }
  return 0;
}

const Clock* HeldLocks::before(uint32_t thread, const LockSections::Section& section) const {
  if (thread >= held_.size()) return nullptr;
  for (const Lock& l : held_[thread])
    if (l.word == section.word && alike(l.taken, section.taken)) return l.before.get();
  return nullptr;
}

bool may_lock(const std::vector<InstructionInfo>& instructions) {
  const auto gives = [](const InstructionInfo& i) {
    return exchanges(i) ||
           (i.store && (has(i, ".volatile") || has(i, ".relaxed") || has(i, ".release") || has(i, ".cg")));
  };
  const auto takes = [](const InstructionInfo& i) { return i.compare_swap || exchanges(i); };
  return std::ranges::any_of(instructions, takes) && std::ranges::any_of(instructions, gives);
}

}  // namespace drywarp::check
