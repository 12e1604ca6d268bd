// Builds valid and damaged fat binaries for tests.
#pragma once

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace drywarp::fatbin {

struct EntrySpec {
  uint16_t kind = 1;
  unsigned sm = 90;
  std::string text;
  uint64_t flags = 0x11;  // 0x8000 zstd, 0x2000 LZ4
  uint32_t header_size = 64;
};

template <class T>
void put(std::vector<uint8_t>& out, size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof value);
}

inline std::string compressed(const std::string& text, uint64_t flags) {
  if (flags & 0x8000) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
  }
  if (flags & 0x2000) {
    std::string out(size_t(LZ4_compressBound(int(text.size()))), '\0');
    out.resize(size_t(LZ4_compress_default(text.data(), out.data(), int(text.size()), int(out.size()))));
    return out;
  }
  return text;
}

inline std::vector<uint8_t> make_image(const std::vector<EntrySpec>& entries) {
  std::vector<uint8_t> out(16);
  for (const EntrySpec& e : entries) {
    const std::string stored = compressed(e.text, e.flags);
    const bool packed = e.flags & 0xA000;
    const size_t begin = out.size(), padded = (stored.size() + 7) / 8 * 8;
    out.resize(begin + e.header_size + padded);
    put<uint16_t>(out, begin, e.kind);
    put<uint16_t>(out, begin + 2, 0x101);
    put<uint32_t>(out, begin + 4, e.header_size);
    put<uint64_t>(out, begin + 8, padded);
    put<uint32_t>(out, begin + 16, packed ? uint32_t(stored.size()) : 0);
    put<uint32_t>(out, begin + 28, e.sm);
    put<uint64_t>(out, begin + 40, e.flags);
    if (e.header_size >= 64) put<uint64_t>(out, begin + 56, packed ? e.text.size() : 0);
    std::memcpy(out.data() + begin + e.header_size, stored.data(), stored.size());
  }
  put<uint32_t>(out, 0, 0xBA55ED50);
  put<uint16_t>(out, 4, 1);
  put<uint16_t>(out, 6, 16);
  put<uint64_t>(out, 8, out.size() - 16);
  return out;
}

struct WrapperLayout {
  uint32_t magic = 0x466243B1, version = 1;
  const void* data = nullptr;
  const void* const* prelinked = nullptr;
};

}  // namespace drywarp::fatbin
