#include "cuda/c_abi/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/support/whole_file.h"
#include "cuda/fatbin/fatbin.h"

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
namespace {

using cuda::Image;
using cuda::Kernel;

// The name that clang gives to what NVIDIA's compilers call `name`, if it is static: an L marks it.
std::string static_name(const std::string& name) {
  return name.starts_with("_Z") ? "_ZL" + name.substr(2) : fmt::format("_ZL{}{}", name.size(), name);
}

Error load(Session& session, std::vector<uint8_t> bytes, const char* name, const JitOptions& options, Image*& out) {
  std::string log;
  const Error error = session.load_image(std::move(bytes), name, out, log);
  options.write_logs({}, log);
  return error;
}

}  // namespace

Error load_image(Session& session, const void* data, const JitOptions& options, Image*& out) {
  if (!data || !options.valid()) return Error::InvalidValue;
  const auto bytes = fatbin::image_bytes(data);
  return load(session, {bytes.begin(), bytes.end()}, "code loaded from memory", options, out);
}

Error load_image_file(Session& session, const char* path, const JitOptions& options, Image*& out) {
  if (!path || !options.valid()) return Error::InvalidValue;
  const auto bytes = read_whole(path);
  if (!bytes) return Error::FileNotFound;
  return load(session, {bytes->begin(), bytes->end()}, path, options, out);
}

Error kernel_of(Session& session, const void* handle, const char* name, Kernel*& out) {
  if (!name) return Error::InvalidValue;
  if (!session.modules().is_live(image(handle))) return Error::InvalidResourceHandle;
  out = session.modules().kernel_named(*image(handle), name);
  if (!out) out = session.modules().kernel_named(*image(handle), static_name(name));
  return out ? session.launcher().load(*out) : Error::SymbolNotFound;
}

Error global_of(Session& session, const void* handle, const char* name, uint64_t& address, uint64_t& bytes) {
  if (!name) return Error::InvalidValue;
  if (!session.modules().is_live(image(handle))) return Error::InvalidResourceHandle;
  auto found = exec::Engine::global(image(handle)->loaded(), name);
  if (!found) found = exec::Engine::global(image(handle)->loaded(), static_name(name));
  if (!found) return Error::SymbolNotFound;
  address = found->address;
  bytes = found->size;
  return Error::Success;
}

Error kernels_of(Session& session, const void* handle, std::vector<Kernel*>& out) {
  if (!session.modules().is_live(image(handle))) return Error::InvalidResourceHandle;
  for (const ir::Function& function : image(handle)->code().functions) {
    Kernel* kernel = nullptr;
    if (!function.is_kernel) continue;
    DW_TRY(kernel_of(session, handle, function.name.c_str(), kernel));
    out.push_back(kernel);
  }
  return Error::Success;
}

}  // namespace drywarp::cudart
