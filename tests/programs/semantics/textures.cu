// Texture fetches and surface accesses, bit for bit as on an H200: address and filter modes, formats, geometries. Prints a
// digest of the words of each group, which EXPECT-STDOUT has as an H200 (driver 580, CUDA 13) computed them; with an
// argument, all words. docs/textures.md tells which groups differ, and by how much: they have no line here.
// EXPECT-STDOUT: weights 0 1: a9aee6dc93a89197
// EXPECT-STDOUT: weights 1 0: ec59d9c83c849197
// EXPECT-STDOUT: weights 1e+10 1: 0a3688e4338c2534
// EXPECT-STDOUT: weights 0.1 0.7: f1c2e83b9b27e999
// EXPECT-STDOUT: weights -3.3333 1234.57: 6f1acec044018f9b
// EXPECT-STDOUT: 1d float wrap point texels: 26907273b92e30e5
// EXPECT-STDOUT: 1d float wrap linear texels: f8c72851b9ce60ea
// EXPECT-STDOUT: 1d float clamp point texels: 26907273b92e30e5
// EXPECT-STDOUT: 1d float clamp linear texels: f8c72851b9ce60ea
// EXPECT-STDOUT: 1d float mirror point texels: 26907273b92e30e5
// EXPECT-STDOUT: 1d float mirror linear texels: f8c72851b9ce60ea
// EXPECT-STDOUT: 1d float border point texels: 7010b62200eef095
// EXPECT-STDOUT: 1d float border linear texels: 81b5b257b1dc62f3
// EXPECT-STDOUT: 1d float wrap point normalized: 9b34570ddc2487c8
// EXPECT-STDOUT: 1d float wrap linear normalized: 31d6cb86a1b56a4e
// EXPECT-STDOUT: 1d float clamp point normalized: 8a46b73dcbfa36eb
// EXPECT-STDOUT: 1d float clamp linear normalized: 4dda13ff65120251
// EXPECT-STDOUT: 1d float mirror point normalized: 4ab859f8e2b5eca5
// EXPECT-STDOUT: 1d float mirror linear normalized: 56a01a104efcca20
// EXPECT-STDOUT: 1d float border point normalized: 7edfb870ef0bdf87
// EXPECT-STDOUT: 1d float border linear normalized: b9f87d1da4c9746f
// EXPECT-STDOUT: 2d float wrap point texels: 894ad2086ce5201a
// EXPECT-STDOUT: 2d float wrap linear texels: 20a9504f5bfe0bdb
// EXPECT-STDOUT: 2d float clamp point texels: 894ad2086ce5201a
// EXPECT-STDOUT: 2d float clamp linear texels: 20a9504f5bfe0bdb
// EXPECT-STDOUT: 2d float mirror point texels: 894ad2086ce5201a
// EXPECT-STDOUT: 2d float mirror linear texels: 20a9504f5bfe0bdb
// EXPECT-STDOUT: 2d float border point texels: 409aa661bc0533cc
// EXPECT-STDOUT: 2d float border linear texels: d947cbd1434f8957
// EXPECT-STDOUT: 2d float wrap point normalized: fa147691cbbe8cb0
// EXPECT-STDOUT: 2d float wrap linear normalized: 96d3eeb6e839d99d
// EXPECT-STDOUT: 2d float clamp point normalized: 69aaa89e60479028
// EXPECT-STDOUT: 2d float clamp linear normalized: e74417d10c3da6fe
// EXPECT-STDOUT: 2d float mirror point normalized: fd7d7b9ebd6f16e2
// EXPECT-STDOUT: 2d float mirror linear normalized: 1aa4962f6544f35b
// EXPECT-STDOUT: 2d float border point normalized: b293c2860047d306
// EXPECT-STDOUT: 2d float border linear normalized: c25d0662dfc985f8
// EXPECT-STDOUT: 2d float4 wrap point texels: d0e6e56c2384790a
// EXPECT-STDOUT: 2d float4 wrap linear texels: 2f5af665d4bfb2a7
// EXPECT-STDOUT: 2d float4 clamp point texels: d0e6e56c2384790a
// EXPECT-STDOUT: 2d float4 clamp linear texels: 2f5af665d4bfb2a7
// EXPECT-STDOUT: 2d float4 mirror point texels: d0e6e56c2384790a
// EXPECT-STDOUT: 2d float4 mirror linear texels: 2f5af665d4bfb2a7
// EXPECT-STDOUT: 2d float4 border point texels: a304faf8c8ce7a33
// EXPECT-STDOUT: 2d float4 border linear texels: 4af9571b83760440
// EXPECT-STDOUT: 2d float4 wrap point normalized: 8ad2c019ae5604b3
// EXPECT-STDOUT: 2d float4 wrap linear normalized: e76c5515b6dee6a5
// EXPECT-STDOUT: 2d float4 clamp point normalized: 4122b2a11180565e
// EXPECT-STDOUT: 2d float4 clamp linear normalized: d88b997cbb9d7de4
// EXPECT-STDOUT: 2d float4 mirror point normalized: 0eed75dc3cca89b6
// EXPECT-STDOUT: 2d float4 mirror linear normalized: 845a2f8042297a46
// EXPECT-STDOUT: 2d float4 border point normalized: b6860ea1b2ef4736
// EXPECT-STDOUT: 2d float4 border linear normalized: 3cb6bd769bb7be91
// EXPECT-STDOUT: 2d float2 wrap point texels: e390fec09bd3f91e
// EXPECT-STDOUT: 2d float2 wrap linear texels: e9151a29c9348106
// EXPECT-STDOUT: 2d float2 clamp point texels: e390fec09bd3f91e
// EXPECT-STDOUT: 2d float2 clamp linear texels: e9151a29c9348106
// EXPECT-STDOUT: 2d float2 mirror point texels: e390fec09bd3f91e
// EXPECT-STDOUT: 2d float2 mirror linear texels: e9151a29c9348106
// EXPECT-STDOUT: 2d float2 border point texels: 516d330b003eb8ec
// EXPECT-STDOUT: 2d float2 border linear texels: dd1e3229fb4fe948
// EXPECT-STDOUT: 2d float2 wrap point normalized: b30ab58bb1c78aa5
// EXPECT-STDOUT: 2d float2 wrap linear normalized: 40ba569ec53c3170
// EXPECT-STDOUT: 2d float2 clamp point normalized: 796959bbc1696bda
// EXPECT-STDOUT: 2d float2 clamp linear normalized: 7b3def2a6d41601b
// EXPECT-STDOUT: 2d float2 mirror point normalized: f807a36d45e82806
// EXPECT-STDOUT: 2d float2 mirror linear normalized: 1092e25188891393
// EXPECT-STDOUT: 2d float2 border point normalized: c677e271788c63ee
// EXPECT-STDOUT: 2d float2 border linear normalized: 12d1a25464c8086c
// EXPECT-STDOUT: 3d float wrap point texels: 963cbe7797bac481
// EXPECT-STDOUT: 3d float clamp point texels: 963cbe7797bac481
// EXPECT-STDOUT: 3d float mirror point texels: 963cbe7797bac481
// EXPECT-STDOUT: 3d float border point texels: 00d35804ced59cd5
// EXPECT-STDOUT: 3d float wrap point normalized: 8ee0d66fc2c77471
// EXPECT-STDOUT: 3d float clamp point normalized: 9334dbf3db518b29
// EXPECT-STDOUT: 3d float mirror point normalized: 274bb02a542d41ca
// EXPECT-STDOUT: 3d float border point normalized: 7d1d18ca32c7b933
// EXPECT-STDOUT: 1d layered float wrap point texels: d839d4aea97e9be8
// EXPECT-STDOUT: 1d layered float wrap linear texels: df3851cd8f631acb
// EXPECT-STDOUT: 1d layered float clamp point texels: d839d4aea97e9be8
// EXPECT-STDOUT: 1d layered float clamp linear texels: df3851cd8f631acb
// EXPECT-STDOUT: 1d layered float mirror point texels: d839d4aea97e9be8
// EXPECT-STDOUT: 1d layered float mirror linear texels: df3851cd8f631acb
// EXPECT-STDOUT: 1d layered float border point texels: 91fb301c4e73aa8a
// EXPECT-STDOUT: 1d layered float border linear texels: 757fb256fc532c2b
// EXPECT-STDOUT: 1d layered float wrap point normalized: 0fcc8809e65e9e7b
// EXPECT-STDOUT: 1d layered float wrap linear normalized: 24af57e0d6a9a639
// EXPECT-STDOUT: 1d layered float clamp point normalized: d911f968e194caf5
// EXPECT-STDOUT: 1d layered float clamp linear normalized: 62aeee84429ba074
// EXPECT-STDOUT: 1d layered float mirror point normalized: 75079f537740934f
// EXPECT-STDOUT: 1d layered float mirror linear normalized: 5413b47d335faf9f
// EXPECT-STDOUT: 1d layered float border point normalized: 6d30da7019727c5c
// EXPECT-STDOUT: 1d layered float border linear normalized: 142bd70ae1233abe
// EXPECT-STDOUT: 2d layered float wrap point texels: 40a6b5f1cf2fb097
// EXPECT-STDOUT: 2d layered float wrap linear texels: 7043fd340d6c68f5
// EXPECT-STDOUT: 2d layered float clamp point texels: 40a6b5f1cf2fb097
// EXPECT-STDOUT: 2d layered float clamp linear texels: 7043fd340d6c68f5
// EXPECT-STDOUT: 2d layered float mirror point texels: 40a6b5f1cf2fb097
// EXPECT-STDOUT: 2d layered float mirror linear texels: 7043fd340d6c68f5
// EXPECT-STDOUT: 2d layered float border point texels: 99b034c3044e0821
// EXPECT-STDOUT: 2d layered float border linear texels: cdbb3da4e75ef91c
// EXPECT-STDOUT: 2d layered float wrap point normalized: 6e9320e81ff21382
// EXPECT-STDOUT: 2d layered float wrap linear normalized: 47cbfb2ef3486fad
// EXPECT-STDOUT: 2d layered float clamp point normalized: c031cc1049a621fe
// EXPECT-STDOUT: 2d layered float clamp linear normalized: f553f5623ef23bcd
// EXPECT-STDOUT: 2d layered float mirror point normalized: 6dcab6235e86b926
// EXPECT-STDOUT: 2d layered float mirror linear normalized: c425a16b58df1203
// EXPECT-STDOUT: 2d layered float border point normalized: 0bdaafe4b622ca72
// EXPECT-STDOUT: 2d layered float border linear normalized: 816a726e1c3c83a2
// EXPECT-STDOUT: 2d uchar4 wrap point texels: df4ef5d0862c817a
// EXPECT-STDOUT: 2d uchar4 clamp point texels: df4ef5d0862c817a
// EXPECT-STDOUT: 2d uchar4 mirror point texels: df4ef5d0862c817a
// EXPECT-STDOUT: 2d uchar4 border point texels: 69e1ee155af58861
// EXPECT-STDOUT: 2d uchar4 wrap point normalized: fa8f2e5d68a4f61a
// EXPECT-STDOUT: 2d uchar4 clamp point normalized: d1cdb63ab116eada
// EXPECT-STDOUT: 2d uchar4 mirror point normalized: b4aee0a100020039
// EXPECT-STDOUT: 2d uchar4 border point normalized: 4ed05bf5b5bf50fa
// EXPECT-STDOUT: 2d uchar4 as float wrap point texels: 5baf78d7090825c0
// EXPECT-STDOUT: 2d uchar4 as float clamp point texels: 5baf78d7090825c0
// EXPECT-STDOUT: 2d uchar4 as float mirror point texels: 5baf78d7090825c0
// EXPECT-STDOUT: 2d uchar4 as float border point texels: 6b19cbb7fafe7475
// EXPECT-STDOUT: 2d uchar4 as float wrap point normalized: 1af3dfc558883428
// EXPECT-STDOUT: 2d uchar4 as float clamp point normalized: 25bf0cfd7ce950de
// EXPECT-STDOUT: 2d uchar4 as float mirror point normalized: 4174365d96b7de44
// EXPECT-STDOUT: 2d uchar4 as float border point normalized: b0d39cc47597ef46
// EXPECT-STDOUT: 2d char2 wrap point texels: 73ce5db4339f339b
// EXPECT-STDOUT: 2d char2 clamp point texels: 73ce5db4339f339b
// EXPECT-STDOUT: 2d char2 mirror point texels: 73ce5db4339f339b
// EXPECT-STDOUT: 2d char2 border point texels: c8f02c60bab39441
// EXPECT-STDOUT: 2d char2 wrap point normalized: 1aeefb878aef9955
// EXPECT-STDOUT: 2d char2 clamp point normalized: ad23305dba0ae3ea
// EXPECT-STDOUT: 2d char2 mirror point normalized: cd80b25c351c136c
// EXPECT-STDOUT: 2d char2 border point normalized: 7fca25178820669a
// EXPECT-STDOUT: 2d char2 as float wrap point texels: 26f5e6dce226d79a
// EXPECT-STDOUT: 2d char2 as float clamp point texels: 26f5e6dce226d79a
// EXPECT-STDOUT: 2d char2 as float mirror point texels: 26f5e6dce226d79a
// EXPECT-STDOUT: 2d char2 as float border point texels: 048763a48ac5801f
// EXPECT-STDOUT: 2d char2 as float wrap point normalized: 64954778ab22b788
// EXPECT-STDOUT: 2d char2 as float clamp point normalized: bbab8043172f30ce
// EXPECT-STDOUT: 2d char2 as float mirror point normalized: 6b2a2ed0b48a7963
// EXPECT-STDOUT: 2d char2 as float border point normalized: 76b52ef43c060d66
// EXPECT-STDOUT: 2d ushort wrap point texels: 06b4a89fdc7ae9b0
// EXPECT-STDOUT: 2d ushort clamp point texels: 06b4a89fdc7ae9b0
// EXPECT-STDOUT: 2d ushort mirror point texels: 06b4a89fdc7ae9b0
// EXPECT-STDOUT: 2d ushort border point texels: 33ce5ac5d6c0d796
// EXPECT-STDOUT: 2d ushort wrap point normalized: 95941fd53834bf49
// EXPECT-STDOUT: 2d ushort clamp point normalized: eb2d5905f3592bcd
// EXPECT-STDOUT: 2d ushort mirror point normalized: 46e264f195efb9da
// EXPECT-STDOUT: 2d ushort border point normalized: 8c1091dd3efb1b49
// EXPECT-STDOUT: 2d ushort as float wrap point texels: 38bd84f68c56d499
// EXPECT-STDOUT: 2d ushort as float clamp point texels: 38bd84f68c56d499
// EXPECT-STDOUT: 2d ushort as float mirror point texels: 38bd84f68c56d499
// EXPECT-STDOUT: 2d ushort as float border point texels: d8c18dfa501e8150
// EXPECT-STDOUT: 2d ushort as float wrap point normalized: 38f98891f8608d3c
// EXPECT-STDOUT: 2d ushort as float clamp point normalized: 0b2966a4959f1273
// EXPECT-STDOUT: 2d ushort as float mirror point normalized: 2e1d4a809094c5b5
// EXPECT-STDOUT: 2d ushort as float border point normalized: 9512335fe9785afd
// EXPECT-STDOUT: 2d short4 as float wrap point texels: 04ab60b93d018e89
// EXPECT-STDOUT: 2d short4 as float clamp point texels: 04ab60b93d018e89
// EXPECT-STDOUT: 2d short4 as float mirror point texels: 04ab60b93d018e89
// EXPECT-STDOUT: 2d short4 as float border point texels: 04f63928fd0dff8c
// EXPECT-STDOUT: 2d short4 as float wrap point normalized: d773040caea3ae48
// EXPECT-STDOUT: 2d short4 as float clamp point normalized: d01ab29a2593e82d
// EXPECT-STDOUT: 2d short4 as float mirror point normalized: 890e19ac6ce6821d
// EXPECT-STDOUT: 2d short4 as float border point normalized: 58ba0606bc61ca15
// EXPECT-STDOUT: 2d int4 wrap point texels: e6a89bfe3b47bdf0
// EXPECT-STDOUT: 2d int4 clamp point texels: e6a89bfe3b47bdf0
// EXPECT-STDOUT: 2d int4 mirror point texels: e6a89bfe3b47bdf0
// EXPECT-STDOUT: 2d int4 border point texels: 1a5f966e71f9a5a7
// EXPECT-STDOUT: 2d int4 wrap point normalized: a05c23ac9cb9593c
// EXPECT-STDOUT: 2d int4 clamp point normalized: 8f498043c08ad68d
// EXPECT-STDOUT: 2d int4 mirror point normalized: bca75767ff7207b8
// EXPECT-STDOUT: 2d int4 border point normalized: a1ac50b53753f8c9
// EXPECT-STDOUT: 2d half4 wrap point texels: 9f48362e1fe18dc5
// EXPECT-STDOUT: 2d half4 clamp point texels: 9f48362e1fe18dc5
// EXPECT-STDOUT: 2d half4 mirror point texels: 9f48362e1fe18dc5
// EXPECT-STDOUT: 2d half4 border point texels: cd55c3ebd68eadc5
// EXPECT-STDOUT: 2d half4 wrap point normalized: dd116de024ef40d5
// EXPECT-STDOUT: 2d half4 clamp point normalized: be9e828f3dec20d5
// EXPECT-STDOUT: 2d half4 mirror point normalized: aa760943ffd420d5
// EXPECT-STDOUT: 2d half4 border point normalized: 52869d46cc4460d5
// EXPECT-STDOUT: srgb point: 38dd087100156ef8
// EXPECT-STDOUT: bytes: a2e14afdbf089c01
// EXPECT-STDOUT: linear: 3e8a23cb0cea2a3f
// EXPECT-STDOUT: pitched wrap point texels: f578944b2bf821f7
// EXPECT-STDOUT: pitched wrap linear texels: 52ae566a08fd9d49
// EXPECT-STDOUT: pitched clamp point texels: f578944b2bf821f7
// EXPECT-STDOUT: pitched clamp linear texels: 52ae566a08fd9d49
// EXPECT-STDOUT: pitched mirror point texels: f578944b2bf821f7
// EXPECT-STDOUT: pitched mirror linear texels: 52ae566a08fd9d49
// EXPECT-STDOUT: pitched border point texels: 9e0da686d544cd93
// EXPECT-STDOUT: pitched border linear texels: f0ff8df877a4c267
// EXPECT-STDOUT: pitched wrap point normalized: 8d7e7fc591ea90d9
// EXPECT-STDOUT: pitched wrap linear normalized: 0f08d1b972999c6b
// EXPECT-STDOUT: pitched clamp point normalized: d6a03103b831ede5
// EXPECT-STDOUT: pitched clamp linear normalized: ca9dd4e581e4f582
// EXPECT-STDOUT: pitched mirror point normalized: ff68013f3471291d
// EXPECT-STDOUT: pitched mirror linear normalized: 5318367bf3fff6c7
// EXPECT-STDOUT: pitched border point normalized: 67ae0a335cad2bd7
// EXPECT-STDOUT: pitched border linear normalized: 2297e9d71f6d6dc8
// EXPECT-STDOUT: cubemap point: 0cba9389297161a4
// EXPECT-STDOUT: layered cubemap point: a00259d943dd11f9
// EXPECT-STDOUT: cubemap linear: 90ebcc1e9a1b4993
// EXPECT-STDOUT: layered cubemap linear: a53ddaaf7068aa9c
// EXPECT-STDOUT: gather wrap point normalized 0: 1e6984ce0f4da5f5
// EXPECT-STDOUT: gather wrap point normalized 1: d8177779eda5537a
// EXPECT-STDOUT: gather wrap point normalized 2: e8bc1af019b3c24d
// EXPECT-STDOUT: gather wrap point normalized 3: ad2b3d42fc1e17cd
// EXPECT-STDOUT: gather clamp point normalized 0: fd160acf9939c89e
// EXPECT-STDOUT: gather clamp point normalized 1: f5145517d709a66b
// EXPECT-STDOUT: gather clamp point normalized 2: 789af44c606cbf58
// EXPECT-STDOUT: gather clamp point normalized 3: f48e3940e908f37a
// EXPECT-STDOUT: gather mirror point normalized 0: 085f25ffc0a19b6e
// EXPECT-STDOUT: gather mirror point normalized 1: 0d786f16b7c66b77
// EXPECT-STDOUT: gather mirror point normalized 2: d482d2ae9e7f3053
// EXPECT-STDOUT: gather mirror point normalized 3: c3cf64f8c2a8b9da
// EXPECT-STDOUT: gather border point normalized 0: d3816967a55cfe91
// EXPECT-STDOUT: gather border point normalized 1: d2f28cca68dfad9e
// EXPECT-STDOUT: gather border point normalized 2: c8c8f69937796525
// EXPECT-STDOUT: gather border point normalized 3: 47f22d032711aa59
// EXPECT-STDOUT: lod point between point: 4d9a8f736e0f38c7
// EXPECT-STDOUT: grad point between point: 706bcec2f852c873
// EXPECT-STDOUT: lod linear between point: c00873e198afe78b
// EXPECT-STDOUT: grad linear between point: f2f8b2edebdcbb4a
// EXPECT-STDOUT: one float channel read as four: 665c5b15e4845e91
// EXPECT-STDOUT: two float channels read as four: ce4ce2547474ac05
// EXPECT-STDOUT: one short channel read as four floats: a40106311c7443fc
// EXPECT-STDOUT: one short channel read as four: 9a730c5cac462519
// EXPECT-STDOUT: two char channels read as four: c70e5735ead28eca
// EXPECT-STDOUT: one float channel read as four: 9d7f1ea11215011c
// EXPECT-STDOUT: two float channels read as four: bc0ed243cce569a1
// EXPECT-STDOUT: one short channel read as four floats: 77aecaec7e095ce9
// EXPECT-STDOUT: one short channel read as four: 2bdc823f608a692d
// EXPECT-STDOUT: two char channels read as four: d70dcf051668534b
// EXPECT-STDOUT: one float channel read as four: 9508adf73f250b70
// EXPECT-STDOUT: two float channels read as four: a0b4e9d5d4eb8fb3
// EXPECT-STDOUT: one float channel read as four: ca36237c0d63787d
// EXPECT-STDOUT: two float channels read as four: 9e0cd4788fc193d3
// EXPECT-STDOUT: surf2Dread uchar clamp: f574016883d9422f
// EXPECT-STDOUT: surf2Dread uchar zero: 7cf84d96db02f0f2
// EXPECT-STDOUT: surf2Dwrite uchar inside: 557a809849680a9a
// EXPECT-STDOUT: surf2Dwrite uchar zero: eb577e9bd3bf6d4a
// EXPECT-STDOUT: surf2Dread short clamp: 1619601be2a15863
// EXPECT-STDOUT: surf2Dread short zero: 3cbdcfb12cee699b
// EXPECT-STDOUT: surf2Dwrite short inside: a2fdbcb592d47b61
// EXPECT-STDOUT: surf2Dwrite short zero: 8646b3a77109e841
// EXPECT-STDOUT: surf2Dread float clamp: 469d46568d3ec061
// EXPECT-STDOUT: surf2Dread float zero: a86d268c1f59e723
// EXPECT-STDOUT: surf2Dwrite float inside: 470c4b156c3d0935
// EXPECT-STDOUT: surf2Dwrite float zero: 0c8db47f73f40935
// EXPECT-STDOUT: surf2Dread uint clamp: 631146de33ea3f73
// EXPECT-STDOUT: surf2Dread uint zero: be4dc81b5a7f028b
// EXPECT-STDOUT: surf2Dwrite uint inside: a449d9d2173dc0d5
// EXPECT-STDOUT: surf2Dwrite uint zero: 40c53cffcb0733f5
// EXPECT-STDOUT: surfaces 1d, 3d, layered: ee80baa383208ae5
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                            \
  do {                                                                                         \
    const cudaError_t error_ = (call);                                                            \
    if (error_ != cudaSuccess) {                                                               \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
      cudaGetLastError();                                                                      \
    }                                                                                          \
  } while (0)

enum Shape { T1, T1Fetch, T2, T3, A1, A2, Cube, ACube, L1, L2, G2, Gather0, Gather1, Gather2, Gather3 };

struct Point {
  float x, y, z, w;
  int layer;
};

template <class V>
__device__ V fetch(cudaTextureObject_t t, Shape s, Point p) {
  switch (s) {
    case T1: return tex1D<V>(t, p.x);
    case T1Fetch: return tex1Dfetch<V>(t, int(p.x));
    case T2: return tex2D<V>(t, p.x, p.y);
    case T3: return tex3D<V>(t, p.x, p.y, p.z);
    case A1: return tex1DLayered<V>(t, p.x, p.layer);
    case A2: return tex2DLayered<V>(t, p.x, p.y, p.layer);
    case Cube: return texCubemap<V>(t, p.x, p.y, p.z);
    case ACube: return texCubemapLayered<V>(t, p.x, p.y, p.z, p.layer);
    case L1: return tex1DLod<V>(t, p.x, p.w);
    case L2: return tex2DLod<V>(t, p.x, p.y, p.w);
    case G2: return tex2DGrad<V>(t, p.x, p.y, make_float2(p.w, 0), make_float2(0, p.z));
    case Gather0: return tex2Dgather<V>(t, p.x, p.y, 0);
    case Gather1: return tex2Dgather<V>(t, p.x, p.y, 1);
    case Gather2: return tex2Dgather<V>(t, p.x, p.y, 2);
    default: return tex2Dgather<V>(t, p.x, p.y, 3);
  }
}
template <class V>
__global__ void sample(cudaTextureObject_t t, Shape s, const Point* points, V* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fetch<V>(t, s, points[i]);
}

bool all_words = false;

// FNV-1a.
struct Digest {
  unsigned long long value = 0xcbf29ce484222325ull;
  void add(unsigned word) { value = (value ^ word) * 0x100000001b3ull; }
};

template <class V>
void show(const char* name, cudaTextureObject_t t, Shape s, const std::vector<Point>& points) {
  const int n = int(points.size());
  Point* p;
  V* out;
  CHECK(cudaMalloc(&p, n * sizeof(Point)));
  CHECK(cudaMalloc(&out, n * sizeof(V)));
  CHECK(cudaMemset(out, 0xee, n * sizeof(V)));
  CHECK(cudaMemcpy(p, points.data(), n * sizeof(Point), cudaMemcpyHostToDevice));
  sample<V><<<(n + 63) / 64, 64>>>(t, s, p, out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::vector<V> host(n);
  CHECK(cudaMemcpy(host.data(), out, n * sizeof(V), cudaMemcpyDeviceToHost));
  Digest digest;
  for (int i = 0; i < n; ++i) {
    unsigned words[4] = {};
    std::memcpy(words, &host[i], sizeof(V));
    if (all_words) std::printf("%g %g %g %g %d:", points[i].x, points[i].y, points[i].z, points[i].w, points[i].layer);
    for (size_t w = 0; w < (sizeof(V) + 3) / 4; ++w) {
      digest.add(words[w]);
      if (all_words) std::printf(" %08x", words[w]);
    }
    if (all_words) std::printf("\n");
  }
  std::printf("%s: %016llx\n", name, digest.value);
  CHECK(cudaFree(p));
  CHECK(cudaFree(out));
}

unsigned state = 12345;
unsigned random_bits() { return state = state * 1664525u + 1013904223u, state >> 8; }

std::vector<unsigned char> data_of(size_t elements, const cudaChannelFormatDesc& d) {
  const int channels = (d.x > 0) + (d.y > 0) + (d.z > 0) + (d.w > 0);
  std::vector<unsigned char> bytes(elements * channels * d.x / 8);
  for (size_t i = 0; i < elements * channels; ++i) {
    const unsigned r = random_bits();
    if (d.f == cudaChannelFormatKindFloat && d.x == 32) {
      const float v = float(int(r % 20000) - 10000) / 777.0f;
      std::memcpy(&bytes[i * 4], &v, 4);
    } else if (d.f == cudaChannelFormatKindFloat) {
      const unsigned short half = (r & 0x8000) | ((10 + r % 10) << 10) | (r >> 6 & 0x3ff);
      std::memcpy(&bytes[i * 2], &half, 2);
    } else {
      for (int b = 0; b < d.x / 8; ++b) bytes[i * d.x / 8 + b] = (unsigned char)(random_bits() >> 4);
    }
  }
  return bytes;
}

cudaArray_t make_array(cudaChannelFormatDesc d, cudaExtent e, unsigned flags) {
  cudaArray_t a = nullptr;
  CHECK(cudaMalloc3DArray(&a, &d, e, flags));
  const size_t h = e.height ? e.height : 1, slices = e.depth ? e.depth : 1;
  const std::vector<unsigned char> bytes = data_of(e.width * h * slices, d);
  cudaMemcpy3DParms c = {};
  c.srcPtr = make_cudaPitchedPtr((void*)bytes.data(), bytes.size() / (h * slices), e.width, h);
  c.dstArray = a;
  c.extent = make_cudaExtent(e.width, h, slices);
  c.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&c));
  return a;
}

cudaTextureDesc sampler(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized,
                        cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc t;
  std::memset(&t, 0, sizeof t);
  t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
  t.filterMode = filter;
  t.normalizedCoords = normalized;
  t.readMode = read;
  return t;
}

cudaTextureObject_t make_texture(cudaResourceDesc r, const cudaTextureDesc& t) {
  cudaTextureObject_t o = 0;
  CHECK(cudaCreateTextureObject(&o, &r, &t, nullptr));
  return o;
}
cudaResourceDesc of_array(cudaArray_t a) {
  cudaResourceDesc r;
  std::memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  return r;
}
const char* const kModes[] = {"wrap", "clamp", "mirror", "border"};
const char* const kFilters[] = {"point", "linear"};

std::vector<Point> grid(float from, float to, float step, float y = 0.25f) {
  std::vector<Point> all;
  for (float x = from; x <= to; x += step) all.push_back({x, y + 0.37f * x, 0.5f * x, 0, int(x)});
  return all;
}
void label(char* out, const char* what, int m, int f, int n) {
  std::sprintf(out, "%s %s %s %s", what, kModes[m], kFilters[f], n ? "normalized" : "texels");
}

template <class V>
void all_modes(const char* what, cudaArray_t a, Shape s, const std::vector<Point>& texels,
               const std::vector<Point>& unit, cudaTextureReadMode read = cudaReadModeElementType, bool linear = true) {
  for (int n = 0; n < 2; ++n)
    for (int m = 0; m < 4; ++m)
      for (int f = 0; f < (linear ? 2 : 1); ++f) {
        char name[100];
        label(name, what, m, f, n);
        cudaTextureDesc d = sampler(cudaTextureAddressMode(m), cudaTextureFilterMode(f), n, read);
        d.borderColor[0] = 0.5f, d.borderColor[1] = -3, d.borderColor[2] = 7, d.borderColor[3] = 1;
        const cudaTextureObject_t t = make_texture(of_array(a), d);
        if (t) show<V>(name, t, s, n ? unit : texels);
        if (t) CHECK(cudaDestroyTextureObject(t));
      }
}

// ---- surfaces
enum Boundary { Trap, Clamp, Zero };
template <class T>
__global__ void surface_2d(cudaSurfaceObject_t s, T* out, int x0, int y0, int w, int h, int zero) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= w || y >= h) return;
  out[y * w + x] = zero ? surf2Dread<T>(s, (x + x0) * int(sizeof(T)), y + y0, cudaBoundaryModeZero)
                        : surf2Dread<T>(s, (x + x0) * int(sizeof(T)), y + y0, cudaBoundaryModeClamp);
}
template <class T>
__global__ void surface_2d_write(cudaSurfaceObject_t s, T base, int x0, int y0, int zero) {
  const int x = threadIdx.x + x0, y = threadIdx.y + y0;
  const T v = base + T(threadIdx.y * 16 + threadIdx.x);
  if (zero)
    surf2Dwrite(v, s, x * int(sizeof(T)), y, cudaBoundaryModeZero);
  else if (x >= 0 && y >= 0 && x < 5 && y < 4)
    surf2Dwrite(v, s, x * int(sizeof(T)), y);
}
__global__ void surface_others(cudaSurfaceObject_t s1, cudaSurfaceObject_t s3, cudaSurfaceObject_t layered,
                               float4* out) {
  const int i = threadIdx.x;
  surf1Dwrite(i * 1.5f, s1, i * 4);
  surf3Dwrite(make_float2(i, -i), s3, i % 3 * 8, i / 3 % 2, i / 6);
  surf2DLayeredwrite(make_uchar4(i, i + 1, i + 2, i + 3), layered, i % 4 * 4, 0, i / 4);
  __syncthreads();
  const float2 b = surf3Dread<float2>(s3, i % 3 * 8, i / 3 % 2, i / 6);
  const uchar4 c = surf2DLayeredread<uchar4>(layered, i % 4 * 4, 0, i / 4);
  out[i] = make_float4(surf1Dread<float>(s1, (i - 2) * 4, cudaBoundaryModeZero), b.x, b.y, c.x * 1000 + c.w);
}
cudaSurfaceObject_t make_surface(cudaArray_t a) {
  cudaResourceDesc r = of_array(a);
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  return s;
}
void print_words(const char* name, const void* device, size_t bytes) {
  std::vector<unsigned> words((bytes + 3) / 4);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(words.data(), device, bytes, cudaMemcpyDeviceToHost));
  Digest digest;
  for (const unsigned word : words) {
    digest.add(word);
    if (all_words) std::printf("%08x\n", word);
  }
  std::printf("%s: %016llx\n", name, digest.value);
}
template <class T>
void surfaces_of(const char* name, T base) {
  const cudaArray_t a = make_array(cudaCreateChannelDesc<T>(), make_cudaExtent(5, 4, 0), cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t s = make_surface(a);
  T* out;
  CHECK(cudaMalloc(&out, 9 * 8 * sizeof(T)));
  CHECK(cudaMemset(out, 0, 9 * 8 * sizeof(T)));
  char label[100];
  for (int zero = 0; zero < 2; ++zero) {
    surface_2d<T><<<1, dim3(16, 8)>>>(s, out, -2, -2, 9, 8, zero);
    std::sprintf(label, "surf2Dread %s %s", name, zero ? "zero" : "clamp");
    print_words(label, out, 9 * 8 * sizeof(T));
  }
  for (int zero = 0; zero < 2; ++zero) {
    surface_2d_write<T><<<1, dim3(9, 8)>>>(s, T(base + zero), -2 + zero, -2 + zero, zero);
    surface_2d<T><<<1, dim3(16, 8)>>>(s, out, 0, 0, 5, 4, 1);
    std::sprintf(label, "surf2Dwrite %s %s", name, zero ? "zero" : "inside");
    print_words(label, out, 5 * 4 * sizeof(T));
  }
  CHECK(cudaFree(out));
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaFreeArray(a));
}

int main(int count, char**) {
  all_words = count > 1;
  const cudaChannelFormatDesc f1 = cudaCreateChannelDesc<float>(), f2 = cudaCreateChannelDesc<float2>(),
                              f4 = cudaCreateChannelDesc<float4>();
  std::vector<Point> texels = grid(-2.75f, 7.5f, 0.1875f), unit = grid(-1.3f, 2.4f, 0.0859375f);
  for (float x : {0.0f, 0.5f, 1.0f, 1.5f, 4.0f, 4.5f, 5.0f, -0.5f, -1.0f, 2.001953125f, 2.0029296875f}) {
    texels.push_back({x, x, x, 0, int(x)});
    unit.push_back({x, x, x, 0, int(x)});
  }

  // Weights: values 0 and 1, and large differences.
  {
    cudaArray_t a;
    CHECK(cudaMallocArray(&a, &f1, 2, 0));
    std::vector<Point> fine;
    for (int i = -3; i <= 1027; i += i < 40 || i > 1000 ? 1 : 7) fine.push_back({0.5f + i / 1024.0f, 0, 0, 0, 0});
    for (const auto& pair : {make_float2(0, 1), make_float2(1, 0), make_float2(1e10f, 1), make_float2(0.1f, 0.7f),
                             make_float2(-3.3333f, 1234.567f)}) {
      CHECK(cudaMemcpy2DToArray(a, 0, 0, &pair, 8, 8, 1, cudaMemcpyHostToDevice));
      const cudaTextureObject_t t = make_texture(of_array(a), sampler(cudaAddressModeClamp, cudaFilterModeLinear, false));
      char name[100];
      std::sprintf(name, "weights %g %g", pair.x, pair.y);
      show<float>(name, t, T1, fine);
      CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFreeArray(a));
  }

  const cudaArray_t one = make_array(f1, make_cudaExtent(5, 0, 0), 0);
  all_modes<float>("1d float", one, T1, texels, unit);
  const cudaArray_t two = make_array(f1, make_cudaExtent(5, 4, 0), cudaArrayTextureGather);
  all_modes<float>("2d float", two, T2, texels, unit);
  const cudaArray_t two4 = make_array(f4, make_cudaExtent(4, 3, 0), cudaArrayTextureGather);
  all_modes<float4>("2d float4", two4, T2, texels, unit);
  const cudaArray_t two2 = make_array(f2, make_cudaExtent(4, 3, 0), 0);
  all_modes<float2>("2d float2", two2, T2, texels, unit);
  const cudaArray_t three = make_array(f1, make_cudaExtent(5, 4, 3), 0);
  all_modes<float>("3d float", three, T3, texels, unit);
  const cudaArray_t a1 = make_array(f1, make_cudaExtent(5, 0, 3), cudaArrayLayered);
  all_modes<float>("1d layered float", a1, A1, texels, unit);
  const cudaArray_t a2 = make_array(f1, make_cudaExtent(5, 4, 3), cudaArrayLayered);
  all_modes<float>("2d layered float", a2, A2, texels, unit);

  // Formats.
  const cudaArray_t bytes = make_array(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(4, 4, 0), cudaArrayTextureGather);
  all_modes<uchar4>("2d uchar4", bytes, T2, texels, unit, cudaReadModeElementType, false);
  all_modes<float4>("2d uchar4 as float", bytes, T2, texels, unit, cudaReadModeNormalizedFloat);
  const cudaArray_t signeds = make_array(cudaCreateChannelDesc<char2>(), make_cudaExtent(4, 4, 0), 0);
  all_modes<char2>("2d char2", signeds, T2, texels, unit, cudaReadModeElementType, false);
  all_modes<float2>("2d char2 as float", signeds, T2, texels, unit, cudaReadModeNormalizedFloat);
  const cudaArray_t shorts = make_array(cudaCreateChannelDesc<ushort1>(), make_cudaExtent(4, 4, 0), 0);
  all_modes<ushort1>("2d ushort", shorts, T2, texels, unit, cudaReadModeElementType, false);
  all_modes<float>("2d ushort as float", shorts, T2, texels, unit, cudaReadModeNormalizedFloat);
  const cudaArray_t shorts4 = make_array(cudaCreateChannelDesc<short4>(), make_cudaExtent(4, 4, 0), 0);
  all_modes<float4>("2d short4 as float", shorts4, T2, texels, unit, cudaReadModeNormalizedFloat);
  const cudaArray_t ints = make_array(cudaCreateChannelDesc<int4>(), make_cudaExtent(4, 4, 0), 0);
  all_modes<int4>("2d int4", ints, T2, texels, unit, cudaReadModeElementType, false);
  const cudaArray_t halves = make_array(cudaCreateChannelDescHalf4(), make_cudaExtent(4, 4, 0), 0);
  all_modes<float4>("2d half4", halves, T2, texels, unit);
  for (int f = 0; f < 2; ++f) {
    cudaTextureDesc d = sampler(cudaAddressModeClamp, cudaTextureFilterMode(f), true, cudaReadModeNormalizedFloat);
    d.sRGB = 1;
    show<float4>(f ? "srgb linear" : "srgb point", make_texture(of_array(bytes), d), T2, unit);
  }
  // All 256 values of a byte, normalized and sRGB; one channel each.
  {
    cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>();
    cudaArray_t a;
    CHECK(cudaMallocArray(&a, &d, 256, 0));
    std::vector<unsigned char> all;
    for (int i = 0; i < 1024; ++i) all.push_back(i / 4);
    CHECK(cudaMemcpy2DToArray(a, 0, 0, all.data(), 1024, 1024, 1, cudaMemcpyHostToDevice));
    std::vector<Point> each;
    for (int i = 0; i < 256; ++i) each.push_back({i + 0.5f, 0, 0, 0, 0});
    for (int srgb = 0; srgb < 2; ++srgb) {
      cudaTextureDesc t = sampler(cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
      t.sRGB = srgb;
      show<float4>(srgb ? "bytes srgb" : "bytes", make_texture(of_array(a), t), T1, each);
    }
    std::vector<Point> fine;
    for (int i = 0; i < 300; ++i) fine.push_back({100.5f + i * 0.0107f, 0, 0, 0, 0});
    show<float4>("bytes linear", make_texture(of_array(a), sampler(cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat)), T1, fine);
  }

  // Linear and pitch-linear memory.
  {
    float* linear;
    CHECK(cudaMalloc(&linear, 64 * sizeof(float)));
    std::vector<float> values(64);
    for (float& v : values) v = float(random_bits() % 1000) / 3;
    CHECK(cudaMemcpy(linear, values.data(), 256, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    std::memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = linear;
    r.res.linear.desc = f1;
    r.res.linear.sizeInBytes = 40 * 4;
    std::vector<Point> index;
    for (int i = -3; i < 44; ++i) index.push_back({float(i), 0, 0, 0, 0});
    show<float>("linear", make_texture(r, sampler(cudaAddressModeClamp, cudaFilterModePoint, false)), T1Fetch, index);
    float* pitched;
    size_t pitch;
    CHECK(cudaMallocPitch(&pitched, &pitch, 5 * 4, 4));
    CHECK(cudaMemcpy2D(pitched, pitch, values.data(), 20, 20, 4, cudaMemcpyHostToDevice));
    std::memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = pitched;
    r.res.pitch2D.desc = f1;
    r.res.pitch2D.width = 5;
    r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = pitch;
    for (int n = 0; n < 2; ++n)
      for (int m = 0; m < 4; ++m)
        for (int f = 0; f < 2; ++f) {
          char name[100];
          label(name, "pitched", m, f, n);
          const cudaTextureObject_t t = make_texture(r, sampler(cudaTextureAddressMode(m), cudaTextureFilterMode(f), n));
          if (t) show<float>(name, t, T2, n ? unit : texels);
        }
  }

  // Cubemaps.
  {
    const cudaArray_t cube = make_array(f1, make_cudaExtent(4, 4, 6), cudaArrayCubemap);
    const cudaArray_t cubes = make_array(f1, make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered);
    std::vector<Point> directions;
    for (int i = 0; i < 150; ++i)
      directions.push_back({float(int(random_bits() % 2001) - 1000) / 512, float(int(random_bits() % 2001) - 1000) / 512,
                            float(int(random_bits() % 2001) - 1000) / 512, 0, int(random_bits() % 5) - 1});
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) directions.push_back({float(x), float(y), float(z), 0, 1});
    for (int f = 0; f < 2; ++f) {
      const cudaTextureDesc d = sampler(cudaAddressModeWrap, cudaTextureFilterMode(f), true);
      show<float>(f ? "cubemap linear" : "cubemap point", make_texture(of_array(cube), d), Cube, directions);
      show<float>(f ? "layered cubemap linear" : "layered cubemap point", make_texture(of_array(cubes), d), ACube, directions);
    }
  }

  // Gather.
  for (int m = 0; m < 4; ++m)
    for (int c = 0; c < 4; ++c) {
      char name[100];
      label(name, "gather", m, 0, 1);
      std::sprintf(name + std::strlen(name), " %d", c);
      show<float4>(name, make_texture(of_array(two4), sampler(cudaTextureAddressMode(m), cudaFilterModePoint, true)),
                   Shape(Gather0 + c), unit);
    }

  // Mipmaps.
  {
    cudaMipmappedArray_t chain;
    CHECK(cudaMallocMipmappedArray(&chain, &f1, make_cudaExtent(8, 8, 0), 4, 0));
    for (unsigned level = 0; level < 4; ++level) {
      cudaArray_t a;
      CHECK(cudaGetMipmappedArrayLevel(&a, chain, level));
      const size_t side = 8 >> level;
      const std::vector<unsigned char> values = data_of(side * side, f1);
      CHECK(cudaMemcpy2DToArray(a, 0, 0, values.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc r;
    std::memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = chain;
    std::vector<Point> levels;
    for (float w = -0.5f; w < 4; w += 0.1f) levels.push_back({0.3f + w / 10, 0.6f - w / 20, w / 8, w / 16, 0});
    std::vector<Point> lods;
    for (float w = -0.5f; w < 4; w += 0.0625f) lods.push_back({0.3f + w / 10, 0.6f - w / 20, 0, w, 0});
    for (int f = 0; f < 2; ++f)
      for (int between = 0; between < 2; ++between) {
        cudaTextureDesc d = sampler(cudaAddressModeWrap, cudaTextureFilterMode(f), true);
        d.mipmapFilterMode = cudaTextureFilterMode(between);
        d.maxMipmapLevelClamp = 3;
        char name[100];
        std::sprintf(name, "lod %s between %s", kFilters[f], kFilters[between]);
        show<float>(name, make_texture(r, d), L2, lods);
        std::sprintf(name, "grad %s between %s", kFilters[f], kFilters[between]);
        show<float>(name, make_texture(r, d), G2, levels);
      }
  }

  // Channels that the format lacks.
  for (int f = 0; f < 2; ++f) {
    const std::vector<Point> inside = {{1.2f, 1.3f, 0, 0, 0}, {2.7f, 0.6f, 0, 0, 0}, {-3, 9, 0, 0, 0}};
    for (int m : {1, 3}) {
      const cudaTextureDesc d = sampler(cudaTextureAddressMode(m), cudaTextureFilterMode(f), false);
      const cudaTextureDesc n = sampler(cudaTextureAddressMode(m), cudaTextureFilterMode(f), false, cudaReadModeNormalizedFloat);
      show<float4>("one float channel read as four", make_texture(of_array(two), d), T2, inside);
      show<float4>("two float channels read as four", make_texture(of_array(two2), d), T2, inside);
      show<float4>("one short channel read as four floats", make_texture(of_array(shorts), n), T2, inside);
      if (f == 0) show<int4>("one short channel read as four", make_texture(of_array(shorts), d), T2, inside);
      if (f == 0) show<int4>("two char channels read as four", make_texture(of_array(signeds), d), T2, inside);
    }
  }
  surfaces_of<unsigned char>("uchar", 17);
  surfaces_of<short>("short", -300);
  surfaces_of<float>("float", 0.5f);
  surfaces_of<unsigned>("uint", 1000000);
  {
    const cudaArray_t s1 = make_array(f1, make_cudaExtent(12, 0, 0), cudaArraySurfaceLoadStore),
                      s3 = make_array(f2, make_cudaExtent(3, 2, 2), cudaArraySurfaceLoadStore),
                      layered = make_array(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(4, 1, 3),
                                           cudaArraySurfaceLoadStore | cudaArrayLayered);
    float4* out;
    CHECK(cudaMalloc(&out, 12 * sizeof(float4)));
    surface_others<<<1, 12>>>(make_surface(s1), make_surface(s3), make_surface(layered), out);
    print_words("surfaces 1d, 3d, layered", out, 12 * sizeof(float4));
  }
  return 0;
}
