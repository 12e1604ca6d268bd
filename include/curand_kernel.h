// Random numbers on the device: XORWOW, Philox 4x32-10 and MRG32k3a with cuRAND's seeding, so that the sequences are
// cuRAND's, Sobol's sequences, and MTGP32.
#ifndef DRYWARP_CURAND_KERNEL_H
#define DRYWARP_CURAND_KERNEL_H
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"
#include "curand_mtgp32.h"
#include "drywarp/random/states.h"

#if defined(__CUDA__)
#include "drywarp/random/distributions.h"
#include "drywarp/random/mrg32k3a.h"
#include "drywarp/random/mtgp32.h"
#include "drywarp/random/philox.h"
#include "drywarp/random/poisson.h"
#include "drywarp/random/sobol.h"
#include "drywarp/random/xorwow.h"
#endif

#endif
