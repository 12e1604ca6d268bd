// cudaCreateChannelDesc<T>(): the texel format of a type.
#ifndef DRYWARP_API_CHANNEL_DESCRIPTOR_H
#define DRYWARP_API_CHANNEL_DESCRIPTOR_H

#include "drywarp/api/arrays.h"

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define DRYWARP_CHANNELS(type, bits, count, kind)                                                               \
  template <>                                                                                                   \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                                  \
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind); \
  }
#define DRYWARP_CHANNELS_OF(scalar, vector, bits, kind) \
  DRYWARP_CHANNELS(scalar, bits, 1, kind)               \
  DRYWARP_CHANNELS(vector##1, bits, 1, kind)            \
  DRYWARP_CHANNELS(vector##2, bits, 2, kind)            \
  DRYWARP_CHANNELS(vector##3, bits, 3, kind)            \
  DRYWARP_CHANNELS(vector##4, bits, 4, kind)
DRYWARP_CHANNELS(char, 8, 1, cudaChannelFormatKindSigned)
DRYWARP_CHANNELS_OF(signed char, char, 8, cudaChannelFormatKindSigned)
DRYWARP_CHANNELS_OF(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
DRYWARP_CHANNELS_OF(short, short, 16, cudaChannelFormatKindSigned)
DRYWARP_CHANNELS_OF(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
DRYWARP_CHANNELS_OF(int, int, 32, cudaChannelFormatKindSigned)
DRYWARP_CHANNELS_OF(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
DRYWARP_CHANNELS_OF(float, float, 32, cudaChannelFormatKindFloat)
#undef DRYWARP_CHANNELS_OF
#undef DRYWARP_CHANNELS

inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#endif
