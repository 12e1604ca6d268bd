#include "cuda/c_abi/jit_options.h"

#include <algorithm>
#include <cstring>

namespace drywarp::cudart {
namespace {

enum : int { WallTime = 2, InfoBuffer = 3, InfoSize = 4, ErrorBuffer = 5, ErrorSize = 6 };

}  // namespace

void** JitOptions::value_of(int name) const {
  for (unsigned i = 0; i < count_; ++i)
    if (names_[i] == name) return &values_[i];
  return nullptr;
}

// The size option holds the buffer's size on input and the bytes written on output.
void JitOptions::write(int buffer, int size, const std::string& text) const {
  void** const to = value_of(buffer);
  void** const room = value_of(size);
  if (!to || !*to || !room) return;
  unsigned bytes = 0;
  std::memcpy(&bytes, room, sizeof bytes);
  if (bytes == 0) return;
  const size_t length = std::min<size_t>(text.size(), bytes - 1);
  std::memcpy(*to, text.data(), length);
  static_cast<char*>(*to)[length] = 0;
  *room = nullptr;
  const auto written = unsigned(text.empty() ? 0 : length + 1);
  std::memcpy(room, &written, sizeof written);
}

void JitOptions::write_logs(const std::string& info, const std::string& errors) const {
  write(InfoBuffer, InfoSize, info);
  write(ErrorBuffer, ErrorSize, errors);
  if (void** const time = value_of(WallTime)) {
    const auto taken = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start_).count();
    std::memcpy(time, &taken, sizeof taken);
  }
}

}  // namespace drywarp::cudart
