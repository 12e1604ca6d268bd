#include "profile/store/compression.h"

#include <zstd.h>

namespace drywarp::store {
namespace {

constexpr int kLevel = 6;  // higher ones gain little
constexpr size_t kMostBytes = 8u << 20;

}  // namespace

std::string compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  out.resize(ZSTD_isError(size) ? 0 : size);  // it fails only without memory
  return out;
}

Result<std::string> decompress(std::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > kMostBytes)
    return error("a record is damaged");
  std::string out(size, '\0');
  if (ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size()) != size) return error("a record is damaged");
  return out;
}

}  // namespace drywarp::store
