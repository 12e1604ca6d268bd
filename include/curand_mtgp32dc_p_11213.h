// MTGP32's sets of parameters, `mtgp32dc_params_fast_11213`, written out as tables of 16 words.
#ifndef DRYWARP_CURAND_MTGP32DC_P_11213_H
#define DRYWARP_CURAND_MTGP32DC_P_11213_H
#define CURAND_MTGP32DC_P_11213_H

#include "curand_mtgp32.h"
#include "drywarp/random/mtgp32_sets.h"

struct __drywarp_mtgp32_tables {
  mtgp32_params_fast_t sets[CURAND_NUM_MTGP32_PARAMS];
  __drywarp_mtgp32_tables() : sets() {
    for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; ++i) {
      const unsigned int* const set = __drywarp_mtgp32_sets[i];
      mtgp32_params_fast_t& made = sets[i];
      made.mexp = MTGPDC_MEXP;
      made.pos = static_cast<int>(set[0] & 0xff);
      made.sh1 = static_cast<int>(set[0] >> 8 & 0xff);
      made.sh2 = static_cast<int>(set[0] >> 16);
      made.mask = 0xfff80000u;  // 351 words but for 19 bits are 11,213 bits
      for (int bits = 0; bits < TBL_SIZE; ++bits) {
        for (int k = 0; k < 4; ++k) {
          if (!(bits >> k & 1)) continue;
          made.tbl[bits] ^= set[1 + k];
          made.tmp_tbl[bits] ^= set[5 + k];
        }
        made.flt_tmp_tbl[bits] = made.tmp_tbl[bits] >> 9 | 0x3f800000u;  // of a float from 1 to 2
      }
    }
  }
};
inline mtgp32_params_fast_t (&__drywarp_mtgp32())[CURAND_NUM_MTGP32_PARAMS] {
  static __drywarp_mtgp32_tables tables;
  return tables.sets;
}
static mtgp32_params_fast_t (&mtgp32dc_params_fast_11213)[CURAND_NUM_MTGP32_PARAMS] = __drywarp_mtgp32();

#endif
