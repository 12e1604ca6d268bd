// The compiler driver passes this file with -include to every CUDA compilation, as nvcc includes cuda_runtime.h. It
// must precede all standard headers: otherwise <cmath>'s constexpr functions would become host and device functions,
// which the device's functions could not overload.
#ifndef DRYWARP_PRELUDE_H
#define DRYWARP_PRELUDE_H

// Programs test these to detect a CUDA compiler and its version. libstdc++ tests __CUDACC__ to exclude __float128 from
// device code.
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 93
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
// nvcc's queries for extended lambdas: here they are ordinary lambdas.
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 8

#include <__clang_cuda_math_forward_declares.h>

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_runtime.h"

// clang's <new> has the device's operators only where __device__ is known.
#include <new>

// std::stable_sort() calls a function that libstdc++ marks as deprecated; gcc says nothing there.
#if __has_include(<bits/stl_tempbuf.h>)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#include <bits/stl_tempbuf.h>
#pragma clang diagnostic pop
#endif

#endif
