// The states of the device's generators, for host code too, which allocates them.
#ifndef DRYWARP_RANDOM_STATES_H
#define DRYWARP_RANDOM_STATES_H

#include "vector_types.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  // The second number of a Box-Muller pair is kept for the next call. `unused` keeps copies free of unwritten bytes.
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra, unused;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;  // how many of `output` are used
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra, unused;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define DRYWARP_SOBOL_STATE(name, Word, bits)         \
  struct name {                                       \
    Word i, x, c; /* c: the scramble constant or 0 */ \
    Word direction_vectors[bits];                     \
  };                                                  \
  typedef struct name name##_t;
DRYWARP_SOBOL_STATE(curandStateSobol32, unsigned int, 32)
DRYWARP_SOBOL_STATE(curandStateScrambledSobol32, unsigned int, 32)
DRYWARP_SOBOL_STATE(curandStateSobol64, unsigned long long, 64)
DRYWARP_SOBOL_STATE(curandStateScrambledSobol64, unsigned long long, 64)
#undef DRYWARP_SOBOL_STATE

#endif
