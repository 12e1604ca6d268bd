// MTGP32 on the device, as cuRAND has it: curand_kernel.h has all of it.
#ifndef DRYWARP_CURAND_MTGP32_KERNEL_H
#define DRYWARP_CURAND_MTGP32_KERNEL_H
#define CURAND_MTGP32_KERNEL_H

#include "curand_kernel.h"

#endif
