// Which registers cannot share a place: a symmetric matrix of bits. Unrolled kernels have thousands of registers that
// are all live at once, for which lists of neighbours cost more than the matrix.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace drywarp::sass {

class Interference {
 public:
  using Set = std::vector<uint64_t>;  // of nodes

  explicit Interference(size_t nodes = 0) : words_((nodes + kBits - 1) / kBits), bits_(nodes * words_) {}

  [[nodiscard]] Set none() const { return Set(words_); }
  static void insert(Set& s, uint32_t node) { s[node / kBits] |= uint64_t{1} << node % kBits; }
  static void remove(Set& s, uint32_t node) { s[node / kBits] &= ~(uint64_t{1} << node % kBits); }

  // In the row of `a` alone, until mirror().
  void add(uint32_t a, const Set& others) {
    for (size_t w = 0; w < words_; ++w) bits_[a * words_ + w] |= others[w];
    clear(a, a);
  }
  void mirror() {
    for (uint32_t a = 0; a * words_ < bits_.size(); ++a) for_each_neighbour(a, [&](uint32_t b) { set(b, a); });
  }
  [[nodiscard]] bool has(uint32_t a, uint32_t b) const { return (row(a)[b / kBits] >> b % kBits & 1) != 0; }
  [[nodiscard]] size_t degree(uint32_t a) const {
    size_t count = 0;
    for (size_t w = 0; w < words_; ++w) count += static_cast<size_t>(std::popcount(row(a)[w]));
    return count;
  }
  template <class Function>
  void for_each_neighbour(uint32_t a, Function f) const {
    for (size_t w = 0; w < words_; ++w) for_each_bit(row(a)[w], w, f);
  }
  // Of those in the set.
  template <class Function>
  void for_each_neighbour(uint32_t a, const Set& among, Function f) const {
    for (size_t w = 0; w < words_; ++w) for_each_bit(row(a)[w] & among[w], w, f);
  }
  // The neighbours of `b` become those of `a`; `b` has none then.
  void merge(uint32_t a, uint32_t b) {
    for_each_neighbour(b, [&](uint32_t n) { clear(n, b), set(n, a); });
    for (size_t w = 0; w < words_; ++w) bits_[a * words_ + w] |= row(b)[w], bits_[b * words_ + w] = 0;
  }

 private:
  static constexpr size_t kBits = 64;
  template <class Function>
  static void for_each_bit(uint64_t bits, size_t word, Function f) {
    for (; bits != 0; bits &= bits - 1)
      f(static_cast<uint32_t>(word * kBits + static_cast<size_t>(std::countr_zero(bits))));
  }
  [[nodiscard]] const uint64_t* row(uint32_t a) const { return bits_.data() + a * words_; }
  void set(uint32_t a, uint32_t b) { bits_[a * words_ + b / kBits] |= uint64_t{1} << b % kBits; }
  void clear(uint32_t a, uint32_t b) { bits_[a * words_ + b / kBits] &= ~(uint64_t{1} << b % kBits); }

  size_t words_;  // of a row
  std::vector<uint64_t> bits_;
};

}  // namespace drywarp::sass
