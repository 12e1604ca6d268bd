// The one session of this process, and the frame that every entry of the C ABI runs in: no exception leaves it, every
// error is remembered for cudaGetLastError, every call is recorded.
#pragma once

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

// Made on first use, also from the constructors of the program's objects; never destroyed.
Session& runtime();

// A sentence for the person at the terminal, on stderr.
void say(const std::string& text);

// NotSupported, for what this library has no answer for: `why` is said once a function, for a program often tells no
// more than "operation not supported". Not for what a GPU would refuse as well.
[[nodiscard]] Error not_here(const char* function, const char* why);

// After Ctrl-C the calling thread stays here until the process is gone; else returns at once.
void stay_if_interrupted();

[[nodiscard]] inline cudaError_t code(Error error) { return static_cast<cudaError_t>(static_cast<int>(error)); }

// What an entry needs before its body runs.
enum class Needs {
  Device,       // works with the device: fails with the sticky error once there is one
  Description,  // only asks what the device is
};

// Runs `body(session)`, which gives an Error.
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
      // A kernel of before may have failed meanwhile.
      if (needs == Needs::Device && error == Error::Success) error = session.errors().sticky();
      session.errors().note(error);
      if (session.is_up()) session.recorder().api(name, start);
    }
    stay_if_interrupted();
  } catch (const std::bad_alloc&) {
    error = Error::MemoryAllocation;
  } catch (const std::exception& problem) {
    say(std::string("drywarp: ") + name + ": " + problem.what());
  } catch (...) {
  }
  return code(error);
}

// For what needs no device: versions, registration, error texts.
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

// DW_CALL({ ... }) with `session` at hand: the body of an entry.
#define DW_BODY [&]([[maybe_unused]] Session & session) -> Error
#define DW_CALL(...) return ::drywarp::cudart::call<::drywarp::cudart::Needs::Device>(__func__, DW_BODY __VA_ARGS__)
#define DW_DESCRIBE(...) \
  return ::drywarp::cudart::call<::drywarp::cudart::Needs::Description>(__func__, DW_BODY __VA_ARGS__)
#define DW_QUERY(...) return ::drywarp::cudart::query(__func__, DW_BODY __VA_ARGS__)
// Gives up with the error if there is one.
#define DW_TRY(...) \
  if (const Error dw_error = (__VA_ARGS__); dw_error != Error::Success) return dw_error

inline uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
template <class T = void>
T* pointer(uint64_t address) {
  return reinterpret_cast<T*>(address);
}

// While a call made under its per-thread name runs: a null stream is the thread's own.
inline thread_local bool null_is_per_thread = false;
[[nodiscard]] inline uint64_t stream_address(cudaStream_t handle) {
  return address(!handle && null_is_per_thread ? cudaStreamPerThread : handle);
}

// The stream of a handle, or InvalidResourceHandle through DW_STREAM.
#define DW_STREAM(variable, handle)                                      \
  ::drywarp::cuda::Stream* const variable##_or_null =                    \
      session.streams().find(::drywarp::cudart::stream_address(handle)); \
  if (!variable##_or_null) return Error::InvalidResourceHandle;          \
  ::drywarp::cuda::Stream& variable = *variable##_or_null

}  // namespace drywarp::cudart
