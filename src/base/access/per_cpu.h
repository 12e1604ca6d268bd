// Compiles a function once for each level of x86-64; the loader chooses. Not under the thread sanitizer: it would
// instrument the function that chooses, which runs before the sanitizer is initialised.
#pragma once

#if !defined(__x86_64__)
#define DW_PER_CPU
#elif defined(__has_feature) && __has_feature(thread_sanitizer)
#define DW_PER_CPU
#else
#define DW_PER_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
