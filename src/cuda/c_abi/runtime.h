// The session of this process, and the wrapper of every C ABI function: it catches exceptions, stores the error for
// cudaGetLastError, and records the call.
#pragma once

#include <atomic>
#include <exception>
#include <new>
#include <string>

#include "builtin_types.h"
#include "cuda/session/session.h"
#include "drywarp/api/arrays.h"
#include "drywarp/api/device.h"
#include "drywarp/api/graphs.h"
#include "drywarp/api/launch.h"
#include "drywarp/api/memory.h"
#include "drywarp/api/streams.h"

namespace drywarp::cudart {

using cuda::Error;
using cuda::Session;

// Created on first use, which may be in a static constructor of the program; never destroyed.
Session& runtime();

// Prints a message for the user on stderr.
void say(const std::string& text);

// Returns NotSupported for a function that drywarp lacks, and prints `why` once a function: most programs print only
// "operation not supported". Not for calls that a GPU would refuse too.
[[nodiscard]] Error report_unsupported(const char* function, const char* why);

// After Ctrl-C, blocks the calling thread until the process ends; else returns at once.
void block_if_interrupted();

[[nodiscard]] inline cudaError_t code(Error error) { return static_cast<cudaError_t>(static_cast<int>(error)); }

// What a function needs before its body runs.
enum class Needs {
  Device,       // uses the device: fails with the sticky error if there is one
  Description,  // only queries the device
};

// The function that the program called, while it runs as another one: profiles name the call as the program does.
inline thread_local const char* called_as = nullptr;
class CalledAs {
 public:
  explicit CalledAs(const char* name) { called_as = before_ ? before_ : name; }
  ~CalledAs() { called_as = before_; }
  CalledAs(const CalledAs&) = delete;
  CalledAs& operator=(const CalledAs&) = delete;

 private:
  const char* before_ = called_as;
};

// Runs `body(session)`, which returns an Error.
template <Needs needs, class Body>
cudaError_t call(const char* name, Body&& body) noexcept {
  Error error = Error::Unknown;
  try {
    Session& session = runtime();
    {
      const auto hold = session.lock();
      const auto start = cuda::Clock::now();
      error = needs == Needs::Device ? session.ready() : session.start();
      if (error == Error::Success) error = body(session);
      // An earlier kernel may have failed meanwhile.
      if (needs == Needs::Device && error == Error::Success) error = session.errors().sticky();
      session.errors().note(error);
      if (session.is_up()) {
        if (cuda::CallChecks* checks = session.checks().calls()) checks->ended(called_as ? called_as : name, error);
        session.recorder().api(called_as ? called_as : name, start);
      }
    }
    block_if_interrupted();
  } catch (const std::bad_alloc&) {
    error = Error::MemoryAllocation;
  } catch (const std::exception& problem) {
    say(std::string("drywarp: ") + name + ": " + problem.what());
  } catch (...) {
  }
  return code(error);
}

// For functions that need no device: versions, registration, error texts.
template <class Body>
cudaError_t query(const char* name, Body&& body) noexcept {
  Error error = Error::Unknown;
  try {
    Session& session = runtime();
    const auto hold = session.lock();
    error = body(session);
    session.errors().note(error);
  } catch (const std::bad_alloc&) {
    error = Error::MemoryAllocation;
  } catch (const std::exception& problem) {
    say(std::string("drywarp: ") + name + ": " + problem.what());
  } catch (...) {
  }
  return code(error);
}

// The body of a function: DW_CALL({ ... }). It can use `session`.
#define DW_BODY [&]([[maybe_unused]] Session & session) -> Error
#define DW_CALL(...) return ::drywarp::cudart::call<::drywarp::cudart::Needs::Device>(__func__, DW_BODY __VA_ARGS__)
#define DW_DESCRIBE(...) \
  return ::drywarp::cudart::call<::drywarp::cudart::Needs::Description>(__func__, DW_BODY __VA_ARGS__)
#define DW_QUERY(...) return ::drywarp::cudart::query(__func__, DW_BODY __VA_ARGS__)
// The body of a function that is another one with these arguments: DW_ALIAS(cudaMemset2DAsync(...)).
#define DW_ALIAS(...)                                \
  const ::drywarp::cudart::CalledAs dw_as(__func__); \
  return __VA_ARGS__
// In a function that programs call by another symbol (DW_VERSIONS): reports have that name. `symbol` is not expanded.
#define DW_NAMED(symbol) const ::drywarp::cudart::CalledAs dw_as(#symbol)
// Returns the error if there is one.
#define DW_TRY(...) \
  if (const Error dw_error = (__VA_ARGS__); dw_error != Error::Success) return dw_error

inline uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
template <class T = void>
T* pointer(uint64_t address) {
  return reinterpret_cast<T*>(address);
}

// Set while a per-thread variant of a function runs: a null stream means the thread's default stream.
inline thread_local bool null_is_per_thread = false;
[[nodiscard]] inline uint64_t stream_address(cudaStream_t handle) {
  return address(!handle && null_is_per_thread ? cudaStreamPerThread : handle);
}

// The major version of CUDA for which the program was built that registered its code last: errors differ.
inline std::atomic<int> built_for{13};

// The stream of a handle, or InvalidResourceHandle through DW_STREAM.
#define DW_STREAM(variable, handle)                                      \
  ::drywarp::cuda::Stream* const variable##_or_null =                    \
      session.streams().find(::drywarp::cudart::stream_address(handle)); \
  if (!variable##_or_null) return Error::InvalidResourceHandle;          \
  ::drywarp::cuda::Stream& variable = *variable##_or_null

}  // namespace drywarp::cudart

// Binds implementations to the symbol versions of CUDA 13, 12 and 11. A program gets the version that it was linked
// with; a program built with drywarp's headers gets the newest. `symbol` is not expanded, because a header may define
// it as a macro.
#define DW_VERSIONS(symbol, thirteen, twelve, eleven)               \
  __asm__(".symver " #thirteen ", " #symbol "@@libcudart.so.13\n"); \
  __asm__(".symver " #twelve ", " #symbol "@libcudart.so.12\n");    \
  __asm__(".symver " #eleven ", " #symbol "@libcudart.so.11.0\n")
