// Asynchronous copies: the primitives.
#include "cuda_pipeline_primitives.h"
