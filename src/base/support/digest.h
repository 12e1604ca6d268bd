// 128-bit digests of texts, files and plain values: keys of the caches. Fast, not cryptographic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace drywarp {

class Digester {
 public:
  // A part's length counts too: ("ab", "c") differs from ("a", "bc").
  Digester& add(std::string_view part);
  // Values without padding bytes.
  template <class T, class Allocator>
    requires std::has_unique_object_representations_v<T>
  Digester& add(const std::vector<T, Allocator>& values) {
    return add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }
  [[nodiscard]] std::string hex() const;  // 32 digits

 private:
  uint64_t first_ = 0x9E3779B97F4A7C15ull, second_ = 0xD1B54A32D192ED03ull;
};

// Of a file's content; nullopt if it cannot be read.
std::optional<std::string> digest_file(const std::string& path);

}  // namespace drywarp
