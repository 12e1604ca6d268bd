// 128-bit digests of texts and files: what the build cache compares. Fast, and not meant against forgers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drywarp::frontend {

class Digester {
 public:
  // A part's length counts too: ("ab", "c") differs from ("a", "bc").
  Digester& add(std::string_view part);
  [[nodiscard]] std::string hex() const;  // 32 digits

 private:
  uint64_t first_ = 0x9E3779B97F4A7C15ull, second_ = 0xD1B54A32D192ED03ull;
};

// Of a file's content; nullopt if it cannot be read.
std::optional<std::string> digest_file(const std::string& path);

}  // namespace drywarp::frontend
