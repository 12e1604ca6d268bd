// The runtime header has everything that CUDA declares in this one.
#include "cuda_runtime.h"
