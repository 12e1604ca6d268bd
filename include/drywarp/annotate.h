// For allocators that hand out parts of their own memory (arenas, pools, caches): `drywarp check` then finds overruns
// and uses after free inside them. C and C++, host code, header only; without drywarp the calls do nothing and cost a
// comparison. They link nothing: the functions are looked up in the program once.
//
//   void* a = arena.take(100);
//   drywarp_allocated(a, 100);    // these bytes of device memory are an allocation now
//   ...
//   drywarp_freed(a);             // and are none any more
//
// From the first such call on, what an allocation has not handed out is no memory that a kernel may access. Leave
// some bytes between parts, so that an overrun hits none.
#ifndef DRYWARP_ANNOTATE_H
#define DRYWARP_ANNOTATE_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// 0: done, or no drywarp. Otherwise the range is not inside of one allocation, or parts overlap.
static inline int drywarp_allocated(const void* address, size_t bytes) {
  static int looked = 0;
  static int (*annotate)(const void*, size_t) = NULL;
  if (!looked) {
    void* found = dlsym(NULL, "drywarpAnnotateAllocated");  // RTLD_DEFAULT
    *(void**)&annotate = found;
    looked = 1;
  }
  return annotate ? annotate(address, bytes) : 0;
}

// 0: done, or no drywarp. Otherwise no part starts there.
static inline int drywarp_freed(const void* address) {
  static int looked = 0;
  static int (*annotate)(const void*) = NULL;
  if (!looked) {
    void* found = dlsym(NULL, "drywarpAnnotateFreed");
    *(void**)&annotate = found;
    looked = 1;
  }
  return annotate ? annotate(address) : 0;
}

#ifdef __cplusplus
}
#endif

#endif
