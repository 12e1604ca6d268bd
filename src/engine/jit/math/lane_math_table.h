// Tables of lane functions: lane_entry() turns a lambda for one lane into a loop over lanes, and records its signature.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/jit/math/lane_helpers.h"
#include "engine/jit/math/lane_math.h"
#include "engine/jit/math/lane_math_rounding.h"

namespace drywarp::jit {

struct LaneEntry {
  std::string_view name;
  LaneFunction function;
  MathSignature signature;
};

namespace lane_detail {

// Non-const pointers are results. All other parameters are values, const pointers too.
template <class T>
inline constexpr bool is_out = std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>>;

template <class F>
struct Loop : Loop<decltype(&F::operator())> {};

template <class F, class R, class... A>
struct Loop<R (F::*)(A...) const> {
  static constexpr size_t result_bytes = [] {
    if constexpr (std::is_void_v<R>)
      return size_t{0};
    else
      return sizeof(R);
  }();

  // Pointer results are all of one type.
  static constexpr size_t values = ((is_out<A> ? 0 : 1) + ... + 0);

  template <size_t I, class T>
  static auto* place(char* result, const char* const* arrays, uint32_t lanes, uint32_t lane) {
    if constexpr (is_out<T>) {
      using Element = std::remove_pointer_t<T>;
      return reinterpret_cast<Element*>(result + result_bytes * lanes + (I - values) * sizeof(Element) * lanes) + lane;
    } else {
      return (I < 3 ? arrays[I] : arrays[2] + sizeof(T) * lanes) + sizeof(T) * lane;
    }
  }
  template <size_t I, class T>
  static T argument(char* result, const char* const* arrays, uint32_t lanes, uint32_t lane) {
    const auto at = place<I, T>(result, arrays, lanes, lane);
    if constexpr (is_out<T>) {
      return at;
    } else {
      T value;
      std::memcpy(&value, at, sizeof(T));
      return value;
    }
  }
  // Whether a lane has the arguments of the one before.
  template <size_t I, class T>
  static bool repeated(char* result, const char* const* arrays, uint32_t lanes, uint32_t lane) {
    if constexpr (is_out<T>) return true;
    const auto *now = place<I, T>(result, arrays, lanes, lane), *before = place<I, T>(result, arrays, lanes, lane - 1);
    return std::memcmp(now, before, sizeof(T)) == 0;
  }
  template <size_t I, class T>
  static void repeat_result(char* result, const char* const* arrays, uint32_t lanes, uint32_t lane) {
    if constexpr (is_out<T>) *place<I, T>(result, arrays, lanes, lane) = *place<I, T>(result, arrays, lanes, lane - 1);
  }

  template <bool once, size_t... I>
  static void loop(std::index_sequence<I...>, char* result, const char* const* arrays, uint32_t lanes) {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if constexpr (once) {
        if (lane != 0 && (repeated<I, A>(result, arrays, lanes, lane) && ...)) {
          std::memcpy(result + result_bytes * lane, result + result_bytes * (lane - 1), result_bytes);
          (repeat_result<I, A>(result, arrays, lanes, lane), ...);
          continue;
        }
      }
      if constexpr (std::is_void_v<R>) {
        F{}(argument<I, A>(result, arrays, lanes, lane)...);
      } else {
        R value = F{}(argument<I, A>(result, arrays, lanes, lane)...);
        std::memcpy(result + sizeof(R) * lane, &value, sizeof(R));
      }
    }
  }

  // `once`: of lanes in a row with the same arguments, as inactive ones have them, the first alone is computed.
  template <bool once>
  static void run(void* result, const void* a, const void* b, const void* c, uint32_t lanes) {
    const char* arrays[3] = {static_cast<const char*>(a), static_cast<const char*>(b), static_cast<const char*>(c)};
    loop<once>(std::index_sequence_for<A...>{}, static_cast<char*>(result), arrays, lanes);
  }

  static constexpr MathSignature signature() {
    MathSignature s;
    s.result_bytes = static_cast<uint8_t>(result_bytes);
    size_t values = 0, pointers = 0;
    auto add = [&]<class T>(std::type_identity<T>) {
      if constexpr (is_out<T>)
        s.pointer_bytes[pointers++] = sizeof(std::remove_pointer_t<T>);
      else
        s.argument_bytes[values++] = sizeof(T);
      if constexpr (std::is_same_v<T, const float*> || std::is_same_v<T, const double*>) s.reads_memory = true;
    };
    (add(std::type_identity<A>{}), ...);
    return s;
  }
};

}  // namespace lane_detail

template <class F>
constexpr LaneEntry lane_entry(std::string_view name, F) {
  using Loop = lane_detail::Loop<F>;
  return {name, &Loop::template run<false>, Loop::signature()};
}
// The same for functions that take long.
template <class F>
constexpr LaneEntry long_lane_entry(std::string_view name, F) {
  using Loop = lane_detail::Loop<F>;
  return {name, &Loop::template run<true>, Loop::signature()};
}

// The same, with the processor's rounding mode set for the loop.
template <Towards mode, class F>
constexpr LaneEntry directed_entry(std::string_view name, F) {
  using Loop = lane_detail::Loop<F>;
  return {name,
          [](void* result, const void* a, const void* b, const void* c, uint32_t lanes) {
            const ProcessorRounding rounding(mode);
            Loop::template run<false>(result, a, b, c, lanes);
          },
          Loop::signature()};
}

// `body` takes and gives what callers of `helper` expect.
template <class R, class... A, class F>
constexpr LaneEntry lane_entry(LaneHelper<R(A...)> helper, F body) {
  static_assert(std::is_same_v<decltype(&F::operator()), R (F::*)(A...) const>);
  return lane_entry(std::string_view(helper.name), body);
}

template <Towards mode, class R, class... A, class F>
constexpr LaneEntry directed_entry(LaneHelper<R(A...)> helper, F body) {
  static_assert(std::is_same_v<decltype(&F::operator()), R (F::*)(A...) const>);
  return directed_entry<mode>(std::string_view(helper.name), body);
}

// Each file has one table.
std::span<const LaneEntry> ieee_lane_functions();     // lane_math.cpp: dw_*
std::span<const LaneEntry> rounded_lane_functions();  // lane_math_rounded.cpp: __nv_fadd_rz, conversions ...
std::span<const LaneEntry> integer_lane_functions();  // lane_math_integer.cpp
std::span<const LaneEntry> float_lane_functions();    // lane_math_float.cpp: single precision
std::span<const LaneEntry> double_lane_functions();   // lane_math_double.cpp

}  // namespace drywarp::jit
