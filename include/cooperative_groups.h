// Cooperative groups: blocks, tiles, coalesced threads, the grid.
#ifndef DRYWARP_COOPERATIVE_GROUPS_H
#define DRYWARP_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__CUDA__)
#include "drywarp/groups/block.h"
#include "drywarp/groups/coalesced.h"
#include "drywarp/groups/grid.h"
#include "drywarp/groups/partition.h"
#include "drywarp/groups/tile.h"
#endif

#endif
