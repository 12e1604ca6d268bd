// cudaOccupancyMaxPotentialBlockSize and its variants: the block size with the most resident threads. They try every
// number of warps from the largest down; of equals, the largest block wins.
#ifndef DRYWARP_API_OCCUPANCY_H
#define DRYWARP_API_OCCUPANCY_H

template <class SharedBytesOfBlock, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* minGridSize, int* blockSize, T func,
                                                                           SharedBytesOfBlock sharedBytes,
                                                                           int blockSizeLimit, unsigned int flags) {
  if (!minGridSize || !blockSize || !func) return cudaErrorInvalidValue;
  int device = 0, threads = 0, processors = 0, warp = 0, largest = 0;
  cudaFuncAttributes attributes;
  cudaError_t status = ::cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&largest, cudaDevAttrMaxThreadsPerBlock, device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess) status = ::cudaFuncGetAttributes(&attributes, (const void*)func);
  if (status != cudaSuccess) return status;

  if (attributes.maxThreadsPerBlock < largest) largest = attributes.maxThreadsPerBlock;
  if (blockSizeLimit > 0 && blockSizeLimit < largest) largest = blockSizeLimit;

  int bestSize = 0, bestBlocks = 0, bestThreads = 0;
  const int rounded = (largest + warp - 1) / warp * warp;
  for (int size = rounded; size > 0 && bestThreads < threads; size -= warp) {
    const int tried = size < largest ? size : largest;
    int blocks = 0;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void*)func, tried,
                                                                      sharedBytes(tried), flags);
    if (status != cudaSuccess) return status;
    if (tried * blocks > bestThreads) {
      bestThreads = tried * blocks;
      bestSize = tried;
      bestBlocks = blocks;
    }
  }
  *minGridSize = bestBlocks * processors;
  *blockSize = bestSize;
  return cudaSuccess;
}

template <class SharedBytesOfBlock, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                                  SharedBytesOfBlock sharedBytes,
                                                                  int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, sharedBytes,
                                                                 blockSizeLimit, cudaOccupancyDefault);
}

struct __drywarp_constant_bytes {
  size_t bytes;
  size_t operator()(int) const { return bytes; }
};

template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T func,
                                                               size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
                                                               unsigned int flags = 0) {
  __drywarp_constant_bytes bytes;
  bytes.bytes = dynamicSMemSize;
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, bytes, blockSizeLimit,
                                                                 flags);
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                                      size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit,
                                                     cudaOccupancyDefault);
}

#endif
