// Warp matrix functions (nvcuda::wmma) are not here yet: a program that includes this header says so at compile time.
#ifndef DRYWARP_MMA_H
#define DRYWARP_MMA_H
#error "drywarp does not have the warp matrix functions of <mma.h> (nvcuda::wmma) yet"
#endif
