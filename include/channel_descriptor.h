#include "cuda_runtime_api.h"
#if defined(__cplusplus)
#include "drywarp/api/channel_descriptor.h"
#endif
