#ifndef DRYWARP_ROUND_MODES_H
#define DRYWARP_ROUND_MODES_H
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#endif
