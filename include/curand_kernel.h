// Random numbers on the device: XORWOW and Philox 4x32-10 with cuRAND's seeding, so that the sequences are cuRAND's.
#ifndef DRYWARP_CURAND_KERNEL_H
#define DRYWARP_CURAND_KERNEL_H
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"

#if defined(__CUDA__)
#include "drywarp/random/distributions.h"
#include "drywarp/random/philox.h"
#include "drywarp/random/xorwow.h"
#endif

#endif
