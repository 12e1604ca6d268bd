#include "engine/check/operation_races.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/support/plural.h"

namespace drywarp::check {
namespace {

const char* name_of_use(const Footprint::Part& part) {
  switch (part.use) {
    case MemoryUse::Read:
      return "read";
    case MemoryUse::Write:
      return part.atomic ? "atomic" : "write";
    case MemoryUse::Allocate:
      return "allocation";
    case MemoryUse::Free:
      return "free";
  }
  return "";
}

// What CUDA leaves undefined about two uses that nothing orders; nothing: they may run beside each other.
std::optional<FindingKind> kind_of_uses(const Footprint::Part& before, const Footprint::Part& now) {
  if (now.use == MemoryUse::Free || before.use == MemoryUse::Free) return FindingKind::UnorderedFree;
  if (now.use == MemoryUse::Allocate || before.use == MemoryUse::Allocate) return FindingKind::EarlyUse;
  if (before.strong && now.strong) return std::nullopt;
  if (before.writes() && now.writes()) return FindingKind::WriteWrite;
  if (before.writes() || now.writes()) return FindingKind::ReadWrite;
  return std::nullopt;
}

std::string name_of_stream(uint32_t stream) {
  return stream == 0 ? "the default stream" : fmt::format("stream {}", stream);
}

std::string streams_of(const OperationMoment& earlier, const OperationMoment& later) {
  if (earlier.stream != later.stream)
    return fmt::format("in {}, which nothing orders with {}", name_of_stream(later.stream),
                       name_of_stream(earlier.stream));
  return fmt::format("in {}, by a node of a graph that nothing orders with the other", name_of_stream(later.stream));
}

bool is_told(const RunOperation& a, const RunOperation& b) {
  using Role = RunOperation::Role;
  if (a.role == Role::LeftOut) return b.role == Role::Chosen;
  return b.role != Role::LeftOut || a.role == Role::Chosen;
}

uint64_t bytes_of(const Footprint& footprint) {
  uint64_t all = 0;
  for (const auto& part : footprint.parts) all += part->bytes.memory() + part->witnesses.size() * sizeof(Witness);
  return all;
}

}  // namespace

// Launches that run beside each other may order themselves, by fences and words that both access atomically.
bool OperationRaces::synchronize(const Footprint& a, const Footprint& b) {
  if (!a.fences && !b.fences) return false;
  for (const auto& one : a.parts)
    for (const auto& other : b.parts)
      if (one->strong && other->strong && one->bytes.common(other->bytes)) return true;
  return false;
}

OtherAccess OperationRaces::other_access(const RunOperation& operation, const Part& part, uint64_t address) const {
  return {name_of_use(part), part.where, operation.footprint.thread(part, address), operation.footprint.kernel,
          calls_ ? calls_(operation.moment) : std::vector<HostFrame>()};
}

std::string OperationRaces::describe(Finding& f, uint64_t address) const {
  const auto near = memory_.near(address);
  if (!near) return "no allocation";
  f.allocation = near->allocation;
  const std::string place =
      fmt::format("byte {} of {} of {}", near->offset, near->allocation.what, plural(near->allocation.size, "byte"));
  if (address >= start_) f.address = address - start_;
  return place;
}

std::optional<Finding> OperationRaces::race(const RunOperation& earlier, const Footprint::Part& before,
                                            const RunOperation& later, const Part& now) const {
  const auto kind = kind_of_uses(before, now);
  if (!kind) return std::nullopt;
  // The lowest byte whose threads are known on both sides; else the lowest.
  constexpr int kTries = 4096;
  std::optional<uint64_t> chosen;
  auto common = before.bytes.common(now.bytes);
  for (int i = 0; common && i < kTries; ++i) {
    const auto near = memory_.near(common->begin);
    if (!near || !near->live) {
      common = before.bytes.common(now.bytes, common->end);
      continue;
    }
    if (!chosen) chosen = common->begin;
    const bool known = (before.witnesses.empty() || earlier.footprint.thread(before, common->begin)) &&
                       (now.witnesses.empty() || later.footprint.thread(now, common->begin));
    if (known) {
      chosen = common->begin;
      break;
    }
    common = before.bytes.common(now.bytes, common->end);
  }
  if (!chosen) return std::nullopt;
  Finding f;
  f.kind = *kind;
  f.kernel = later.footprint.kernel;
  f.where = now.where;
  f.thread = later.footprint.thread(now, *chosen);
  const std::string place = describe(f, *chosen);
  f.what = fmt::format("{} of {}, {}", name_of_use(now), place, streams_of(earlier.moment, later.moment));
  f.other = other_access(earlier, before, *chosen);
  return f;
}

void OperationRaces::compare(const RunOperation& earlier, const RunOperation& later,
                             std::vector<Finding>& found) const {
  if (!is_told(earlier, later) || !unordered(earlier.moment, later.moment)) return;
  bool asked = false, synchronized = false;
  for (const auto& before : earlier.footprint.parts)
    for (const auto& now : later.footprint.parts) {
      auto f = race(earlier, *before, later, *now);
      if (!f) continue;
      if (!std::exchange(asked, true)) synchronized = synchronize(earlier.footprint, later.footprint);
      if (!synchronized) found.push_back(std::move(*f));
    }
}

// Whatever later races with what the same code has accessed before, races with what it has accessed now.
void OperationRaces::replace(const RunOperation& by) {
  for (const auto& old : kept_) {
    if (!is_before(old->moment, by.moment) || old->role != by.role) continue;
    bool changed = false;
    for (const auto& part : old->footprint.parts)
      for (const auto& now : by.footprint.parts)
        if (part->key && part->key == now->key && part->use == now->use && part->strong == now->strong) {
          part->bytes.erase(now->bytes);
          changed = true;
        }
    if (!changed) continue;
    std::erase_if(old->footprint.parts, [](const auto& part) { return part->bytes.empty(); });
    used_ -= std::exchange(old->memory, bytes_of(old->footprint));
    used_ += old->memory;
  }
  std::erase_if(kept_, [](const auto& old) { return old->footprint.parts.empty(); });
}

std::vector<Finding> OperationRaces::add(std::unique_ptr<RunOperation> operation) {
  std::vector<Finding> found;
  for (const auto& earlier : kept_) compare(*earlier, *operation, found);
  replace(*operation);
  // An access to freed memory is found where it happens.
  std::erase_if(operation->footprint.parts,
                [](const auto& part) { return part->use == MemoryUse::Free || part->bytes.empty(); });
  if (operation->footprint.parts.empty()) return found;
  operation->id = ++ids_;
  operation->memory = bytes_of(operation->footprint);
  used_ += operation->memory;
  kept_.push_back(std::move(operation));
  if (used_ <= kMostMemory) return found;
  while (used_ > kMostMemory && kept_.size() > 1) {
    used_ -= kept_.front()->memory;
    kept_.erase(kept_.begin());
  }
  Finding f;
  f.kind = FindingKind::Incomplete;
  f.what = "the program accesses more memory without waiting for the device than is compared between operations";
  found.push_back(std::move(f));
  return found;
}

void OperationRaces::forget(const std::function<bool(const OperationMoment&)>& over) {
  std::erase_if(kept_, [&](const auto& operation) {
    if (!over(operation->moment)) return false;
    used_ -= operation->memory;
    return true;
  });
}

void OperationRaces::renew(uint64_t address, uint64_t bytes) {
  for (const auto& operation : kept_)
    for (const auto& part : operation->footprint.parts) part->bytes.erase(address, bytes);
}

std::vector<Finding> OperationRaces::host_access(uint64_t address, bool writes,
                                                 const std::function<bool(const OperationMoment&)>& known) const {
  std::vector<Finding> found;
  for (const auto& operation : kept_) {
    if (operation->role == RunOperation::Role::LeftOut || known(operation->moment)) continue;
    for (const auto& part : operation->footprint.parts) {
      const bool uses = part->use == MemoryUse::Read || part->use == MemoryUse::Write;
      if (!uses || (!writes && !part->writes()) || !part->bytes.has(address)) continue;
      Finding f;
      f.kind = FindingKind::HostRace;
      f.where = {{}, 0, 0, writes ? "write by the host" : "read by the host"};
      const std::string byte = describe(f, address);
      f.what = fmt::format("{} of {}; the host has not waited for {}", writes ? "write" : "read", byte,
                           name_of_stream(operation->moment.stream));
      f.other = other_access(*operation, *part, address);
      found.push_back(std::move(f));
    }
  }
  return found;
}

}  // namespace drywarp::check
