// cuda::atomic<T, scope> and cuda::atomic_ref<T, scope>: on the device, loads, stores and atomics in their order and
// scope; on the host, the compiler's atomics.
#ifndef DRYWARP_CONCURRENCY_ATOMIC_H
#define DRYWARP_CONCURRENCY_ATOMIC_H
#pragma GCC system_header

#include <atomic>
#include <type_traits>

#include "drywarp/concurrency/scopes.h"
#if defined(__CUDA_ARCH__)
#include "drywarp/device/scoped_values.h"
#endif

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
// A scope's number in scoped_operations.h.
constexpr __host__ __device__ int scope_number(thread_scope scope) {
  return scope == thread_scope_system   ? 4
         : scope == thread_scope_device ? 3
         : scope == thread_scope_block  ? 1
                                        : 0;
}
// Acquire and release together are more than each.
constexpr __host__ __device__ memory_order stronger(memory_order success, memory_order failure) {
  return success == memory_order_release && failure == memory_order_acquire ? memory_order_acq_rel
         : static_cast<int>(success) > static_cast<int>(failure)            ? success
                                                                            : failure;
}
// Of the host's orders, the strongest does for all.
__host__ inline void fence(memory_order order) {
  if (order != memory_order_relaxed) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
}  // namespace details

__host__ __device__ inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
#if defined(__CUDA_ARCH__)
  __drywarp_fence(static_cast<int>(order), details::scope_number(scope));
#else
  details::fence(order);
#endif
}

// The common part of atomic and atomic_ref; At locates the value. On the device, each is the instructions that nvcc
// makes of it, in its scope.
#if defined(__CUDA_ARCH__)
#define DRYWARP_SCOPED(order) static_cast<int>(order), details::scope_number(Scope)
#endif
template <class T, thread_scope Scope, class At>
class atomic_operations {
 public:
  __host__ __device__ T load(memory_order order = memory_order_seq_cst) const volatile {
#if defined(__CUDA_ARCH__)
    return __drywarp_atomic_load(where(), DRYWARP_SCOPED(order));
#else
    T result;
    __atomic_load(const_cast<T*>(where()), &result, __ATOMIC_RELAXED);
    details::fence(order);
    return result;
#endif
  }
  __host__ __device__ void store(T value, memory_order order = memory_order_seq_cst) volatile {
#if defined(__CUDA_ARCH__)
    // libcu++ has no store of a byte.
    if (sizeof(T) == 1)
      exchange(value, order);
    else
      __drywarp_atomic_store(where(), value, DRYWARP_SCOPED(order));
#else
    details::fence(order);
    __atomic_store(where(), &value, __ATOMIC_RELAXED);
#endif
  }
  __host__ __device__ T exchange(T value, memory_order order = memory_order_seq_cst) volatile {
#if defined(__CUDA_ARCH__)
    return __drywarp_atomic_exchange(where(), value, DRYWARP_SCOPED(order));
#else
    T result;
    details::fence(order);
    __atomic_exchange(where(), &value, &result, __ATOMIC_RELAXED);
    details::fence(order);
    return result;
#endif
  }
  // One order: the stronger one of success and failure.
  __host__ __device__ bool compare_exchange_strong(T& expected, T value,
                                                   memory_order order = memory_order_seq_cst) volatile {
#if defined(__CUDA_ARCH__)
    return __drywarp_atomic_compare_exchange(where(), &expected, value, DRYWARP_SCOPED(order));
#else
    details::fence(order);
    const bool done = __atomic_compare_exchange(where(), &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    details::fence(order);
    return done;
#endif
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T value, memory_order success,
                                                   memory_order failure) volatile {
    return compare_exchange_strong(expected, value, details::stronger(success, failure));
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T value,
                                                 memory_order order = memory_order_seq_cst) volatile {
    return compare_exchange_strong(expected, value, order);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T value, memory_order success,
                                                 memory_order failure) volatile {
    return compare_exchange_strong(expected, value, success, failure);
  }
#if defined(__CUDA_ARCH__)
#define DRYWARP_FETCH(name)                                                                         \
  template <class Value>                                                                            \
  __host__ __device__ T fetch_##name(const Value& value, memory_order order = memory_order_seq_cst) volatile { \
    return __drywarp_atomic_fetch_##name(where(), static_cast<T>(value), DRYWARP_SCOPED(order));    \
  }
#else
#define DRYWARP_FETCH(name)                                                                         \
  template <class Value>                                                                                \
  __host__ __device__ T fetch_##name(const Value& value, memory_order order = memory_order_seq_cst) volatile { \
    details::fence(order);                                                                          \
    T before = __atomic_fetch_##name(where(), static_cast<T>(value), __ATOMIC_RELAXED);             \
    details::fence(order);                                                                          \
    return before;                                                                                  \
  }
#endif
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

namespace details {
// As libcu++, an atomic of less than a word is a word, and has a word's instructions.
template <class T, thread_scope Scope>
class atomic_word : public atomic_operations<T, Scope, atomic_word<T, Scope>> {
 public:
  atomic_word() = default;
  __host__ __device__ constexpr explicit atomic_word(T value) : value_(value) {}
  __host__ __device__ T* address() const { return const_cast<T*>(&value_); }

 private:
  alignas(sizeof(T)) T value_;
};

template <class T, bool Converts = ::std::is_arithmetic<T>::value || ::std::is_enum<T>::value>
struct word_of {
  using type = typename ::std::conditional<::std::is_signed<T>::value, int, unsigned>::type;
  __host__ __device__ static constexpr type to(T value) { return static_cast<type>(value); }
  __host__ __device__ static constexpr T from(type word) { return static_cast<T>(word); }
};
template <class T>
struct word_of<T, false> {
  using type = unsigned;
  __host__ __device__ static type to(T value) {
    type word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    return word;
  }
  __host__ __device__ static T from(type word) {
    T value;
    __builtin_memcpy(&value, &word, sizeof(T));
    return value;
  }
};

template <class T, thread_scope Scope>
class small_atomic {
  using Word = word_of<T>;
  using Whole = typename Word::type;

 public:
  small_atomic() = default;
  __host__ __device__ constexpr explicit small_atomic(T value) : word_(Word::to(value)) {}
  __host__ __device__ T load(memory_order order = memory_order_seq_cst) const volatile {
    return Word::from(word_.load(order));
  }
  __host__ __device__ void store(T value, memory_order order = memory_order_seq_cst) volatile {
    word_.store(Word::to(value), order);
  }
  __host__ __device__ T exchange(T value, memory_order order = memory_order_seq_cst) volatile {
    return Word::from(word_.exchange(Word::to(value), order));
  }
  // Sums leave other bits in the rest of the word: of a word that holds the value, it is the word that is compared.
  __host__ __device__ bool compare_exchange_strong(T& expected, T value,
                                                   memory_order order = memory_order_seq_cst) volatile {
    Whole seen = Word::to(expected);
    while (!word_.compare_exchange_strong(seen, Word::to(value), order)) {
      const T found = Word::from(seen);
      if (Word::to(found) == Word::to(expected)) continue;
      expected = found;
      return false;
    }
    return true;
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T value, memory_order success,
                                                   memory_order failure) volatile {
    return compare_exchange_strong(expected, value, stronger(success, failure));
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T value,
                                                 memory_order order = memory_order_seq_cst) volatile {
    return compare_exchange_strong(expected, value, order);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T value, memory_order success,
                                                 memory_order failure) volatile {
    return compare_exchange_strong(expected, value, success, failure);
  }
#define DRYWARP_FETCH(name)                                                                                   \
  template <class Value>                                                                                      \
  __host__ __device__ T fetch_##name(const Value& value, memory_order order = memory_order_seq_cst) volatile {       \
    return Word::from(word_.fetch_##name(Word::to(static_cast<T>(value)), order));                            \
  }
  DRYWARP_FETCH(add)
  DRYWARP_FETCH(sub)
  DRYWARP_FETCH(and)
  DRYWARP_FETCH(or)
  DRYWARP_FETCH(xor)
  DRYWARP_FETCH(min)
  DRYWARP_FETCH(max)
#undef DRYWARP_FETCH
  __host__ __device__ T operator++() volatile { return static_cast<T>(fetch_add(1) + 1); }
  __host__ __device__ T operator++(int) volatile { return fetch_add(1); }
  __host__ __device__ T operator--() volatile { return static_cast<T>(fetch_sub(1) - 1); }
  __host__ __device__ T operator--(int) volatile { return fetch_sub(1); }
  __host__ __device__ T operator+=(T value) volatile { return static_cast<T>(fetch_add(value) + value); }
  __host__ __device__ T operator-=(T value) volatile { return static_cast<T>(fetch_sub(value) - value); }
  __host__ __device__ operator T() const volatile { return load(); }

 private:
  atomic_word<Whole, Scope> word_;
};

template <class T, thread_scope Scope>
using atomic_base = typename ::std::conditional<(sizeof(T) < 4), small_atomic<T, Scope>, atomic_word<T, Scope>>::type;
}  // namespace details

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public details::atomic_base<T, Scope> {
 public:
  atomic() = default;
  __host__ __device__ constexpr atomic(T value) : details::atomic_base<T, Scope>(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  __host__ __device__ T operator=(T value) {
    this->store(value);
    return value;
  }
  __host__ __device__ T operator=(T value) volatile {
    this->store(value);
    return value;
  }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public atomic_operations<T, Scope, atomic_ref<T, Scope>> {
 public:
  __host__ __device__ explicit atomic_ref(T& value) : value_(&value) {}
  using atomic_operations<T, Scope, atomic_ref<T, Scope>>::operator=;
  __host__ __device__ T* address() const { return value_; }

 private:
  T* value_;
};

#if defined(__CUDA_ARCH__)
#undef DRYWARP_SCOPED
#endif

namespace std {
template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
}  // namespace std

}  // namespace cuda

#endif
