// Driver API: virtual memory management.
#include <cstring>

#include "cuda/c_abi/driver.h"

using namespace drywarp::cudart;
using drywarp::cuda::MemoryAccess;
using drywarp::cuda::VirtualMemory;

namespace {

// Only memory of the one device is supported; a file descriptor stands for what processes share.
Error check(const CUmemAllocationProp* p) {
  if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED) return Error::InvalidValue;
  if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return Error::NotSupported;
  if (p->location.id != 0) return Error::InvalidDevice;
  return p->requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE ||
                 p->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
             ? Error::Success
             : Error::NotSupported;
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* out, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
  DW_DRIVER({
    if (!out) return Error::InvalidValue;
    DW_TRY(check(properties));
    *out = VirtualMemory::kGranularity;
    return Error::Success;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* out, size_t size, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags) {
  DW_DRIVER({
    uint64_t made = 0;
    if (!out || flags) return Error::InvalidValue;
    DW_TRY(session.virtual_memory().reserve(made, size, alignment, wish));
    *out = made;
    return Error::Success;
  });
}
CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
  DW_DRIVER({ return session.virtual_memory().free(address, size); });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* out, size_t size, const CUmemAllocationProp* properties,
                     unsigned long long flags) {
  DW_DRIVER({
    uint64_t made = 0;
    if (!out || flags) return Error::InvalidValue;
    DW_TRY(check(properties));
    DW_TRY(session.virtual_memory().create(made, size));
    session.virtual_memory().set_compressible(made,
                                              properties->allocFlags.compressionType == CU_MEM_ALLOCATION_COMP_GENERIC);
    session.virtual_memory().set_shareable(made, properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE);
    *out = made;
    return Error::Success;
  });
}
CUresult cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  DW_DRIVER({
    int file = -1;
    if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return Error::InvalidValue;
    DW_TRY(session.virtual_memory().export_file(file, handle));
    std::memcpy(out, &file, sizeof file);
    return Error::Success;
  });
}
// The descriptor itself is passed in place of a pointer.
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* out, void* file, CUmemAllocationHandleType type) {
  DW_DRIVER({
    uint64_t made = 0;
    if (!out || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return Error::InvalidValue;
    DW_TRY(session.virtual_memory().import_file(made, int(address(file))));
    *out = made;
    return Error::Success;
  });
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  DW_DRIVER({ return session.virtual_memory().release(handle); });
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* out, void* at) {
  DW_DRIVER({
    uint64_t handle = 0;
    if (!out) return Error::InvalidValue;
    DW_TRY(session.virtual_memory().retain(handle, address(at)));
    *out = handle;
    return Error::Success;
  });
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* out, CUmemGenericAllocationHandle handle) {
  DW_DRIVER({
    if (!out || !session.virtual_memory().is_live(handle)) return Error::InvalidValue;
    *out = {};
    out->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    out->location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    if (session.virtual_memory().is_shareable(handle))
      out->requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (session.virtual_memory().is_compressible(handle))
      out->allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    return Error::Success;
  });
}

// CUDA requires an offset of 0.
CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  DW_DRIVER({
    if (offset || flags) return Error::InvalidValue;
    return session.virtual_memory().map(address, size, handle);
  });
}
CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
  DW_DRIVER({
    session.streams().finish_all();
    return session.virtual_memory().unmap(address, size);
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc* list, size_t count) {
  DW_DRIVER({
    if (!list || count == 0) return Error::InvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const bool known = list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                         list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                         list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
      if (!known) return Error::InvalidValue;
      if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || list[i].location.id != 0) return Error::InvalidDevice;
      DW_TRY(session.virtual_memory().set_access(address, size, static_cast<MemoryAccess>(list[i].flags)));
    }
    return Error::Success;
  });
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* place, CUdeviceptr address) {
  DW_DRIVER({
    MemoryAccess access = MemoryAccess::None;
    if (!flags || !place) return Error::InvalidValue;
    DW_TRY(session.virtual_memory().access(address, access));
    const bool here = place->type == CU_MEM_LOCATION_TYPE_DEVICE && place->id == 0;
    *flags = here ? unsigned(access) : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return Error::Success;
  });
}

}  // extern "C"
