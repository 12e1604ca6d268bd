#include "cuda_runtime.h"
#include "drywarp/concurrency/barrier.h"
