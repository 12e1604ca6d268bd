// CUDA's declaration specifiers. In a CUDA compilation (clang -x cuda) they are attributes; in a plain C or C++ file
// they are empty, as with NVIDIA's headers.
#ifndef DRYWARP_CRT_HOST_DEFINES_H
#define DRYWARP_CRT_HOST_DEFINES_H
// NVIDIA's include guard: programs test it to detect CUDA's specifiers.
#define __HOST_DEFINES_H__

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#if defined(DRYWARP_KERNELS_LAUNCH)
// Dynamic parallelism: see drywarp/api/device_launch.h.
#define __global__                                                                                        \
  __attribute__((host)) __attribute__((device)) __attribute__((nvptx_kernel)) __attribute__((used))
#else
#define __global__ __attribute__((global))
#endif
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// Host and device share one address space here, so a managed variable is a device variable whose host copy is the same
// memory. The section tells the runtime which variables these are (see drywarp/managed.h).
#define __managed__ __attribute__((device)) __attribute__((section("drywarp_managed")))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif

// The compiler makes PTX's .reqnctapercluster of it.
#if defined(__CUDA__)
#define __cluster_dims__(...) __attribute__((annotate("drywarp.cluster", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif

// Hints: a parameter that need not be copied, register limits.
#define __grid_constant__
#define __maxnreg__(...)
#define __block_size__(...)

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __attribute__((nv_inline_hint))
#define __no_return__ __attribute__((noreturn))
#define __thread__ __thread
#define __import__
#define __export__
#define __location__(a) __annotate__(a)
#define __annotate__(a) __attribute__((a))
#define __align__(n) __attribute__((aligned(n)))
#define __specialization_static
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_align__(n) __align__(n)
#define __nv_pure__ __attribute__((pure))
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define CUDART_CB
#ifndef _CRTIMP
#define _CRTIMP
#endif
#if !defined(__cplusplus) || !defined(__CUDA__)
#ifndef __inline__
#define __inline__ inline
#endif
#endif

#endif
