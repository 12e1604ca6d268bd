// Pictures and signals: filters of windows, codes of neighbourhoods, seams, lenses, tones, distances, and filters, correlations, tones and decoders of one-dimensional signals.
#include "cases.h"

typedef unsigned char uchar;

// Three colours sharpened by what a blur of 5x5 takes away.
__global__ void unsharp_mask_rgb(const uchar3* in, uchar3* out, int width, int height, float amount) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float weight[5] = {1.f / 16, 4.f / 16, 6.f / 16, 4.f / 16, 1.f / 16};
  float r = 0, g = 0, b = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      const uchar3 p = in[min(max(y + j, 0), height - 1) * width + min(max(x + i, 0), width - 1)];
      const float w = weight[j + 2] * weight[i + 2];
      r += w * p.x;
      g += w * p.y;
      b += w * p.z;
    }
  const uchar3 p = in[y * width + x];
  auto sharpen = [amount](float v, float blurred) { return (uchar)fminf(fmaxf(v + amount * (v - blurred), 0.f), 255.f); };
  out[y * width + x] = make_uchar3(sharpen(p.x, r), sharpen(p.y, g), sharpen(p.z, b));
}

// Census transform over 9x7: comparisons with the centre as bits, from a tile.
template <int BX, int BY>
__global__ void census_9x7(const uchar* __restrict__ img, unsigned long long* __restrict__ codes, int w, int h) {
  __shared__ uchar tile[BY + 6][BX + 8];
  const int x0 = blockIdx.x * BX - 4, y0 = blockIdx.y * BY - 3;
  for (int i = threadIdx.y * BX + threadIdx.x; i < (BY + 6) * (BX + 8); i += BX * BY) {
    const int ty = i / (BX + 8), tx = i % (BX + 8), x = x0 + tx, y = y0 + ty;
    tile[ty][tx] = x >= 0 && y >= 0 && x < w && y < h ? img[y * w + x] : 0;
  }
  __syncthreads();
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  if (x >= w || y >= h) return;
  const uchar centre = tile[threadIdx.y + 3][threadIdx.x + 4];
  unsigned long long code = 0;
#pragma unroll
  for (int j = 0; j < 7; ++j)
#pragma unroll
    for (int i = 0; i < 9; ++i) {
      if (i == 4 && j == 3) continue;
      code = code << 1 | (tile[threadIdx.y + j][threadIdx.x + i] > centre);
    }
  codes[y * w + x] = code;
}

// Kuwahara: of four windows around a pixel, the mean of the calmest.
__global__ void kuwahara(const float* img, float* out, int w, int h, int radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < radius || y < radius || x >= w - radius || y >= h - radius) return;
  float best = 1e30f, value = 0;
  int n = (radius + 1) * (radius + 1);
  for (int q = 0; q < 4; q++) {
    int xs = q & 1 ? x : x - radius, ys = q & 2 ? y : y - radius;
    float sum = 0, sq = 0;
    for (int j = ys; j <= ys + radius; j++)
      for (int i = xs; i <= xs + radius; i++) {
        float v = img[j * w + i];
        sum += v;
        sq += v * v;
      }
    float mean = sum / n, var = sq / n - mean * mean;
    if (var < best) {
      best = var;
      value = mean;
    }
  }
  out[y * w + x] = value;
}

// A picture without its lens's distortion, between four pixels.
__global__ void undistort_brown(const uchar4* __restrict__ src, uchar4* __restrict__ dst, int w, int h, float fx, float fy, float k1, float k2, float p1, float p2) {
  const int u = blockIdx.x * 32 + threadIdx.x, v = blockIdx.y * 8 + threadIdx.y;
  if (u >= w || v >= h) return;
  const float cx = 0.5f * w, cy = 0.5f * h, x = (u - cx) / fx, y = (v - cy) / fy, r2 = x * x + y * y;
  const float radial = 1.f + r2 * (k1 + r2 * k2);
  const float sx = (x * radial + 2.f * p1 * x * y + p2 * (r2 + 2.f * x * x)) * fx + cx, sy = (y * radial + p1 * (r2 + 2.f * y * y) + 2.f * p2 * x * y) * fy + cy;
  uchar4 o = make_uchar4(0, 0, 0, 255);
  if (sx >= 0.f && sy >= 0.f && sx < w - 1 && sy < h - 1) {
    const int ix = (int)sx, iy = (int)sy;
    const float ax = sx - ix, ay = sy - iy;
    const uchar4 a = src[iy * w + ix], b = src[iy * w + ix + 1], c = src[iy * w + w + ix], d = src[iy * w + w + ix + 1];
    auto mix = [&](float p, float q, float r, float s) { return (uchar)((p * (1 - ax) + q * ax) * (1 - ay) + (r * (1 - ax) + s * ax) * ay + 0.5f); };
    o.x = mix(a.x, b.x, c.x, d.x);
    o.y = mix(a.y, b.y, c.y, d.y);
    o.z = mix(a.z, b.z, c.z, d.z);
  }
  dst[v * w + u] = o;
}

// Linear light to a screen's: exposure, a filmic curve, sRGB.
__device__ float aces(float x) { return __saturatef(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f)); }
__device__ float srgb(float x) { return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.f / 2.4f) - 0.055f; }
__global__ void tonemap_filmic(const float4* __restrict__ hdr, uchar4* __restrict__ ldr, int n, float exposure) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float4 c = hdr[i];
    ldr[i] = make_uchar4((uchar)(255.f * srgb(aces(c.x * exposure))), (uchar)(255.f * srgb(aces(c.y * exposure))), (uchar)(255.f * srgb(aces(c.z * exposure))), 255);
  }
}

// Squared distances to the nearest set pixel, along rows after the columns' pass: a block a row.
__global__ void distance_rows(const unsigned short* column_distance, int* out, int w) {
  extern __shared__ int g[];
  for (int x = threadIdx.x; x < w; x += blockDim.x) {
    int d = column_distance[blockIdx.x * w + x];
    g[x] = d * d;
  }
  __syncthreads();
  for (int x = threadIdx.x; x < w; x += blockDim.x) {
    int best = g[x];
    for (int r = 1; r * r < best; r++) {
      if (x >= r) best = min(best, g[x - r] + r * r);
      if (x + r < w) best = min(best, g[x + r] + r * r);
    }
    out[blockIdx.x * w + x] = best;
  }
}

// The least energy of vertical seams, row by row in one block.
__global__ void seam_energy(const float* energy, float* total, int* from, int w, int h) {
  extern __shared__ float lines[];
  float *above = lines, *here = lines + w;
  for (int x = threadIdx.x; x < w; x += blockDim.x) total[x] = above[x] = energy[x];
  __syncthreads();
  for (int y = 1; y < h; y++) {
    for (int x = threadIdx.x; x < w; x += blockDim.x) {
      int arg = x;
      float least = above[x];
      if (x > 0 && above[x - 1] < least) {
        least = above[x - 1];
        arg = x - 1;
      }
      if (x + 1 < w && above[x + 1] < least) {
        least = above[x + 1];
        arg = x + 1;
      }
      here[x] = least + energy[y * w + x];
      total[y * w + x] = here[x];
      from[y * w + x] = arg;
    }
    __syncthreads();
    float* swap = above;
    above = here;
    here = swap;
  }
}

// Local binary patterns counted by cell of 16x16: a warp a cell, a histogram of the uniform codes in shared memory.
__global__ void lbp_cells(const uchar* __restrict__ img, unsigned* __restrict__ hist, int w, int cells_x, int cells) {
  __shared__ unsigned bins[4][60];
  const int warp = threadIdx.y, lane = threadIdx.x, cell = blockIdx.x * 4 + warp;
  for (int i = lane; i < 60; i += 32) bins[warp][i] = 0;
  __syncwarp();
  if (cell < cells) {
    const int x0 = cell % cells_x * 16 + 1, y0 = cell / cells_x * 16 + 1;
    for (int i = lane; i < 256; i += 32) {
      const uchar* p = img + (y0 + i / 16) * w + x0 + i % 16;
      const uchar c = *p;
      unsigned code = (p[-w - 1] >= c) | (p[-w] >= c) << 1 | (p[-w + 1] >= c) << 2 | (p[1] >= c) << 3 | (p[w + 1] >= c) << 4 | (p[w] >= c) << 5 | (p[w - 1] >= c) << 6 | (p[-1] >= c) << 7;
      const unsigned turned = (code << 1 | code >> 7) & 255;
      const int changes = __popc(code ^ turned), ones = __popc(code);
      const int bin = changes > 2 ? 59 : ones == 0 ? 0 : ones == 8 ? 58 : 1 + (ones - 1) * 8 + (__ffs(code & ~turned) - 1);
      atomicAdd(&bins[warp][bin], 1u);
    }
    __syncwarp();
    for (int i = lane; i < 60; i += 32) hist[cell * 60 + i] = bins[warp][i];
  }
}

// A low-pass filter and every D-th value of it.
__constant__ float taps[64];
template <int TAPS, int D, int B>
__global__ void fir_decimate(const float2* __restrict__ in, float2* __restrict__ out, int n_out) {
  __shared__ float2 s[B * D + TAPS];
  const int first = blockIdx.x * B * D;
  for (int i = threadIdx.x; i < B * D + TAPS; i += B) s[i] = in[first + i];
  __syncthreads();
  const int o = blockIdx.x * B + threadIdx.x;
  if (o >= n_out) return;
  float2 acc = make_float2(0.f, 0.f);
#pragma unroll 8
  for (int t = 0; t < TAPS; ++t) {
    const float2 v = s[threadIdx.x * D + t];
    acc.x += taps[t] * v.x;
    acc.y += taps[t] * v.y;
  }
  out[o] = acc;
}

struct Biquad {
  float b0, b1, b2, a1, a2;
};
// Channels through a chain of four second-order sections, a channel a thread, samples interleaved.
__global__ void biquad_chain(const float* in, float* out, const Biquad* sections, int channels, int samples) {
  int ch = blockIdx.x * blockDim.x + threadIdx.x;
  if (ch >= channels) return;
  Biquad q[4];
  float z1[4], z2[4];
  for (int s = 0; s < 4; s++) {
    q[s] = sections[s];
    z1[s] = 0;
    z2[s] = 0;
  }
  for (int t = 0; t < samples; t++) {
    float x = in[t * channels + ch];
    for (int s = 0; s < 4; s++) {
      float y = q[s].b0 * x + z1[s];
      z1[s] = q[s].b1 * x - q[s].a1 * y + z2[s];
      z2[s] = q[s].b2 * x - q[s].a2 * y;
      x = y;
    }
    out[t * channels + ch] = x;
  }
}

// The power of eight tones in frames of samples (Goertzel): a frame's eight lanes.
__global__ void goertzel_tones(const short* __restrict__ pcm, const float* __restrict__ coefficient, float* __restrict__ power, int frames, int length, int hop) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, frame = t / 8, tone = t % 8;
  if (frame >= frames) return;
  const float k = coefficient[tone];
  float s1 = 0.f, s2 = 0.f;
  const short* x = pcm + frame * hop;
  for (int i = 0; i < length; ++i) {
    const float s0 = x[i] * (1.f / 32768.f) + k * s1 - s2;
    s2 = s1;
    s1 = s0;
  }
  power[t] = s1 * s1 + s2 * s2 - k * s1 * s2;
}

// The pitch of frames by autocorrelation: a block a frame, a lag a thread, the best by a reduction.
__global__ __launch_bounds__(256) void pitch_autocorrelation(const float* __restrict__ x, int* __restrict__ pitch, float* __restrict__ clarity, int hop, int length, int min_lag) {
  extern __shared__ float frame[];
  __shared__ float best[256];
  __shared__ int arg[256];
  for (int i = threadIdx.x; i < length; i += 256) frame[i] = x[blockIdx.x * hop + i];
  __syncthreads();
  const int lag = min_lag + threadIdx.x;
  float sum = 0.f, energy = 1e-9f;
  for (int i = 0; i + lag < length; ++i) {
    sum += frame[i] * frame[i + lag];
    energy += frame[i + lag] * frame[i + lag];
  }
  best[threadIdx.x] = sum * rsqrtf(energy);
  arg[threadIdx.x] = lag;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s && best[threadIdx.x + s] > best[threadIdx.x]) {
      best[threadIdx.x] = best[threadIdx.x + s];
      arg[threadIdx.x] = arg[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    pitch[blockIdx.x] = arg[0];
    clarity[blockIdx.x] = best[0];
  }
}

// Logarithms of mel bands from spectra: triangles with their own first bin and width, a warp a band of a frame.
__global__ void mel_log_bands(const float2* __restrict__ spectrum, const int2* __restrict__ span, const float* __restrict__ weights, float* __restrict__ mel, int bins, int bands, int frames) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  const int frame = warp / bands, band = warp % bands;
  if (frame >= frames) return;
  const int2 s = span[band];
  float sum = 0.f;
  for (int i = lane; i < s.y; i += 32) {
    const float2 z = spectrum[frame * bins + s.x + i];
    sum += weights[band * 64 + i] * (z.x * z.x + z.y * z.y);
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (lane == 0) mel[frame * bands + band] = log10f(fmaxf(sum, 1e-10f));
}

// Soft decisions of a convolutional code (K = 7, 171/133): 64 states in two registers a lane, decisions as bits.
__global__ void viterbi_k7(const char2* __restrict__ symbols, unsigned long long* __restrict__ decisions, int* __restrict__ metrics, int steps, int streams) {
  const int lane = threadIdx.x, stream = blockIdx.x * blockDim.y + threadIdx.y;
  if (stream >= streams) return;
  int m0 = lane == 0 ? 0 : 4096, m1 = 4096;  // states lane and lane + 32
  const int s0 = (__popc((2 * lane) & 0171) & 1) ? 1 : -1, s1 = (__popc((2 * lane) & 0133) & 1) ? 1 : -1;
  for (int t = 0; t < steps; ++t) {
    const char2 c = symbols[stream * steps + t];
    const int branch = s0 * c.x + s1 * c.y;
    // From lane and lane + 32 to the states 2 lane and 2 lane + 1.
    const int a0 = m0 - branch, b0 = m1 + branch, a1 = m0 + branch, b1 = m1 - branch;
    const bool d0 = b0 < a0, d1 = b1 < a1;
    const int n0 = d0 ? b0 : a0, n1 = d1 ? b1 : a1;
    const unsigned w0 = __ballot_sync(0xffffffffu, d0), w1 = __ballot_sync(0xffffffffu, d1);
    if (lane == 0) decisions[stream * steps + t] = (unsigned long long)w1 << 32 | w0;
    const int low0 = __shfl_sync(0xffffffffu, n0, lane / 2), low1 = __shfl_sync(0xffffffffu, n1, lane / 2);
    const int high0 = __shfl_sync(0xffffffffu, n0, 16 + lane / 2), high1 = __shfl_sync(0xffffffffu, n1, 16 + lane / 2);
    m0 = lane & 1 ? low1 : low0;
    m1 = lane & 1 ? high1 : high0;
  }
  metrics[stream * 64 + lane] = m0;
  metrics[stream * 64 + 32 + lane] = m1;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return 0.4f * fraction(i * 3 + 5) - 0.2f + 0.5f * ((i * 37 & 511) / 512.f); });
  float* c = zeros<float>(1 << 23);
  const uchar* u8 = on_device<uchar>(1 << 22, [](uint32_t i) { return uchar((i % 640) / 4 + (hashed(i) & 63)); });
  int* io = zeros<int>(1 << 22);

  run("unsharp_mask_rgb", [&] { unsharp_mask_rgb<<<dim3(25, 57), dim3(32, 8)>>>((const uchar3*)u8, (uchar3*)c, 800, 450, 0.7f); });
  run("census_9x7", [&] { census_9x7<32, 16><<<dim3(21, 31), dim3(32, 16)>>>(u8, (unsigned long long*)c, 652, 481); });
  run("kuwahara_3", [&] { kuwahara<<<dim3(40, 30), dim3(16, 16)>>>(a, c, 640, 480, 3); });
  run("kuwahara_5", [&] { kuwahara<<<dim3(10, 75), dim3(32, 4)>>>(a, c, 320, 300, 5); });
  run("undistort_brown", [&] { undistort_brown<<<dim3(40, 90), dim3(32, 8)>>>((const uchar4*)u8, (uchar4*)c, 1280, 720, 900.f, 905.f, -0.21f, 0.05f, 0.001f, -0.0007f); });
  run("tonemap_filmic", [&] { tonemap_filmic<<<396, 256>>>((const float4*)a, (uchar4*)c, 700000, 1.7f); });
  const unsigned short* columns = on_device<unsigned short>(700 * 500, [](uint32_t i) { return (unsigned short)(1 + hashed(i / 3) % 29 * (hashed(i) % 4)); });
  run("distance_rows", [&] { distance_rows<<<500, 128, 700 * 4>>>(columns, io, 700); });
  run("seam_energy", [&] { seam_energy<<<1, 1024, 2 * 1500 * 4>>>(a, c, io, 1500, 120); });
  run("lbp_cells", [&] { lbp_cells<<<(79 * 59 + 3) / 4, dim3(32, 4)>>>(u8, (unsigned*)io, 1280, 79, 79 * 59); });
  std::vector<float> low(64);
  for (int i = 0; i < 64; ++i) low[i] = float(i < 32 ? i + 1 : 64 - i) / 1056.f;
  CHECK(cudaMemcpyToSymbol(taps, low.data(), 64 * sizeof(float)));
  run("fir_decimate_5", [&] { fir_decimate<48, 5, 128><<<1200, 128>>>((const float2*)b, (float2*)c, 153500); });
  run("fir_decimate_8", [&] { fir_decimate<64, 8, 96><<<400, 96>>>((const float2*)b, (float2*)c, 38400); });
  const Biquad* sections = on_device<Biquad>(4, [](uint32_t i) { return Biquad{0.2f + 0.01f * i, 0.4f, 0.2f, -0.36f, 0.19f}; });
  run("biquad_chain", [&] { biquad_chain<<<63, 32>>>(b, c, sections, 2000, 400); });
  const short* pcm = on_device<short>(1 << 20, [](uint32_t i) { return short(int(hashed(i) & 0x3fff) - 0x2000); });
  const float* tones = on_device<float>(8, [](uint32_t i) { return 1.9f - 0.1f * i; });
  run("goertzel_tones", [&] { goertzel_tones<<<(4000 * 8 + 159) / 160, 160>>>(pcm, tones, c, 4000, 205, 160); });
  run("pitch_autocorrelation", [&] { pitch_autocorrelation<<<200, 256, 1100 * 4>>>(b, io, c, 441, 1100, 40); });
  const int2* spans = on_device<int2>(80, [](uint32_t i) { return make_int2(int(2 + i * i / 18), int(3 + i / 2)); });
  run("mel_log_bands", [&] { mel_log_bands<<<(1500 * 80 + 7) / 8, 256>>>((const float2*)a, spans, b, c, 513, 80, 1500); });
  const char2* symbols = on_device<char2>(700 * 400, [](uint32_t i) { return make_char2((signed char)(hashed(i) & 127) - 64, (signed char)(hashed(i + 7) & 127) - 64); });
  run("viterbi_k7", [&] { viterbi_k7<<<175, dim3(32, 4)>>>(symbols, (unsigned long long*)c, io, 400, 700); });
  return 0;
}
