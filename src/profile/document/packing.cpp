#include "profile/document/packing.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>

namespace drywarp::document {

std::string gzip(std::string_view data) {
  constexpr int kWithGzipHeader = 16 + MAX_WBITS, kMemoryLevel = 8;  // zlib's default
  z_stream stream{};
  // Only a lack of memory can make it fail.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWithGzipHeader, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  std::string out;
  char piece[1 << 16];
  // zlib counts a piece in 32 bits, and reads through a pointer to what is not const.
  constexpr size_t kMostAtOnce = size_t{1} << 30;
  int state = Z_OK;
  do {
    const size_t length = std::min(data.size(), kMostAtOnce);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream.avail_in = static_cast<uInt>(length);
    data.remove_prefix(length);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece);
      stream.avail_out = sizeof piece;
      state = deflate(&stream, data.empty() ? Z_FINISH : Z_NO_FLUSH);
      out.append(piece, sizeof piece - stream.avail_out);
    } while (stream.avail_out == 0);
  } while (state != Z_STREAM_END);
  deflateEnd(&stream);
  return out;
}

std::string base64(std::string_view data) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (size_t i = 0; i < data.size(); i += 3) {
    const size_t bytes = std::min<size_t>(3, data.size() - i);
    uint32_t bits = 0;
    for (size_t b = 0; b < 3; ++b) bits = bits << 8 | (b < bytes ? static_cast<uint8_t>(data[i + b]) : 0);
    for (size_t d = 0; d < 4; ++d) out += d <= bytes ? kDigits[bits >> (18 - 6 * d) & 63] : '=';
  }
  return out;
}

}  // namespace drywarp::document
