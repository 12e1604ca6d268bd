// Part of drywarp. The toolkit's header computes occupancy without a runtime (cudaOcc...); this one does not. Programs
// include it together with the runtime's occupancy functions, which are in cuda_runtime_api.h.
#include "cuda_runtime_api.h"
