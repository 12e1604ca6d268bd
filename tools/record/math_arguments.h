// The arguments that mathematical functions are recorded and tested with: special values, neighbours of integers and of
// multiples of pi/2, every exponent, usual ranges, random bits. The seed is fixed, so only results are recorded.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

class Arguments {
 public:
  template <typename T>
  using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;

  // splitmix64
  static uint64_t random(uint64_t& state) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // The argument lists of a function of `arity` arguments of type T.
  template <typename T>
  static std::vector<std::vector<T>> lists(int arity) {
    std::vector<std::vector<T>> result(arity);
    uint64_t state = 1000 * sizeof(T) + arity;
    if (arity == 1)
      unary(result[0], state);
    else
      tuples(result, state);
    return result;
  }

  // Integer arguments for a list of `count` floats: exponents for ldexp, orders (the low bits) for jn.
  static std::vector<int> integers(size_t count) {
    uint64_t state = 7;
    std::vector<int> result;
    for (size_t i = 0; i < count; ++i) {
      const int64_t r = static_cast<int64_t>(random(state) >> 1);
      result.push_back(static_cast<int>(i % 16 == 0 ? r % 4000000001 - 2000000000 : i % 2 ? r % 601 - 300 : r % 41 - 20));
    }
    return result;
  }

 private:
  template <typename T>
  static T of_bits(uint64_t bits) {
    const BitsOf<T> narrow = static_cast<BitsOf<T>>(bits);
    T value;
    std::memcpy(&value, &narrow, sizeof value);
    return value;
  }
  template <typename T>
  static T narrowed(double value) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return static_cast<T>(value);
    else return T(static_cast<float>(value));
  }
  template <typename T>
  static constexpr int mantissa_bits = sizeof(T) == 8 ? 52 : 23;

  // low + (high - low) * r / 2^30, which doubles hold exactly.
  template <typename T>
  static T between(double low, double high, uint64_t& state) {
    const double at = static_cast<double>(random(state) >> 34) / 1073741824.0;
    const double span = (high - low) * at;
    return narrowed<T>(low + span);
  }

  template <typename T>
  static std::vector<T> specials() {
    const int m = mantissa_bits<T>;
    const uint64_t one = (sizeof(T) == 8 ? 0x3ffull : 0x7full) << m, infinity = (sizeof(T) == 8 ? 0x7ffull : 0xffull) << m;
    const uint64_t unit = 1ull << m, sign = 1ull << (8 * sizeof(T) - 1);
    std::vector<T> result;
    const uint64_t patterns[] = {0,           1,          unit / 3,          unit - 1,
                                 unit,        unit + 1,   one - 1,           one,
                                 one + 1,     one + unit, one + unit / 2,    one - unit,
                                 infinity - 1, infinity,  infinity + unit / 2, one + (m + 1) * unit,
                                 one + (m - 1) * unit + 1};
    for (uint64_t bits : patterns)
      for (uint64_t s : {uint64_t{0}, sign}) result.push_back(of_bits<T>(bits | s));
    return result;
  }

  template <typename T>
  static void unary(std::vector<T>& to, uint64_t& state) {
    if constexpr (sizeof(T) == 2) {
      for (uint32_t bits = 0; bits < 0x10000; bits += 23) to.push_back(of_bits<T>(bits));
      for (uint32_t bits : {0x8000u, 0x3c00u, 0xbc00u, 0x3f80u, 0xbf80u, 0x7c00u, 0xfc00u, 0x7f80u, 0xff80u, 0x7fffu, 1u, 0x8001u})
        to.push_back(of_bits<T>(bits));
    } else {
      const bool full = sizeof(T) == 4;
      to = specials<T>();
      auto around = [&](double x) {
        const T nearest = narrowed<T>(x);
        BitsOf<T> bits;
        std::memcpy(&bits, &nearest, sizeof bits);
        for (int step : {-1, 0, 1}) to.push_back(of_bits<T>(bits + step));
      };
      const double half_pi = 1.5707963267948966;
      for (int n = 1; n <= (full ? 48 : 12); ++n) around(n * 0.5), around(n * -0.5);
      for (int n = 1; n <= (full ? 16 : 4); ++n) around(n * half_pi), around(n * -half_pi);
      for (double n : {100., 12345., 67233., 71476., 1e6, 1e9, 1e15}) around(n * half_pi), around(n * -half_pi);
      // One number in each binade, with both signs; for double, a sample of the binades.
      const uint64_t exponents = full ? 255 : 2047;
      for (uint64_t e = 0; e < exponents; e += full ? 1 : 23)
        for (uint64_t s : {uint64_t{0}, uint64_t{1}})
          to.push_back(of_bits<T>(s << (8 * sizeof(T) - 1) | e << mantissa_bits<T> | random(state) >> (64 - mantissa_bits<T>)));
      const int some = full ? 224 : 48;
      for (int i = 0; i < some; ++i) {
        to.push_back(between<T>(-1, 1, state));
        to.push_back(between<T>(-8, 8, state));
        to.push_back(between<T>(-104, 104, state));
        to.push_back(between<T>(0.5, 1.5, state));
        to.push_back(of_bits<T>(random(state)));
      }
    }
  }

  template <typename T>
  static void tuples(std::vector<std::vector<T>>& to, uint64_t& state) {
    const size_t arity = to.size();
    if constexpr (sizeof(T) == 2) {
      for (int i = 0; i < 1500; ++i)
        for (auto& list : to) {
          const uint64_t bits = random(state);
          // Every other tuple is near one, so that sums do not all round to the larger operand.
          list.push_back(i % 2 ? of_bits<T>(bits) : between<T>(-4, 4, state));
        }
      return;
    } else {
      const std::vector<T> special = specials<T>();
      const size_t squares = arity == 2 && sizeof(T) == 4 ? special.size() * special.size() : 300;
      for (size_t i = 0; i < squares; ++i) {
        const bool all = arity == 2 && sizeof(T) == 4;
        for (size_t k = 0; k < arity; ++k)
          to[k].push_back(special[all ? (k == 0 ? i / special.size() : i % special.size()) : random(state) % special.size()]);
      }
      const int some = sizeof(T) == 4 && arity == 2 ? 200 : 60;
      for (int i = 0; i < some; ++i)
        for (size_t k = 0; k < arity; ++k) {
          to[k].push_back(k == 0 ? between<T>(0, 16, state) : between<T>(-8, 8, state));
          to[k].push_back(between<T>(-100, 100, state));
          to[k].push_back(of_bits<T>(random(state)));
          to[k].push_back(k == 0 ? between<T>(0.998046875, 1.001953125, state) : between<T>(-16384, 16384, state));
        }
      // Neighbours of the first argument: cancelling sums, ratios near one.
      for (int i = 0; i < some; ++i) {
        const uint64_t bits = random(state);
        for (size_t k = 0; k < arity; ++k) to[k].push_back(of_bits<T>((bits + k * (random(state) % 5)) ^ (k == 1 && i % 2 ? 1ull << (8 * sizeof(T) - 1) : 0)));
      }
    }
  }
};
