// What include/drywarp/annotate.h calls: allocators say which parts of their memory they have handed out.
#include "cuda/c_abi/runtime.h"

using namespace drywarp::cudart;

extern "C" {

int drywarpAnnotateAllocated(const void* start, size_t bytes) {
  DW_CALL({ return session.memory().device().hand_out(address(start), bytes) ? Error::Success : Error::InvalidValue; });
}

int drywarpAnnotateFreed(const void* start) {
  DW_CALL({ return session.memory().device().take_back(address(start)) ? Error::Success : Error::InvalidValue; });
}

}  // extern "C"
