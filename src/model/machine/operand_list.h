// The operands of an instruction: as many as it has, by position.
//
// Most instructions have few, and lowering copies instructions often, so the first `kInline` need no allocation. Any
// position can be read: where the instruction has no operand, that is `kAbsent`. An operand may be absent before others
// (a store to an absolute address has no base), but the last one is not.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace drywarp::machine {

template <class T, T kAbsent, size_t kInline>
class OperandList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  OperandList() = default;
  OperandList(std::initializer_list<T> operands) {
    size_t i = 0;
    for (const T& operand : operands) set(i++, operand);
  }
  OperandList(const OperandList& other) : near_(other.near_), size_(other.size_), room_(other.room_) {
    if (other.far_) copy_far(other);
  }
  OperandList(OperandList&& other) noexcept
      : near_(other.near_), far_(std::move(other.far_)), size_(other.size_), room_(other.room_) {
    other.forget();
  }
  OperandList& operator=(const OperandList& other) {
    if (this == &other) return *this;
    near_ = other.near_, size_ = other.size_, room_ = other.room_;
    far_.reset();
    if (other.far_) copy_far(other);
    return *this;
  }
  OperandList& operator=(OperandList&& other) noexcept {
    if (this == &other) return *this;
    near_ = other.near_, far_ = std::move(other.far_), size_ = other.size_, room_ = other.room_;
    other.forget();
    return *this;
  }
  ~OperandList() = default;

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Only an operand that the instruction has can be changed in place; set() adds others.
  [[nodiscard]] const T& operator[](size_t i) const { return i < size_ ? data()[i] : kNothing; }
  [[nodiscard]] T& at(size_t i) { return data()[i]; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }

  void set(size_t i, T operand) {
    if (i >= size_) {
      if (operand == kAbsent) return;
      grow(i + 1);
    }
    data()[i] = operand;
    while (size_ > 0 && data()[size_ - 1] == kAbsent) --size_;
  }
  void push_back(T operand) { set(size_, operand); }
  void clear() { size_ = 0; }

  friend bool operator==(const OperandList& a, const OperandList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr T kNothing = kAbsent;

  [[nodiscard]] T* data() { return far_ ? far_.get() : near_.data(); }
  [[nodiscard]] const T* data() const { return far_ ? far_.get() : near_.data(); }
  void copy_far(const OperandList& other) {
    far_ = std::make_unique<T[]>(room_);
    std::copy(other.begin(), other.end(), far_.get());
  }
  void forget() { size_ = 0, room_ = kInline; }
  void grow(size_t size) {
    if (size > room_) {
      const size_t room = std::max(size, size_t{2} * room_);
      auto more = std::make_unique<T[]>(room);
      std::copy(begin(), end(), more.get());
      far_ = std::move(more);
      room_ = static_cast<uint32_t>(room);
    }
    std::fill(data() + size_, data() + size, kAbsent);
    size_ = static_cast<uint32_t>(size);
  }

  std::array<T, kInline> near_{};
  std::unique_ptr<T[]> far_;  // all of them, if they are more than kInline
  uint32_t size_ = 0, room_ = kInline;
};

}  // namespace drywarp::machine
