// cuda::pipeline. A thread-scope pipeline is a sequence of cp.async groups: a commit ends a stage, a wait leaves the
// later stages pending. A shared pipeline has two barriers a stage in shared memory: producers arrive at `filled` when
// their copies are complete, consumers at `empty` when they have used the data. A thread may be both.
#ifndef DRYWARP_CONCURRENCY_PIPELINE_H
#define DRYWARP_CONCURRENCY_PIPELINE_H
#pragma GCC system_header

#include "drywarp/concurrency/barrier.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned Stages>
struct pipeline_shared_state {
  uint64_t filled[Stages], empty[Stages];
  unsigned producers;
};

#if defined(__CUDA__)
template <thread_scope Scope>
class pipeline {
 public:
  __device__ pipeline(uint64_t* filled, uint64_t* empty, unsigned stages)
      : filled_(filled), empty_(empty), stages_(stages) {}

  __device__ void producer_acquire() { wait(empty_[head_], empty_parity_); }
  // Copies are complete before this thread arrives, as with a barrier's.
  __device__ void producer_commit() {
    cooperative_groups::details::commit_copies();
    cooperative_groups::details::wait_for_copies<0>();
    arrive(filled_[head_]);
    advance(head_, empty_parity_);
  }
  __device__ void consumer_wait() { wait(filled_[tail_], filled_parity_); }
  __device__ void consumer_release() {
    arrive(empty_[tail_]);
    advance(tail_, filled_parity_);
  }
  __device__ void quit() {}

 private:
  __device__ static unsigned address(const uint64_t& barrier) {
    return static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  }
  __device__ static void arrive(const uint64_t& barrier) {
    asm volatile("{\n .reg .b64 t;\n mbarrier.arrive.shared.b64 t, [%0];\n}" ::"r"(address(barrier)) : "memory");
  }
  __device__ static void wait(const uint64_t& barrier, unsigned parity) {
    unsigned done = 0;
    while (!done)
      asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(address(barrier)), "r"(parity)
                   : "memory");
  }
  __device__ void advance(unsigned& stage, unsigned& parity) const {
    if (++stage < stages_) return;
    stage = 0;
    parity ^= 1;
  }

  uint64_t *filled_, *empty_;
  unsigned stages_, head_ = 0, tail_ = 0;
  // The parity of the phase to wait for. All stages start empty, as if a previous phase had completed.
  unsigned empty_parity_ = 1, filled_parity_ = 0;
};

template <>
class pipeline<thread_scope_thread> {
 public:
  __device__ void producer_acquire() {}
  __device__ void producer_commit() {
    cooperative_groups::details::commit_copies();
    ++pending_;
  }
  // The oldest stage has arrived.
  __device__ void consumer_wait() { cooperative_groups::details::wait_for_copies_but(pending_ > 0 ? pending_ - 1 : 0); }
  __device__ void consumer_release() {
    if (pending_ > 0) --pending_;
  }
  __device__ void quit() {}

 private:
  unsigned pending_ = 0;  // stages committed and not yet released
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }

template <class Group, thread_scope Scope, unsigned Stages>
__device__ inline pipeline<Scope> __drywarp_shared_pipeline(const Group& group,
                                                            pipeline_shared_state<Scope, Stages>* state,
                                                            unsigned producers, unsigned consumers) {
  if (group.thread_rank() == 0) {
    for (unsigned i = 0; i < Stages; ++i) {
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(
                       static_cast<unsigned>(__cvta_generic_to_shared(&state->filled[i]))),
                   "r"(producers)
                   : "memory");
      asm volatile(
          "mbarrier.init.shared.b64 [%0], %1;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&state->empty[i]))),
          "r"(consumers)
          : "memory");
    }
  }
  group.sync();
  return pipeline<Scope>(state->filled, state->empty, Stages);
}

// Every thread of the group produces and consumes.
template <class Group, thread_scope Scope, unsigned Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
  return __drywarp_shared_pipeline(group, state, group.size(), group.size());
}
// The first `producers` threads of the group produce, the others consume.
template <class Group, thread_scope Scope, unsigned Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                                size_t producers) {
  const unsigned count = static_cast<unsigned>(producers);
  return __drywarp_shared_pipeline(group, state, count, group.size() - count);
}
template <class Group, thread_scope Scope, unsigned Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                                pipeline_role role) {
  if (group.thread_rank() == 0) state->producers = 0;
  group.sync();
  if (role == pipeline_role::producer) atomicAdd(&state->producers, 1u);
  group.sync();
  const unsigned producers = state->producers;
  return __drywarp_shared_pipeline(group, state, producers, group.size() - producers);
}

template <unsigned Prior>
__device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  cooperative_groups::details::wait_for_copies<Prior>();
}
template <class Size, thread_scope Scope>
__device__ inline void memcpy_async(void* to, const void* from, Size bytes, pipeline<Scope>&) {
  cooperative_groups::details::copy_sized(0, 1, to, from, bytes);
}
template <class Group, class Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group& group, void* to, const void* from, Size bytes, pipeline<Scope>&) {
  cooperative_groups::details::copy_sized(static_cast<unsigned>(group.thread_rank()),
                                             static_cast<unsigned>(group.size()), to, from, bytes);
}
#endif

}  // namespace cuda

#endif
