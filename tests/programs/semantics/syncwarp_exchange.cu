// Lanes of one warp reach __syncwarp at different places: each side must see the other side's earlier writes.
#include "check.h"

// Even lanes produce, odd lanes consume, from the two arms of one branch.
__global__ void across_arms(int* out) {
  __shared__ volatile int mail[32];
  int t = threadIdx.x;
  mail[t] = -1;
  __syncwarp();
  if (t % 2 == 0) {
    mail[t] = 100 + t;
    __syncwarp();
    __syncwarp();
    out[t] = mail[t + 1];
  } else {
    __syncwarp();
    int received = mail[t - 1];
    mail[t] = received * 2;
    __syncwarp();
    out[t] = received;
  }
}

// Ping-pong for many rounds; the two sides run different loops.
__global__ void ping_pong(int* out, int rounds) {
  __shared__ volatile int ball[2];
  int t = threadIdx.x;
  if (t < 2) ball[t] = t;
  __syncwarp();
  if (t < 16) {
    for (int r = 0; r < rounds; ++r) {
      if (t == 0) ball[0] = ball[1] + 1;
      __syncwarp();
      __syncwarp();
    }
    out[t] = ball[1];
  } else {
    int r = rounds;
    while (r-- > 0) {
      __syncwarp();
      if (t == 16) ball[1] = ball[0] * 2;
      __syncwarp();
    }
    out[t] = ball[0];
  }
}

// One lane of the mask exits: the rest must not wait for it.
__global__ void leaver(int* out) {
  __shared__ volatile int value[32];
  int t = threadIdx.x;
  value[t] = t;
  if (t == 5) return;
  __syncwarp(0xffffffdfu);
  out[t] = value[t ^ 1] * 10;
}

// Only the lanes of the mask synchronize.
__global__ void partial(int* out) {
  __shared__ volatile int value[32];
  int t = threadIdx.x;
  value[t] = 0;
  __syncwarp();
  if (t < 8) {
    value[t] = t + 1;
    __syncwarp(0xff);
    out[t] = value[7 - t];
  } else if (t < 12) {
    value[t] = t * t;
    __syncwarp(0xf00);
    out[t] = value[8 + 11 - t];
  } else {
    out[t] = -t;
  }
}

// A handshake through a volatile flag without any *sync: legal since Volta, where every lane makes progress.
__global__ void flag_within_warp(int* out) {
  __shared__ volatile int flag, data;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncwarp();
  if (t == 31) {
    data = 42;
    __threadfence_block();
    flag = 1;
  } else {
    while (flag == 0) {
    }
    __threadfence_block();
    out[t] = data;
  }
}

// The classic warp-synchronous reduction: read, synchronize, write, synchronize.
__global__ void tree(int* out, const int* in) {
  __shared__ int value[64];
  int t = threadIdx.x;
  value[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    int sum = value[t] + value[t + 32];
    value[t] = sum;
    __syncwarp();
    for (int s = 16; s > 0; s /= 2) {
      int other = t < s ? value[t + s] : 0;
      __syncwarp();
      sum += other;
      value[t] = sum;
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = sum;
  }
}

int main() {
  {
    Buffer<int> out(32);
    across_arms<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<int> want(32);
    for (int t = 0; t < 32; ++t) want[t] = t % 2 ? 100 + t - 1 : (100 + t) * 2;
    expect_same("across_arms", out.get(), want);
  }
  for (int rounds : {1, 20}) {
    Buffer<int> out(32);
    ping_pong<<<1, 32>>>(out, rounds);
    CK_LAUNCH();
    int a = 0, b = 1;
    for (int r = 0; r < rounds; ++r) a = b + 1, b = a * 2;
    std::vector<int> want(32);
    for (int t = 0; t < 32; ++t) want[t] = t < 16 ? b : a;
    expect_same("ping_pong", out.get(), want);
  }
  {
    Buffer<int> out(32);
    leaver<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<int> want(32);
    for (int t = 0; t < 32; ++t) want[t] = t == 5 ? 0 : (t ^ 1) * 10;
    expect_same("leaver", out.get(), want);
  }
  {
    Buffer<int> out(32);
    partial<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<int> want(32);
    for (int t = 0; t < 32; ++t) want[t] = t < 8 ? 8 - t : t < 12 ? (19 - t) * (19 - t) : -t;
    expect_same("partial", out.get(), want);
  }
  {
    Buffer<int> out(32);
    flag_within_warp<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<int> want(32, 42);
    want[31] = 0;
    expect_same("flag_within_warp", out.get(), want);
  }
  {
    std::vector<int> in(640), want(10, 0);
    for (int i = 0; i < 640; ++i) want[i / 64] += in[i] = i * 31 % 101;
    Buffer<int> device_in(in), out(10);
    tree<<<10, 64>>>(out, device_in);
    CK_LAUNCH();
    expect_same("tree", out.get(), want);
  }
  return finish();
}
