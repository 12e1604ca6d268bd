#include "cuda/memory/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/support/plural.h"
#include "base/support/round_up.h"

namespace drywarp::cuda {

using exec::MemoryKind;

namespace {

constexpr size_t kHostAlignment = 4096;

bool overflows(size_t a, size_t b) { return b != 0 && a > SIZE_MAX / b; }

}  // namespace

Memory::Memory(exec::DeviceMemory& device) : device_(device) {
  default_pool_ = current_pool_ = new Pool;
  pools_.insert(default_pool_);
}

Memory::~Memory() {
  for (Pool* pool : pools_) delete pool;
  for (Array* array : arrays_) delete array;
  for (MipmappedArray* array : mipmapped_) delete array;
}

Error Memory::allocate(uint64_t& address, size_t size) {
  address = 0;
  if (size == 0) return Error::Success;
  const auto made = device_.allocate(size, MemoryKind::Device);
  if (!made) return Error::MemoryAllocation;
  linear_.insert(address = *made);
  return Error::Success;
}

Error Memory::allocate_pitched(uint64_t& address, size_t& pitch, size_t width, size_t rows) {
  address = 0;
  pitch = 0;
  if (width > kMaxPitch) return Error::InvalidValue;
  pitch = round_up(width, kPitchAlignment);
  if (overflows(pitch, rows)) return Error::MemoryAllocation;
  return allocate(address, pitch * rows);
}

Error Memory::allocate_managed(uint64_t& address, size_t size) {
  if (size == 0) return Error::InvalidValue;
  const auto made = device_.allocate(size, MemoryKind::Managed);
  if (!made) return Error::MemoryAllocation;
  linear_.insert(address = *made);
  return Error::Success;
}

Error Memory::free(uint64_t address, uint32_t stream) {
  if (address == 0) return Error::Success;
  if (!linear_.contains(address)) return Error::InvalidValue;
  const uint64_t size = describe(address).size;
  if (!device_.free(address)) return Error::InvalidValue;
  linear_.erase(address);
  if (graph_memory_.contains(address)) graph_pool_.free(size, stream);
  if (const auto pooled = pool_of_.find(address); pooled != pool_of_.end()) {
    pooled->second->used -= size;
    pooled->second->idle += size;
    pool_of_.erase(pooled);
  }
  return Error::Success;
}

Error Memory::reserve_for_graph(uint64_t& address, size_t size) {
  address = 0;
  if (size == 0) return Error::InvalidValue;
  const auto made = device_.reserve_addresses(size, MemoryKind::Device);
  if (!made) return Error::MemoryAllocation;
  graph_memory_[address = *made] = size;
  return Error::Success;
}

Error Memory::allocate_graph_memory(uint64_t address, uint32_t stream) {
  if (is_allocated(address)) return Error::InvalidValue;
  if (!device_.commit(address)) return Error::MemoryAllocation;
  linear_.insert(address);
  graph_pool_.allocate(graph_memory_.at(address), stream);
  return Error::Success;
}

void Memory::unreserve_graph_memory(uint64_t address) {
  device_.release_addresses(address);
  if (!is_allocated(address)) graph_memory_.erase(address);
}

Error Memory::allocate_host(uint64_t& address, size_t size, unsigned flags) {
  address = 0;
  if (flags & ~7u) return Error::InvalidValue;
  if (size == 0) return Error::Success;
  if (size > SIZE_MAX - kHostAlignment) return Error::MemoryAllocation;
  void* memory = std::aligned_alloc(kHostAlignment, round_up(size, kHostAlignment));
  if (!memory) return Error::MemoryAllocation;
  std::memset(memory, 0, size);
  address = reinterpret_cast<uint64_t>(memory);
  device_.adopt(address, size, MemoryKind::PinnedHost);
  host_[address] = {size, flags, true};
  objects_.created("pinned host memory of " + plural(size, "byte"), address, "freed");
  return Error::Success;
}

Error Memory::free_host(uint64_t address) {
  if (address == 0) return Error::Success;
  const auto range = host_.find(address);
  if (range == host_.end() || !range->second.owned) return Error::InvalidValue;
  device_.forget(address);
  host_.erase(range);
  objects_.destroyed(address);
  std::free(reinterpret_cast<void*>(address));
  return Error::Success;
}

Error Memory::register_host(uint64_t address, size_t size, unsigned flags) {
  if (address == 0 || size == 0 || (flags & ~15u)) return Error::InvalidValue;
  const auto next = host_.upper_bound(address);
  const bool overlaps_next = next != host_.end() && next->first < address + size;
  const bool overlaps_previous =
      next != host_.begin() && std::prev(next)->first + std::prev(next)->second.size > address;
  if (overlaps_next || overlaps_previous) return Error::HostMemoryAlreadyRegistered;
  device_.adopt(address, size, MemoryKind::PinnedHost);
  host_[address] = {size, flags, false};
  objects_.created("registered host memory of " + plural(size, "byte"), address, "unregistered");
  return Error::Success;
}

Error Memory::unregister_host(uint64_t address) {
  const auto range = host_.find(address);
  if (range == host_.end() || range->second.owned) return Error::HostMemoryNotRegistered;
  device_.forget(address);
  host_.erase(range);
  objects_.destroyed(address);
  return Error::Success;
}

Error Memory::create_array(Array*& out, const ChannelFormat& format, const Extent3& extent, unsigned flags) {
  out = nullptr;
  const int bits = format.x + format.y + format.z + format.w;
  const bool whole_bytes = bits > 0 && bits % 8 == 0 && bits <= 128;
  if (!whole_bytes || extent.width == 0 || (extent.height == 0 && extent.depth > 0 && !(flags & 1u)))
    return Error::InvalidValue;
  Array array{format, extent, flags, size_t(bits) / 8, 0};
  if (overflows(array.pitch(), array.rows()) || overflows(array.pitch() * array.rows(), array.slices()))
    return Error::MemoryAllocation;
  const auto made = device_.allocate(array.pitch() * array.rows() * array.slices(), MemoryKind::Device);
  if (!made) return Error::MemoryAllocation;
  array.address = *made;
  arrays_.insert(out = new Array(array));
  return Error::Success;
}

Error Memory::destroy(Array* array) {
  if (!array) return Error::Success;
  if (!arrays_.erase(array)) return Error::InvalidResourceHandle;
  device_.free(array->address);
  delete array;
  return Error::Success;
}

Error Memory::create_mipmapped(MipmappedArray*& out, const ChannelFormat& format, const Extent3& extent,
                               unsigned levels, unsigned flags) {
  out = nullptr;
  auto chain = std::make_unique<MipmappedArray>();
  Extent3 size = extent;
  for (unsigned level = 0; level < std::max(levels, 1u); ++level) {
    Array* array = nullptr;
    if (const Error error = create_array(array, format, size, flags); error != Error::Success) {
      for (Array* made : chain->levels) destroy(made);
      return error;
    }
    chain->levels.push_back(array);
    for (size_t* side : {&size.width, &size.height, &size.depth})
      if (*side > 1) *side /= 2;
  }
  mipmapped_.insert(out = chain.release());
  return Error::Success;
}

Error Memory::destroy(MipmappedArray* array) {
  if (!array) return Error::Success;
  if (!mipmapped_.erase(array)) return Error::InvalidResourceHandle;
  for (Array* level : array->levels) destroy(level);
  delete array;
  return Error::Success;
}

Error Memory::set_current_pool(Pool* pool) {
  if (!is_live(pool)) return Error::InvalidValue;
  current_pool_ = pool;
  return Error::Success;
}

Pool* Memory::create_pool() {
  Pool* pool = new Pool;
  pools_.insert(pool);
  objects_.created("a memory pool", pool);
  return pool;
}

Error Memory::destroy(Pool* pool) {
  if (!is_live(pool) || pool == default_pool_) return Error::InvalidValue;
  if (current_pool_ == pool) current_pool_ = default_pool_;
  // Memory of a destroyed pool stays valid until it is freed.
  std::erase_if(pool_of_, [&](const auto& entry) { return entry.second == pool; });
  pools_.erase(pool);
  objects_.destroyed(pool);
  delete pool;
  return Error::Success;
}

Error Memory::allocate_from(Pool& pool, uint64_t& address, size_t size) {
  address = 0;
  if (pool.max_size && pool.used + size > pool.max_size) return Error::MemoryAllocation;
  if (const Error error = allocate(address, size); error != Error::Success || address == 0) return error;
  pool_of_[address] = &pool;
  pool.used += size;
  pool.idle -= std::min<uint64_t>(pool.idle, size);
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved());
  return Error::Success;
}

void Memory::trim_pools() {
  graph_pool_.host_synchronized();
  for (Pool* pool : pools_) pool->trim_to(pool->release_threshold);
}

PointerInfo Memory::describe(uint64_t address) const {
  const auto allocation = device_.find(address);
  if (!allocation) return {};
  PointerInfo info{PointerKind::Device, allocation->base, allocation->size};
  if (const auto pooled = pool_of_.find(allocation->base); pooled != pool_of_.end()) info.pool = pooled->second;
  if (allocation->kind == MemoryKind::Managed) info.kind = PointerKind::Managed;
  if (allocation->kind == MemoryKind::PinnedHost) {
    info.kind = PointerKind::Host;
    if (const auto range = host_.find(allocation->base); range != host_.end()) info.host_flags = range->second.flags;
  }
  return info;
}

PointerInfo Memory::describe_with_reserved(uint64_t address) const {
  const PointerInfo now = describe(address);
  if (now.kind != PointerKind::Unregistered) return now;
  const auto next = graph_memory_.upper_bound(address);
  if (next == graph_memory_.begin()) return {};
  const auto [base, size] = *std::prev(next);
  return address - base < size ? PointerInfo{PointerKind::Device, base, size} : PointerInfo{};
}

bool Memory::is_unallocated_graph_memory(uint64_t address) const {
  return describe_with_reserved(address).kind != PointerKind::Unregistered &&
         describe(address).kind == PointerKind::Unregistered;
}

bool Memory::in_bounds(uint64_t address, size_t size) const {
  const PointerInfo info = describe_with_reserved(address);
  if (info.kind == PointerKind::Unregistered) return true;
  // Registered memory may be part of a larger host buffer, so copies may run past its end.
  if (info.kind == PointerKind::Host) return true;
  return size <= info.base + info.size - address;
}

std::vector<exec::Allocation> Memory::unfreed() const {
  std::vector<exec::Allocation> all;
  const auto add = [&](uint64_t address) {
    if (const auto a = device_.find(address)) all.push_back(*a);
  };
  for (const uint64_t address : linear_) add(address);
  for (const Array* array : arrays_) add(array->address);
  for (const exec::Allocation& a : device_.live())
    if (a.kind == MemoryKind::Heap) all.push_back(a);
  std::ranges::sort(all, {}, &exec::Allocation::id);
  return all;
}

void Memory::reset() {
  while (!mipmapped_.empty()) destroy(*mipmapped_.begin());
  while (!arrays_.empty()) destroy(*arrays_.begin());
  while (!linear_.empty()) free(*linear_.begin());
  for (const exec::Allocation& a : device_.live())
    if (a.kind == MemoryKind::Heap) device_.free(a.base);
  pool_of_.clear();
  graph_memory_.clear();
  graph_pool_ = {};
  for (auto it = host_.begin(); it != host_.end();) {
    const auto [address, range] = *it++;
    if (range.owned)
      free_host(address);
    else
      unregister_host(address);
  }
  for (Pool* pool : pools_)
    if (pool != default_pool_) delete pool;
  pools_ = {default_pool_};
  current_pool_ = default_pool_;
  *default_pool_ = Pool{};
}

void GraphPool::allocate(uint64_t bytes, uint32_t stream) {
  for (uint64_t* idle : {&stream_idle_[stream], &idle_}) {
    const uint64_t taken = std::min(bytes, *idle);
    *idle -= taken;
    bytes -= taken;
  }
  const uint64_t more = round_up(bytes, kUnit);
  reserved_ += more;
  stream_idle_[stream] += more - bytes;
  reserved_high_ = std::max(reserved_high_, reserved_);
}

void GraphPool::free(uint64_t bytes, uint32_t stream) { stream_idle_[stream] += bytes; }

void GraphPool::host_synchronized() {
  for (const auto& [stream, bytes] : stream_idle_) idle_ += bytes;
  stream_idle_.clear();
}

void GraphPool::trim() {
  host_synchronized();
  reserved_ -= idle_ / kUnit * kUnit;
  idle_ %= kUnit;
}

}  // namespace drywarp::cuda
