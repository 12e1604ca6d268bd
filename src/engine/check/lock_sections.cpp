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

uint32_t LockSections::add(const Section& section, uint64_t thread) {
  if (all_.size() >= kMost) return 0;
  const std::tuple key{section.word,
                       section.taken.by,
                       section.taken.exchanged,
                       section.outer,
                       section.fenced == Fenced::All ? kOfAll : thread,
                       section.fenced};
  const auto [known, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(all_.size()));
  if (is_new) all_.push_back(section);
  return known->second;
}

Known HeldLocks::before(uint32_t thread, uint64_t word, const Known& now) {
  if (tries_.size() <= thread) tries_.resize(thread + 1);
  Try& last = tries_[thread];
  if (last.word != word || last.after != now) last = {word, now, nullptr};
  return last.before;
}

void HeldLocks::take(uint32_t thread, Lock lock) {
  if (held_.size() <= thread) held_.resize(thread + 1), holding_.resize(thread / kWarpSize + 1);
  std::vector<Lock>& locks = held_[thread];
  // Swapped again, and not given back: it is no lock.
  std::erase_if(locks, [&](const Lock& l) { return l.word == lock.word; });
  if (locks.size() == kMostHeld) locks.erase(locks.begin());
  locks.push_back(std::move(lock));
  holding_[thread / kWarpSize] |= LaneMask{1} << thread % kWarpSize;
}

std::optional<HeldLocks::Lock> HeldLocks::give(uint32_t thread, uint64_t word, LockSections& sections) {
  if (thread >= held_.size()) return {};
  std::vector<Lock>& locks = held_[thread];
  const auto lock = std::ranges::find(locks, word, &Lock::word);
  if (lock == locks.end()) return {};
  for (const Lock::Part& part : lock->parts)
    if (part.number != 0) sections[part.number].over = true;
  std::optional<Lock> given = std::move(*lock);
  locks.erase(lock);
  if (locks.empty()) holding_[thread / kWarpSize] &= ~(LaneMask{1} << thread % kWarpSize);
  return given;
}

void HeldLocks::fence(uint32_t thread, uint32_t block, bool wide) {
  if (thread >= held_.size()) return;
  for (Lock& l : held_[thread]) {
    l.fenced = std::max(l.fenced, wide ? Fenced::All : Fenced::Block);
    for (Unreleased& u : l.unreleased) u.released |= wide || u.earlier.block == block;
  }
}

void HeldLocks::touch(uint32_t thread, const AccessRecord& now, uint64_t line, Memory memory, uint32_t access_bytes) {
  if (thread >= held_.size()) return;
  for (Lock& l : held_[thread])
    for (Unreleased& u : l.unreleased) {
      const LineBytes both = u.earlier.run.bytes & now.run.bytes;
      if (!u.released || u.line != line || u.memory != memory || both.empty()) continue;
      if (!u.earlier.use.writes && !now.use.writes) continue;
      u.now = now, u.bytes = both, u.access_bytes = access_bytes, u.released = false;
    }
}

uint32_t HeldLocks::section(uint32_t thread, uint64_t block, LockSections& sections) {
  uint32_t outer = 0;
  if (thread >= held_.size()) return outer;
  for (Lock& l : held_[thread]) {
    auto part =
        std::ranges::find_if(l.parts, [&](const Lock::Part& p) { return p.fenced == l.fenced && p.outer == outer; });
    if (part == l.parts.end())
      part = l.parts.insert(
          part,
          {l.fenced, outer, sections.add({l.word, l.taken, l.fenced, false, false, outer}, block << 10 | thread)});
    if (part->number != 0) outer = part->number;
  }
  return outer;
}

HeldLocks::Lock* HeldLocks::find(uint32_t thread, const LockSections::Section& section) {
  if (thread >= held_.size()) return nullptr;
  for (Lock& l : held_[thread])
    if (l.word == section.word && alike(l.taken, section.taken)) return &l;
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
