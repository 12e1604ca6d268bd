// Specifiers of the device library's functions.
#ifndef DRYWARP_DEVICE_SPECIFIERS_H
#define DRYWARP_DEVICE_SPECIFIERS_H
#pragma GCC system_header

// An intrinsic: always inlined, so that it costs only its instruction at every optimisation level. It has no debug
// information, so that its instructions count for the calling line of the program.
#define DRYWARP_DEVICE static __device__ __inline__ __attribute__((always_inline, nodebug))
// A function of libdevice (__nv_*) that the headers define themselves.
#define DRYWARP_LIBDEVICE extern "C" __device__ __inline__ __attribute__((always_inline, nodebug))
// The same for host and device.
#define DRYWARP_BOTH static __host__ __device__ __inline__ __attribute__((always_inline, nodebug))

// The driver passes -D__CUDA_FTZ=1 for -ftz=true (part of -use_fast_math): single precision instructions then flush
// subnormals to zero.
#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define DRYWARP_FTZ ".ftz"
#define DRYWARP_FLOAT_BUILTIN(name) __nvvm_##name##_ftz_f
#define DRYWARP_FROM_FLOAT_BUILTIN(name) __nvvm_##name##_ftz
#else
#define DRYWARP_FTZ ""
#define DRYWARP_FLOAT_BUILTIN(name) __nvvm_##name##_f
#define DRYWARP_FROM_FLOAT_BUILTIN(name) __nvvm_##name
#endif

#endif
