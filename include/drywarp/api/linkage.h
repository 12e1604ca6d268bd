// Linkage of the API's functions, in C and in C++.
#ifndef DRYWARP_API_LINKAGE_H
#define DRYWARP_API_LINKAGE_H

#include "crt/host_defines.h"

#if defined(__cplusplus)
#define DRYWARP_API_BEGIN extern "C" {
#define DRYWARP_API_END }
// A default argument, in C++ only.
#define DRYWARP_OR(value) = value
#else
#define DRYWARP_API_BEGIN
#define DRYWARP_API_END
#define DRYWARP_OR(value)
#endif

#endif
