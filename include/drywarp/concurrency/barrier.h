// cuda::barrier, by the mbarrier instructions or by atomics: a phase completes when the expected number of threads has
// arrived.
#ifndef DRYWARP_CONCURRENCY_BARRIER_H
#define DRYWARP_CONCURRENCY_BARRIER_H
#pragma GCC system_header

#include <stdint.h>

#include "drywarp/concurrency/scopes.h"
#if defined(__CUDA__)
#include "cooperative_groups.h"
#include "drywarp/groups/async_copy.h"
#endif

namespace cuda {

struct __drywarp_no_completion {
  __host__ __device__ void operator()() const {}
};

// The same by atomics of its scope, as libcu++ has it for barriers of more than a block, and for those of a block that are
// not in shared memory. Bit 63 is the phase; above and below bit 32 the arrivals count up: those of the phase, and from
// where they begin in each.
template <thread_scope Scope>
class __drywarp_wide_barrier {
 public:
  static constexpr uint64_t initial(ptrdiff_t expected) {
    const uint64_t first = (uint64_t{1} << 31) - static_cast<uint64_t>(expected);
    return first << 32 | first;
  }
#if defined(__CUDA__)
  __device__ static uint64_t arrive(uint64_t* state, ptrdiff_t count) {
    const uint64_t before = add(state, static_cast<uint64_t>(count) << 32);
    if ((before ^ (before + (static_cast<uint64_t>(count) << 32))) & kPhase) add(state, (before & kExpected) << 32);
    return before & kPhase;
  }
  __device__ static void drop(uint64_t* state) {
    add(state, 1);
    arrive(state, 1);
  }
  __device__ static bool passed(const uint64_t* state, uint64_t phase) {
    uint64_t now;
    if constexpr (Scope == thread_scope_block)
      asm volatile("ld.acquire.cta.b64 %0, [%1];" : "=l"(now) : "l"(state) : "memory");
    else if constexpr (Scope == thread_scope_device)
      asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(now) : "l"(state) : "memory");
    else
      asm volatile("ld.acquire.sys.b64 %0, [%1];" : "=l"(now) : "l"(state) : "memory");
    return (now & kPhase) != phase;
  }

 private:
  static constexpr uint64_t kPhase = uint64_t{1} << 63, kExpected = 0xffffffff;
  __device__ static uint64_t add(uint64_t* state, uint64_t more) {
    uint64_t before;
    if constexpr (Scope == thread_scope_block)
      asm volatile("atom.acq_rel.cta.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(state), "l"(more) : "memory");
    else if constexpr (Scope == thread_scope_device)
      asm volatile("atom.acq_rel.gpu.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(state), "l"(more) : "memory");
    else
      asm volatile("atom.acq_rel.sys.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(state), "l"(more) : "memory");
    return before;
  }
#endif
};

template <thread_scope Scope = thread_scope_system, class Completion = __drywarp_no_completion>
class barrier {
  typedef __drywarp_wide_barrier<Scope> wide;

 public:
  typedef uint64_t arrival_token;
  barrier() = default;
  barrier(const barrier&) = delete;

#if defined(__CUDA__)
  static_assert(Scope != thread_scope_thread, "a barrier has more than one thread");
  __host__ __device__ explicit barrier(ptrdiff_t expected) { initialise(static_cast<unsigned>(expected)); }
  __host__ __device__ ~barrier() {}

  __device__ arrival_token arrive(ptrdiff_t count = 1) {
    if (!is_object()) return wide::arrive(&state_, count);
    arrival_token token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(address()), "r"(static_cast<unsigned>(count))
                 : "memory");
    return token;
  }
  __device__ bool try_wait(arrival_token token) const {
    if (!is_object()) return wide::passed(&state_, token);
    unsigned done;
    asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(address()), "l"(token)
                 : "memory");
    return done != 0;
  }
  __device__ bool try_wait_parity(bool parity) const {
    if (!is_object()) return wide::passed(&state_, static_cast<uint64_t>(parity) << 63);
    unsigned done;
    asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(address()), "r"(static_cast<unsigned>(parity))
                 : "memory");
    return done != 0;
  }
  __device__ void wait(arrival_token token) const {
    while (!try_wait(token)) {
    }
  }
  __device__ void wait_parity(bool parity) const {
    while (!try_wait_parity(parity)) {
    }
  }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() {
    if (!is_object()) return wide::drop(&state_);
    asm volatile("{\n .reg .b64 t;\n mbarrier.arrive_drop.shared.b64 t, [%0];\n}" ::"r"(address()) : "memory");
  }
  __host__ __device__ void initialise(unsigned expected) {
#if defined(__CUDA_ARCH__)
    if (is_object()) {
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(expected) : "memory");
      return;
    }
#endif
    state_ = wide::initial(expected);
  }
  __device__ uint64_t* native() { return &state_; }
  // Whether it is what the mbarrier instructions use.
  __device__ bool is_object() const { return Scope == thread_scope_block && __isShared(&state_); }

 private:
  __device__ unsigned address() const { return static_cast<unsigned>(__cvta_generic_to_shared(&state_)); }
#endif
  uint64_t state_;
};

#if defined(__CUDA__)
template <thread_scope Scope, class Completion>
__host__ __device__ inline void init(barrier<Scope, Completion>* b, ptrdiff_t expected) {
  b->initialise(static_cast<unsigned>(expected));
}
template <thread_scope Scope, class Completion>
__device__ inline uint64_t* barrier_native_handle(barrier<Scope, Completion>& b) {
  return b.native();
}

// The phase is over once the copies are, too: a pending arrival of their own stands for them.
template <thread_scope Scope, class Completion>
__device__ inline void __drywarp_arrive_behind_copies(barrier<Scope, Completion>& b) {
  if (b.is_object()) {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(b.native()))
                 : "memory");
  } else {
    cooperative_groups::details::commit_copies();
    cooperative_groups::details::wait_for_copies<0>();
  }
}
template <class Size, thread_scope Scope, class Completion>
__device__ inline void memcpy_async(void* to, const void* from, Size bytes, barrier<Scope, Completion>& b) {
  cooperative_groups::details::copy_sized(0, 1, to, from, bytes);
  __drywarp_arrive_behind_copies(b);
}
template <class Group, class Size, thread_scope Scope, class Completion>
__device__ inline void memcpy_async(const Group& group, void* to, const void* from, Size bytes,
                                    barrier<Scope, Completion>& b) {
  cooperative_groups::details::copy_sized(static_cast<unsigned>(group.thread_rank()),
                                             static_cast<unsigned>(group.size()), to, from, bytes);
  __drywarp_arrive_behind_copies(b);
}
#endif

}  // namespace cuda

#endif
