// Every shape of divergent control flow; the same function runs on the host and on the device.
#include "check.h"

#define BOTH __host__ __device__

BOTH int nested(int i) {
  int r = 0;
  if (i % 2) {
    if (i % 3) {
      if (i % 5) r += 1;
      else r += 10;
      r *= 3;
    } else {
      r += 100;
    }
    r += 7;
  } else if (i % 7 == 0) {
    r -= 5;
  } else {
    if (i & 8) r ^= 0x55;
  }
  return r + i;
}

BOTH int break_continue(int i) {
  int r = 0;
  for (int k = 0; k < 50; ++k) {
    if ((k + i) % 3 == 0) continue;
    if (k * k > i) break;
    r += k;
    if (r > 100 && (i & 1)) break;
  }
  return r;
}

BOTH int early_return(int i) {
  if (i % 4 == 0) return -1;
  int r = 1;
  for (int k = 0; k < i % 13; ++k) {
    r = r * 3 + k;
    if (r % 11 == 5) return r;
  }
  if (r & 1) return r * 2;
  return r;
}

BOTH int switches(int i) {
  int r = 0;
  switch (i % 9) {
    case 0: r = 3;
    case 1: r += 5; break;
    case 2:
    case 3: r = i; break;
    case 4: {
      for (int k = 0; k < i % 5; ++k) r += k * i;
      break;
    }
    case 7: return -7;
    default: r = 1000 + i;
  }
  switch (r & 3) {
    case 1: r <<= 1;
    case 2: r ^= 12; break;
    case 3: r = -r;
  }
  return r;
}

// Jumps into the middle of a loop and out of two at once.
BOTH int gotos(int i) {
  int r = 0, k = 0;
  if (i & 1) goto middle;
top:
  r += 2;
  ++k;
middle:
  r += i & 7;
  if (r < 40 && k < 9) {
    if (r % 5 == 0) {
      k += 2;
      goto middle_again;
    }
    goto top;
  }
  return r + k;
middle_again:
  r += 3;
  if (k < 12) goto middle;
  return r - k;
}

BOTH int short_circuit(int i) {
  int calls = 0;
  auto test = [&](int bit) {
    ++calls;
    return (i >> bit) & 1;
  };
  bool a = (test(0) && test(1)) || (test(2) && !test(3)) || test(4);
  bool b = test(0) ? (test(1) || test(2)) : (test(3) && test(4));
  return calls * 4 + a * 2 + b;
}

BOTH int loops_in_branches(int i) {
  int r = i;
  if (i % 3 == 0) {
    for (int k = 0; k < i % 17; ++k) r = r * 5 + 1;
  } else if (i % 3 == 1) {
    int k = i % 11;
    while (k-- > 0) {
      if (r & 1) r = 3 * r + 1;
      else r /= 2;
    }
  } else {
    do {
      r -= 7;
    } while (r > 30);
  }
  for (int a = 0; a < (i & 3); ++a)
    for (int b = a; b < (i & 7); ++b) {
      if ((a + b) % 4 == 3) break;
      r += a * b;
    }
  return r;
}

BOTH int collatz(int i) {
  unsigned n = i + 1;
  int steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

BOTH int nested_break_out(int i) {
  int found = -1;
  for (int a = 1; a < 20 && found < 0; ++a)
    for (int b = 1; b < 20; ++b) {
      if (a * b == i % 97) {
        found = a * 100 + b;
        break;
      }
      if (b > i % 31) break;
    }
  return found;
}

// The exit test sits in the middle, and each side of it has side effects.
BOTH int middle_exit(int i) {
  int r = 0, k = 0;
  for (;;) {
    r += k ^ i;
    if (++k > i % 6) break;
    if (r & 4) continue;
    r -= 3;
  }
  return r * 8 + k;
}

template <int (*F)(int)>
__global__ void apply(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = F(i);
}

template <int (*F)(int)>
void test(const char* name) {
  for (int n : {1, 31, 32, 100, 3000}) {
    Buffer<int> out(n);
    apply<F><<<(n + 95) / 96, 96>>>(out, n);
    CK_LAUNCH();
    std::vector<int> want(n);
    for (int i = 0; i < n; ++i) want[i] = F(i);
    expect_same(name, out.get(), want);
  }
}

int main() {
  test<nested>("nested");
  test<break_continue>("break_continue");
  test<early_return>("early_return");
  test<switches>("switches");
  test<gotos>("gotos");
  test<short_circuit>("short_circuit");
  test<loops_in_branches>("loops_in_branches");
  test<collatz>("collatz");
  test<nested_break_out>("nested_break_out");
  test<middle_exit>("middle_exit");
  return finish();
}
