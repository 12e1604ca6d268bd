#include "cuda/runtime_api/device_properties.h"

#include <cstring>
#include <string>

namespace drywarp::cudart {
namespace {

using cuda::Attribute;
using cuda::Device;

template <class Properties>
Properties describe(const Device& device) {
  Properties p{};
  device.name().copy(p.name, sizeof p.name - 1);
  // The UUID is stable, and differs between device files.
  const std::string id = "drywarp " + device.spec().id;
  id.copy(p.uuid.bytes, sizeof p.uuid.bytes);
  p.totalGlobalMem = device.memory_bytes();
  const auto set = [&device](auto& member, Attribute attribute) {
    member = static_cast<std::remove_reference_t<decltype(member)>>(device.attribute(attribute));
  };
// At least one layout must have each row.
#define DW_PROPERTY(member, attribute)                                                                    \
  constexpr auto in_##attribute = []<class Layout>(Layout*) { return requires(Layout q) { q.member; }; }; \
  static_assert(in_##attribute(static_cast<cudaDeviceProp*>(nullptr)) ||                                  \
                in_##attribute(static_cast<Properties13*>(nullptr)));                                     \
  if constexpr (requires { p.member; }) set(p.member, Attribute::attribute);
#include "cuda/runtime_api/device_properties.def"
#undef DW_PROPERTY
  return p;
}

template <class Properties>
Error fill(Session& session, Properties* out, int device) {
  if (!out) return Error::InvalidValue;
  if (device != 0) return Error::InvalidDevice;
  *out = describe<Properties>(session.device());
  return Error::Success;
}

}  // namespace

Error fill_properties(Session& session, cudaDeviceProp* out, int device) { return fill(session, out, device); }
Error fill_properties(Session& session, Properties13* out, int device) { return fill(session, out, device); }

Error fill_properties(Session& session, Properties11* out, int device) {
  if (!out) return Error::InvalidValue;
  cudaDeviceProp whole;
  DW_TRY(fill_properties(session, &whole, device));
  std::memcpy(out->bytes, &whole, sizeof out->bytes);
  return Error::Success;
}

}  // namespace drywarp::cudart
