// Driver API: device memory and events that several processes use.
#ifndef DRYWARP_DRIVER_API_INTERPROCESS_H
#define DRYWARP_DRIVER_API_INTERPROCESS_H

#include "drywarp/api/linkage.h"
#include "drywarp/driver/types.h"

typedef struct CUipcEventHandle_st {
  char reserved[CU_IPC_HANDLE_SIZE];
} CUipcEventHandle;
typedef struct CUipcMemHandle_st {
  char reserved[CU_IPC_HANDLE_SIZE];
} CUipcMemHandle;

#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2

DRYWARP_API_BEGIN

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle);
CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address);
CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr address);

DRYWARP_API_END

#endif
