// How records are encoded: numbers in base 128 (most take one byte), strings with a length prefix. Encoding and
// decoding share one list of fields for each struct, so that they cannot disagree: a function of a coder, which either
// writes the fields or reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/support/result.h"

namespace drywarp::coding {

class Encoder {
 public:
  static constexpr bool reads = false;
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
  }
  void text(const std::string& s) {
    number(s.size());
    bytes += s;
  }
  std::string bytes;
};

class Decoder {
 public:
  static constexpr bool reads = true;
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (rest_.empty()) return fail();
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t(byte & 0x7f) << (shift & 63);
      if (byte < 0x80) return value;
    }
    return fail();
  }
  std::string text() {
    const uint64_t size = number();
    if (size > rest_.size()) return fail(), std::string();
    std::string s(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return s;
  }
  // A count of elements of at least one byte each: a damaged count must not allocate all memory.
  size_t count() {
    const uint64_t n = number();
    return n > rest_.size() ? fail() : n;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] Status status() const {
    if (failed_ || !rest_.empty()) return error("a record is damaged");
    return {};
  }

 private:
  uint64_t fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
  bool failed_ = false;
};

template <class Coder, class T>
void field(Coder& coder, T& value) {
  if constexpr (std::is_same_v<std::remove_const_t<T>, std::string>) {
    if constexpr (Coder::reads)
      value = coder.text();
    else
      coder.text(value);
  } else {
    if constexpr (Coder::reads)
      value = static_cast<T>(coder.number());
    else
      coder.number(static_cast<uint64_t>(value));
  }
}

// `each`: gets the coder and an element.
template <class Coder, class T, class Each>
void list(Coder& coder, T& items, Each each) {
  if constexpr (Coder::reads) {
    items.clear();  // a damaged count must not allocate more than the elements that are there
    for (size_t n = coder.count(); n > 0 && !coder.failed(); --n) each(coder, items.emplace_back());
  } else {
    coder.number(items.size());
    for (auto& item : items) each(coder, item);
  }
}

inline constexpr auto all = [](auto& coder, auto&... fields) { (field(coder, fields), ...); };

// A value that may be absent.
template <class Coder, class T>
void optional(Coder& coder, T& value) {
  bool there = value.has_value();
  field(coder, there);
  if constexpr (Coder::reads) value = {};
  if (!there) return;
  if constexpr (Coder::reads) value.emplace();
  field(coder, *value);
}

}  // namespace drywarp::coding
