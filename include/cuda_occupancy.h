// Part of drywarp. The toolkit's header computes occupancy without a runtime (cudaOcc...); nothing of it is declared
// here. Programs include it beside the runtime's own occupancy functions, which cuda_runtime_api.h has.
#include "cuda_runtime_api.h"
