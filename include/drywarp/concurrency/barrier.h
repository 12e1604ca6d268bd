// cuda::barrier, by the mbarrier instructions: a phase completes when the expected number of threads has arrived.
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

template <thread_scope Scope = thread_scope_system, class Completion = __drywarp_no_completion>
class barrier {
 public:
  typedef uint64_t arrival_token;
  barrier() = default;
  barrier(const barrier&) = delete;

#if defined(__CUDA__)
  static_assert(Scope != thread_scope_thread, "a barrier has more than one thread");
  __device__ explicit barrier(ptrdiff_t expected) { initialise(static_cast<unsigned>(expected)); }
  __device__ ~barrier() {}

  __device__ arrival_token arrive(ptrdiff_t count = 1) {
    arrival_token token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(address()), "r"(static_cast<unsigned>(count))
                 : "memory");
    return token;
  }
  __device__ void wait(arrival_token token) const {
    unsigned done = 0;
    while (!done)
      asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(address()), "l"(token)
                   : "memory");
  }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() {
    asm volatile("{\n .reg .b64 t;\n mbarrier.arrive_drop.shared.b64 t, [%0];\n}" ::"r"(address()) : "memory");
  }
  __device__ void initialise(unsigned expected) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(expected) : "memory");
  }
  __device__ uint64_t* native() { return &state_; }

 private:
  __device__ unsigned address() const { return static_cast<unsigned>(__cvta_generic_to_shared(&state_)); }
#endif
  uint64_t state_;
};

#if defined(__CUDA__)
template <thread_scope Scope, class Completion>
__device__ inline void init(barrier<Scope, Completion>* b, ptrdiff_t expected) {
  b->initialise(static_cast<unsigned>(expected));
}
template <thread_scope Scope, class Completion>
__device__ inline uint64_t* barrier_native_handle(barrier<Scope, Completion>& b) {
  return b.native();
}

// The phase is over once the copies are, too: a pending arrival of their own stands for them.
__device__ inline void __drywarp_arrive_behind_copies(uint64_t* object) {
  if (__isShared(object)) {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(object))
                 : "memory");
  } else {  // of a wider scope
    cooperative_groups::details::commit_copies();
    cooperative_groups::details::wait_for_copies<0>();
  }
}
template <class Size, thread_scope Scope, class Completion>
__device__ inline void memcpy_async(void* to, const void* from, Size bytes, barrier<Scope, Completion>& b) {
  cooperative_groups::details::copy_together(0, 1, to, from, static_cast<size_t>(bytes));
  __drywarp_arrive_behind_copies(b.native());
}
template <class Group, class Size, thread_scope Scope, class Completion>
__device__ inline void memcpy_async(const Group& group, void* to, const void* from, Size bytes,
                                    barrier<Scope, Completion>& b) {
  cooperative_groups::details::copy_together(static_cast<unsigned>(group.thread_rank()),
                                             static_cast<unsigned>(group.size()), to, from, static_cast<size_t>(bytes));
  __drywarp_arrive_behind_copies(b.native());
}
#endif

}  // namespace cuda

#endif
