#include "base/support/digest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace drywarp {
namespace {

uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return uint64_t(product) ^ uint64_t(product >> 64);
}

}  // namespace

// Two independent multiply-and-fold chains over 8-byte words.
Digester& Digester::add(std::string_view part) {
  uint64_t a = first_ ^ part.size(), b = second_ + part.size();
  auto mix = [&](uint64_t word) {
    a = fold(a ^ word, 0xE7037ED1A0B428DBull) + 0xA0761D6478BD642Full;
    b = fold(b + word, 0x8EBC6AF09C88C6E3ull) ^ 0x589965CC75374CC3ull;
  };
  size_t at = 0;
  for (; at + 8 <= part.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, part.data() + at, 8);
    mix(word);
  }
  uint64_t tail = 0;
  if (at < part.size()) std::memcpy(&tail, part.data() + at, part.size() - at);
  mix(tail);
  first_ = fold(a ^ 0x1D8E4E27C47D124Full, b | 1);
  second_ = fold(b ^ 0xEB44ACCAB455D165ull, a | 1) + a;
  return *this;
}

std::string Digester::hex() const { return fmt::format("{:016x}{:016x}", first_, second_); }

std::optional<std::string> digest_file(const std::string& path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat facts{};
  std::optional<std::string> digest;
  if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
    Digester digester;
    size_t size = size_t(facts.st_size);
    void* bytes = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      digester.add(std::string_view(static_cast<const char*>(bytes), size));
      digest = digester.hex();
      if (bytes) munmap(bytes, size);
    }
  }
  close(descriptor);
  return digest;
}

}  // namespace drywarp
