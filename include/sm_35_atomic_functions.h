// Everything this name stands for in CUDA comes with the runtime header.
#include "cuda_runtime.h"
