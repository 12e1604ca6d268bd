// atom and red: lane by lane in order of lane number. With several workers the memory operation is atomic on the host
// too.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/access/access_pattern.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/memory/lane_moves.h"
#include "engine/exec/runtime/local_memory.h"

using namespace drywarp;
using namespace drywarp::exec;
using ir::AtomOp;
using ir::Type;

namespace {

// ---- 16-bit floating point: one operation, rounded once

float f16_to_float(uint16_t h) { return static_cast<float>(std::bit_cast<_Float16>(h)); }
uint16_t float_to_f16(float f) { return std::bit_cast<uint16_t>(static_cast<_Float16>(f)); }
float bf16_to_float(uint16_t h) { return std::bit_cast<float>(uint32_t{h} << 16); }
uint16_t float_to_bf16(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  if (std::isnan(f)) return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float half_operation(ir::AtomOp op, float old, float a) {
  switch (op) {
    case ir::AtomOp::Add:
      return old + a;
    case ir::AtomOp::Min:
      return std::fmin(old, a);
    case ir::AtomOp::Max:
      return std::fmax(old, a);
    default:
      return a;
  }
}
uint16_t f16_atomic(ir::AtomOp op, uint16_t old, uint16_t a) {
  return op == ir::AtomOp::Exch ? a : float_to_f16(half_operation(op, f16_to_float(old), f16_to_float(a)));
}
uint16_t bf16_atomic(ir::AtomOp op, uint16_t old, uint16_t a) {
  return op == ir::AtomOp::Exch ? a : float_to_bf16(half_operation(op, bf16_to_float(old), bf16_to_float(a)));
}

// ----

// The new value of one location. T: the type in which the operation works; the integer U of its size is what memory
// holds.
template <class T>
T combine(AtomOp op, T old, T a, T b) {
  switch (op) {
    case AtomOp::Exch:
      return a;
    case AtomOp::Add:
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(a));
      } else {
        return old + a;
      }
    case AtomOp::Min:
      return std::min(old, a);
    case AtomOp::Max:
      return std::max(old, a);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case AtomOp::And:
        return old & a;
      case AtomOp::Or:
        return old | a;
      case AtomOp::Xor:
        return old ^ a;
      case AtomOp::Cas:
        return old == a ? b : old;
      case AtomOp::Inc:
        return old >= a ? 0 : old + 1;
      case AtomOp::Dec:
        return old == 0 || old > a ? a : old - 1;
      default:
        break;
    }
  }
  return old;
}

template <class U, class F>
void update(U* location, bool concurrent, U* old_out, F next) {
  if (!concurrent) {
    U old = *location;
    *location = next(old);
    *old_out = old;
    return;
  }
  std::atomic_ref<U> shared(*location);
  U old = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(old, next(old), std::memory_order_acq_rel, std::memory_order_relaxed)) {
  }
  *old_out = old;
}

struct Request {
  AtomOp op;
  const uint64_t* addresses;
  uint32_t mask, count;
  const void *a, *b;
  void* out;
  bool concurrent;
};

// Applies `next` to each lane's location. The conditions are template parameters, so that they are tested once and not
// for every lane. The length of vectors is not, because they are rare and every parameter multiplies the code.
template <class U, bool Single, bool Concurrent, bool Wanted, class Next>
void run_lanes(const Request& r, Next next) {
  const uint32_t count = Single ? 1 : r.count;
  for_lanes(r.mask, [&](uint32_t lane) {
    for (uint32_t c = 0; c < count; ++c) {
      const uint32_t at = c * kWarpSize + lane;
      U old;
      update(reinterpret_cast<U*>(r.addresses[lane]) + c, Concurrent, &old, [&](U value) { return next(value, at); });
      if (Wanted) static_cast<U*>(r.out)[at] = old;
    }
  });
}

template <class U, bool Single, class Next>
void run_counted(const Request& r, Next next) {
  if (r.concurrent) {
    return r.out ? run_lanes<U, Single, true, true>(r, next) : run_lanes<U, Single, true, false>(r, next);
  }
  return r.out ? run_lanes<U, Single, false, true>(r, next) : run_lanes<U, Single, false, false>(r, next);
}

template <class U, class Next>
void run_any(const Request& r, Next next) {
  return r.count == 1 ? run_counted<U, true>(r, next) : run_counted<U, false>(r, next);
}

template <class T, class U, AtomOp Op>
void run_op(const Request& r) {
  static_assert(sizeof(T) == sizeof(U));
  run_any<U>(r, [&](U value, uint32_t at) {
    const T a = std::bit_cast<T>(static_cast<const U*>(r.a)[at]);
    const T b = Op == AtomOp::Cas ? std::bit_cast<T>(static_cast<const U*>(r.b)[at]) : T{};
    return std::bit_cast<U>(combine(Op, std::bit_cast<T>(value), a, b));
  });
}

// The operations whose result depends on the type's sign or format.
template <class T, class U>
void run_ordered(const Request& r) {
  switch (r.op) {
    case AtomOp::Add:
      return run_op<T, U, AtomOp::Add>(r);
    case AtomOp::Min:
      return run_op<T, U, AtomOp::Min>(r);
    case AtomOp::Max:
      return run_op<T, U, AtomOp::Max>(r);
    default:
      return;
  }
}

template <class U>
void run_bits(const Request& r) {
  switch (r.op) {
    case AtomOp::Exch:
      return run_op<U, U, AtomOp::Exch>(r);
    case AtomOp::And:
      return run_op<U, U, AtomOp::And>(r);
    case AtomOp::Or:
      return run_op<U, U, AtomOp::Or>(r);
    case AtomOp::Xor:
      return run_op<U, U, AtomOp::Xor>(r);
    case AtomOp::Cas:
      return run_op<U, U, AtomOp::Cas>(r);
    case AtomOp::Inc:
      return run_op<U, U, AtomOp::Inc>(r);
    case AtomOp::Dec:
      return run_op<U, U, AtomOp::Dec>(r);
    default:
      return;
  }
}

// T: the type in which the operation works; U: the unsigned integer of its size.
template <class T, class U>
void run(const Request& r) {
  const bool ordered = r.op == AtomOp::Add || r.op == AtomOp::Min || r.op == AtomOp::Max;
  return ordered ? run_ordered<T, U>(r) : run_bits<U>(r);
}

// Packed and half types: the operation on each 16-bit half by its function.
template <class U>
void run_halves(const Request& r, uint16_t (*operation)(AtomOp, uint16_t, uint16_t)) {
  run_any<U>(r, [&](U value, uint32_t at) {
    const U a = static_cast<const U*>(r.a)[at];
    U next = 0;
    for (unsigned shift = 0; shift < 8 * sizeof(U); shift += 16)
      next |= static_cast<U>(
          static_cast<U>(operation(r.op, static_cast<uint16_t>(value >> shift), static_cast<uint16_t>(a >> shift)))
          << shift);
    return next;
  });
}

void run_wide_exchange(const Request& r) {  // 128 bits: exch and cas
  using U = unsigned __int128;
  static std::mutex mutex;  // hosts have no lock-free operation of this size everywhere; it is rare
  std::lock_guard lock(mutex);
  for (uint32_t left = r.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    U old, a, b = 0;
    std::memcpy(&old, reinterpret_cast<void*>(r.addresses[lane]), 16);
    std::memcpy(&a, static_cast<const char*>(r.a) + lane * 16, 16);
    if (r.b) std::memcpy(&b, static_cast<const char*>(r.b) + lane * 16, 16);
    const U next = r.op == AtomOp::Cas ? (old == a ? b : old) : a;
    std::memcpy(reinterpret_cast<void*>(r.addresses[lane]), &next, 16);
    if (r.out) std::memcpy(static_cast<char*>(r.out) + lane * 16, &old, 16);
  }
}

void dispatch(Type type, const Request& r) {
  switch (type) {
    case Type::U32:
      return run<uint32_t, uint32_t>(r);
    case Type::B32:
      return run<uint32_t, uint32_t>(r);
    case Type::S32:
      return run<int32_t, uint32_t>(r);
    case Type::U64:
    case Type::B64:
      return run<uint64_t, uint64_t>(r);
    case Type::S64:
      return run<int64_t, uint64_t>(r);
    case Type::B16:
    case Type::U16:
      return run<uint16_t, uint16_t>(r);
    case Type::S16:
      return run<int16_t, uint16_t>(r);
    case Type::F32:
      return run<float, uint32_t>(r);
    case Type::F64:
      return run<double, uint64_t>(r);
    case Type::F16:
      return run_halves<uint16_t>(r, f16_atomic);
    case Type::F16x2:
      return run_halves<uint32_t>(r, f16_atomic);
    case Type::BF16:
      return run_halves<uint16_t>(r, bf16_atomic);
    case Type::BF16x2:
      return run_halves<uint32_t>(r, bf16_atomic);
    case Type::B128:
      return run_wide_exchange(r);
    default:
      return;
  }
}

// One lane after the other, as the whole: observers hear what each one leaves behind.
void run_by_lane(Worker& worker, Type type, const Request& all, uint32_t bytes) {
  worker.after.has = bytes <= sizeof(uint64_t);
  if (!worker.after.has) return dispatch(type, all);
  for (uint32_t left = all.mask; left != 0; left &= left - 1) {
    Request one = all;
    one.mask = left & -left;
    dispatch(type, one);
    uint64_t& after = worker.after.lanes[std::countr_zero(left)];
    after = 0;
    std::memcpy(&after, reinterpret_cast<const void*>(all.addresses[std::countr_zero(left)]), bytes);
  }
}

void note_attempts(Attempts& attempts, const Request& r, uint32_t bytes) {
  constexpr size_t kMost = 1 << 16;
  if ((r.op != AtomOp::Cas && r.op != AtomOp::Exch) || !r.out) return;
  const auto of_lane = [&](const void* values, uint32_t lane) {
    return std::string_view(static_cast<const char*>(values) + size_t{lane} * bytes, bytes);
  };
  for_lanes(r.mask, [&](uint32_t lane) {
    const std::string_view old = of_lane(r.out, lane), a = of_lane(r.a, lane);
    if (r.op == AtomOp::Cas && old != a) return;
    const std::string_view now = r.op == AtomOp::Cas ? of_lane(r.b, lane) : a;
    if (old == now) return;
    if (attempts.left.size() >= kMost) attempts.left.clear();
    const uint64_t place = r.addresses[lane] * 0x9e3779b97f4a7c15;
    attempts.changed |= attempts.left.insert(place ^ std::hash<std::string_view>()(now)).second;
  });
}

}  // namespace

extern "C" void dw_atomic(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number,
                          uint32_t what, void* lanes, uint32_t mask, void* a, void* b, void* out) {
  Warp& warp = warp_of(context);
  const auto space = static_cast<AddressSpace>(space_number);
  const auto type = static_cast<Type>(what >> 8 & 0xff);
  const uint32_t count = what >> 16, bytes = ir::bits(type) / 8 * count;
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  // Hardware lacks these in shared memory: the machine code is a compare-and-swap loop.
  const bool swaps = static_cast<AtomOp>(what & 0xff) == AtomOp::Cas || ir::is_float(type);
  Access access{warp, site,  space, instruction, addresses,
                mask, bytes, true,  true,        swaps ? SharedOp::Swap : SharedOp::Atomic};
  access.origins = std::exchange(context->origins, nullptr);
  const Window window = check_and_count(access);
  if (out && access.mask != mask) std::memset(out, 0, size_t{kWarpSize} * bytes);
  mask = access.mask;
  LanePlaces places;
  addresses = places_of(access, places);
  // Shared memory belongs to one worker.
  Worker& worker = *warp.worker;
  const bool concurrent = window.memory != Memory::Shared && worker.launch->shares_memory();
  if (worker.launch->ordinary_barrier != 0) note_grid_barrier(warp, instruction, mask, addresses);
  const bool timed = concurrent && worker.may_leave;
  const uint64_t before = timed ? __builtin_readcyclecounter() : 0;
  const Request all{static_cast<AtomOp>(what & 0xff), addresses, mask, count, a, b, out, concurrent};
  if (worker.launch->kernel->options.events.outcomes)
    run_by_lane(worker, type, all, bytes);
  else
    dispatch(type, all);
  if (worker.attempts.watched && count == 1) note_attempts(worker.attempts, all, bytes);
  if (timed) {
    worker.atomic_ticks += __builtin_readcyclecounter() - before;
    worker.atomic_lanes += static_cast<uint64_t>(std::popcount(mask));
  }
}
