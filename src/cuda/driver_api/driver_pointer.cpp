// Driver API: attributes of pointers.
#include <cstring>

#include "cuda/c_abi/driver.h"

using namespace drywarp::cudart;
using drywarp::cuda::PointerInfo;
using drywarp::cuda::PointerKind;

namespace {

bool is_known(const PointerInfo& info) { return info.kind != PointerKind::Unregistered; }

CUmemorytype memory_type(PointerKind kind) {
  return kind == PointerKind::Host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;  // managed: device memory
}

// Stores a value in the size that CUDA documents.
template <class T>
bool put(void* out, T value) {
  std::memcpy(out, &value, sizeof value);
  return true;
}

struct Request {
  void* out;
  const PointerInfo& info;
  uint64_t address;
  uint64_t id;  // of the allocation
};

struct Attribute {
  CUpointer_attribute number;
  bool (*write)(const Request&);
};

constexpr Attribute kAttributes[] = {
    {CU_POINTER_ATTRIBUTE_CONTEXT, [](const Request& r) { return put(r.out, only_context()); }},
    {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, [](const Request& r) { return put(r.out, memory_type(r.info.kind)); }},
    {CU_POINTER_ATTRIBUTE_DEVICE_POINTER, [](const Request& r) { return put(r.out, r.address); }},
    {CU_POINTER_ATTRIBUTE_HOST_POINTER,
     [](const Request& r) { return r.info.kind != PointerKind::Device && put(r.out, r.address); }},
    {CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, [](const Request& r) { return put(r.out, 1); }},
    {CU_POINTER_ATTRIBUTE_BUFFER_ID, [](const Request& r) { return put(r.out, r.id); }},
    {CU_POINTER_ATTRIBUTE_IS_MANAGED, [](const Request& r) { return put(r.out, r.info.kind == PointerKind::Managed); }},
    {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, [](const Request& r) { return put(r.out, 0); }},
    {CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, [](const Request& r) { return put(r.out, false); }},
    {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, [](const Request& r) { return put(r.out, r.info.base); }},
    {CU_POINTER_ATTRIBUTE_RANGE_SIZE, [](const Request& r) { return put(r.out, r.info.size); }},
    {CU_POINTER_ATTRIBUTE_MAPPED, [](const Request& r) { return put(r.out, true); }},
    {CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, [](const Request& r) { return put(r.out, uint64_t{0}); }},
    {CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, [](const Request& r) { return put(r.out, false); }},
    {CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
     [](const Request& r) { return put(r.out, CU_MEM_ACCESS_FLAGS_PROT_READWRITE); }},
    {CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, [](const Request& r) { return put(r.out, r.info.pool); }},
    {CU_POINTER_ATTRIBUTE_MAPPING_SIZE, [](const Request& r) { return put(r.out, r.info.size); }},
    {CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, [](const Request& r) { return put(r.out, r.info.base); }},
    {CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, [](const Request& r) { return put(r.out, r.id); }},
};

Error get(Session& session, void* out, CUpointer_attribute number, uint64_t address) {
  if (!out) return Error::InvalidValue;
  const PointerInfo info = session.memory().describe(address);
  if (!is_known(info)) return Error::InvalidValue;
  const auto allocation = session.memory().device().find(address);
  for (const Attribute& a : kAttributes)
    if (a.number == number)
      return a.write({out, info, address, allocation ? allocation->id : 0}) ? Error::Success : Error::InvalidValue;
  return number <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE ? Error::NotSupported : Error::InvalidValue;
}

}  // namespace

extern "C" {

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute number, CUdeviceptr of) {
  DW_DRIVER({ return get(session, out, number, of); });
}

// An unknown pointer is no error: its attributes are zero.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* numbers, void** out, CUdeviceptr of) {
  DW_DRIVER({
    if (count && (!numbers || !out)) return Error::InvalidValue;
    for (unsigned i = 0; i < count; ++i) {
      if (get(session, out[i], numbers[i], of) == Error::Success) continue;
      if (!out[i]) return Error::InvalidValue;
      const bool is_small = numbers[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
                            numbers[i] == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
                            numbers[i] == CU_POINTER_ATTRIBUTE_ACCESS_FLAGS;
      const bool is_flag = numbers[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED || numbers[i] == CU_POINTER_ATTRIBUTE_MAPPED ||
                           numbers[i] == CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE ||
                           numbers[i] == CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE;
      if (numbers[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        put(out[i], int{CU_DEVICE_INVALID});
      else
        std::memset(out[i], 0, is_flag ? sizeof(bool) : is_small ? sizeof(int) : sizeof(uint64_t));
    }
    return Error::Success;
  });
}

// No effect: copies finish before their calls return anyway.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute number, CUdeviceptr of) {
  DW_DRIVER({
    if (!value || number != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return Error::InvalidValue;
    return is_known(session.memory().describe(of)) ? Error::Success : Error::InvalidValue;
  });
}

}  // extern "C"
