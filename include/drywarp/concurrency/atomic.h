// cuda::atomic<T, scope> and cuda::atomic_ref<T, scope> over the compiler's atomics, which become atomic instructions.
// Memory orders are at least as strong as requested: read-modify-writes are fenced unless relaxed.
#ifndef DRYWARP_CONCURRENCY_ATOMIC_H
#define DRYWARP_CONCURRENCY_ATOMIC_H
#pragma GCC system_header

#include <atomic>

#include "drywarp/concurrency/scopes.h"

namespace cuda {
namespace std {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
}  // namespace std
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

namespace details {
__host__ __device__ inline void fence(memory_order order) {
  if (order == memory_order_relaxed) return;
#if defined(__CUDA_ARCH__)
  __threadfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
}  // namespace details

__host__ __device__ inline void atomic_thread_fence(memory_order order, thread_scope = thread_scope_system) {
  details::fence(order);
}

// The common part of atomic and atomic_ref; At locates the value.
template <class T, class At>
class atomic_operations {
 public:
  __host__ __device__ T load(memory_order order = memory_order_seq_cst) const volatile {
    T result;
    __atomic_load(const_cast<T*>(where()), &result, __ATOMIC_RELAXED);
    details::fence(order);
    return result;
  }
  __host__ __device__ void store(T value, memory_order order = memory_order_seq_cst) volatile {
    details::fence(order);
    __atomic_store(where(), &value, __ATOMIC_RELAXED);
  }
  __host__ __device__ T exchange(T value, memory_order order = memory_order_seq_cst) volatile {
    T result;
    details::fence(order);
    __atomic_exchange(where(), &value, &result, __ATOMIC_RELAXED);
    details::fence(order);
    return result;
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst,
                                                   memory_order = memory_order_seq_cst) volatile {
    details::fence(order);
    const bool done = __atomic_compare_exchange(where(), &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    details::fence(order);
    return done;
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order_seq_cst,
                                                 memory_order failure = memory_order_seq_cst) volatile {
    return compare_exchange_strong(expected, value, order, failure);
  }
#define DRYWARP_FETCH(name)                                                                         \
  template <class Value>                                                                                \
  __host__ __device__ T fetch_##name(Value value, memory_order order = memory_order_seq_cst) volatile { \
    details::fence(order);                                                                          \
    T before = __atomic_fetch_##name(where(), static_cast<T>(value), __ATOMIC_RELAXED);             \
    details::fence(order);                                                                          \
    return before;                                                                                  \
  }
  DRYWARP_FETCH(add)
  DRYWARP_FETCH(sub)
  DRYWARP_FETCH(and)
  DRYWARP_FETCH(or)
  DRYWARP_FETCH(xor)
  DRYWARP_FETCH(min)
  DRYWARP_FETCH(max)
#undef DRYWARP_FETCH
  __host__ __device__ T operator++() volatile { return fetch_add(1) + 1; }
  __host__ __device__ T operator++(int) volatile { return fetch_add(1); }
  __host__ __device__ T operator--() volatile { return fetch_sub(1) - 1; }
  __host__ __device__ T operator--(int) volatile { return fetch_sub(1); }
  __host__ __device__ T operator+=(T value) volatile { return fetch_add(value) + value; }
  __host__ __device__ T operator-=(T value) volatile { return fetch_sub(value) - value; }
  __host__ __device__ operator T() const volatile { return load(); }
  __host__ __device__ T operator=(T value) volatile {
    store(value);
    return value;
  }

 private:
  __host__ __device__ T* where() const volatile {
    return const_cast<const At*>(static_cast<const volatile At*>(this))->address();
  }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public atomic_operations<T, atomic<T, Scope>> {
 public:
  atomic() = default;
  __host__ __device__ constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  using atomic_operations<T, atomic<T, Scope>>::operator=;
  __host__ __device__ T* address() const { return const_cast<T*>(&value_); }

 private:
  alignas(sizeof(T)) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public atomic_operations<T, atomic_ref<T, Scope>> {
 public:
  __host__ __device__ explicit atomic_ref(T& value) : value_(&value) {}
  using atomic_operations<T, atomic_ref<T, Scope>>::operator=;
  __host__ __device__ T* address() const { return value_; }

 private:
  T* value_;
};

namespace std {
template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
}  // namespace std

}  // namespace cuda

#endif
