#include "cuda/launch/checked_memory.h"

#include <algorithm>
#include <limits>

#include "cuda/launch/call_sites.h"
#include "cuda/launch/operation_checks.h"

namespace drywarp::cuda {
namespace {

// What a kernel may do, of Permission bits; empty: everything.
std::string allowed_uses(uint8_t may) {
  constexpr const char* kOnly[] = {"not be accessed",
                                   "only be read",
                                   "only be written",
                                   "be read and written, but not by atomics",
                                   "only be accessed by atomics",
                                   "only be read, and accessed by atomics",
                                   "only be written, and accessed by atomics",
                                   ""};
  return kOnly[may & exec::kMayAll];
}

// Writes of the host to memory that it shares with the device are not seen, nor the initial values of variables.
bool knows_writes(const exec::Allocation& a) {
  return a.kind == exec::MemoryKind::Device || a.kind == exec::MemoryKind::Heap;
}

}  // namespace

const std::string& CheckedMemory::Site::text() {
  if (where.empty()) where = callers_of_library(stack, Callers::All);
  return where;
}

CheckedMemory::CheckedMemory(exec::DeviceMemory& memory, bool knows_writes) : memory_(memory) {
  if (knows_writes) written_.emplace(memory.base(), memory.reserved());
  memory_.watch(this);
}
CheckedMemory::~CheckedMemory() { memory_.watch(nullptr); }

// ---- allocations

std::optional<check::MemoryMap::Near> CheckedMemory::near(uint64_t address, uint64_t beside) const {
  const auto a = memory_.nearest(beside);
  if (!a) return std::nullopt;
  return Near{fact(*a), a->live, static_cast<int64_t>(address - a->base), allowed_uses(a->may),
              a->live ? std::string() : freed_at(*a)};
}

FoundAllocation CheckedMemory::fact(const exec::Allocation& a) const {
  const std::lock_guard hold(mutex_);
  const auto made = made_.find(a.id);
  return {a.id, a.size, a.label ? *a.label : exec::name(a.kind),
          made == made_.end() ? std::string() : made->second.text()};
}

std::string CheckedMemory::freed_at(const exec::Allocation& a) const {
  const std::lock_guard hold(mutex_);
  const auto freed = freed_.find(a.id);
  return freed == freed_.end() ? std::string() : freed->second.text();
}

void CheckedMemory::made(uint64_t address, const std::string& where) {
  const auto a = memory_.find(address);
  const std::lock_guard hold(mutex_);
  if (a) made_[a->id] = {{}, where};
}

void CheckedMemory::allocated(const exec::Allocation& allocation) {
  const bool by_kernel = running_ != 0;
  if (operations_) operations_->allocated(allocation, by_kernel);
  if (by_kernel) return;
  const std::lock_guard hold(mutex_);
  made_[allocation.id] = {host_stack(), {}};
}

void CheckedMemory::freed(const exec::Allocation& allocation) {
  if (written_) written_->forget(allocation.base, allocation.size);
  unknown_.forget(allocation.base, allocation.size);
  const bool by_kernel = running_ != 0;
  if (operations_) operations_->freed(allocation, by_kernel);
  if (by_kernel) return;
  const std::lock_guard hold(mutex_);
  freed_[allocation.id] = {host_stack(), {}};
  if (resetting_) reset_.insert(allocation.id);
}

bool CheckedMemory::freed_by_reset(const exec::Allocation& a) const {
  const std::lock_guard hold(mutex_);
  return reset_.contains(a.id);
}

// ---- what was written

bool CheckedMemory::written(uint64_t address, uint64_t bytes) const {
  if (!written_ || written_->written(address, bytes)) return true;
  const auto a = memory_.find(address);
  return !a || !knows_writes(*a) || bytes > a->size - (address - a->base);
}

LaneMask CheckedMemory::unwritten(const uint64_t* addresses, LaneMask lanes, uint64_t bytes) const {
  if (!written_) return 0;
  const LaneMask perhaps = written_->unwritten(addresses, lanes, bytes);
  return perhaps == 0 ? 0 : MemoryMap::unwritten(addresses, perhaps, bytes);
}

void CheckedMemory::write(uint64_t address, uint64_t bytes) {
  if (written_) written_->mark(address, bytes);
}

void CheckedMemory::store_unknown(uint64_t address, uint32_t bytes, const check::UnknownSource& source) {
  if (!written_) return;
  constexpr size_t kMostSources = std::numeric_limits<uint16_t>::max();
  uint16_t number = 0;
  {
    const std::lock_guard hold(mutex_);
    const auto known = std::ranges::find(sources_, source);
    number = static_cast<uint16_t>(std::min<size_t>(known - sources_.begin(), kMostSources));
    if (known == sources_.end() && sources_.size() <= kMostSources) sources_.push_back(source);
  }
  unknown_.keep(address, bytes, number);
  for (unsigned b = 0; b < 32; ++b)
    if ((bytes >> b & 1) != 0) written_->forget(address + b, 1);
}

const check::UnknownSource* CheckedMemory::unknown_source(uint64_t address) const {
  const auto number = unknown_.source(address);
  if (!number) return nullptr;
  const std::lock_guard hold(mutex_);
  return &sources_[*number];
}

void CheckedMemory::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (!written_) return;
  unknown_.copy(to, from, bytes);
  if (written(from, bytes)) return write(to, bytes);
  for (uint64_t b = 0; b < bytes; ++b) {
    if (written(from + b, 1))
      write(to + b, 1);
    else if (unknown_.source(from + b))
      written_->forget(to + b, 1);
  }
}

}  // namespace drywarp::cuda
