# `drywarp run`: passes on the program's output and exit code; programs that cannot run have an exit code and a message.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void add(int* a) { a[threadIdx.x] += VALUE; }
int main(int argc, char** argv) {
  int host[32] = {}, *device;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  add<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[0], host[31]);
  for (int i = 1; i < argc; ++i) std::printf("[%s]", argv[i]);
  std::fprintf(stderr, "to stderr\n");
  std::fflush(stdout);
  if (argc > 1 && !std::strcmp(argv[1], "die")) std::raise(SIGTERM);
  if (argc > 1 && !std::strcmp(argv[1], "abort")) std::abort();
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
CU
expect 0 "$DRYWARP" run -DVALUE=7 app.cu
[[ $(cat out) == "7 7" ]] || fail "wrong output"
[[ $(cat err) == "to stderr" ]] || fail "something was added to standard error"
expect 41 "$DRYWARP" run app.cu -DVALUE=1 -- 41 -x "two words"
has out '[41][-x][two words]'
expect 143 "$DRYWARP" run -DVALUE=1 app.cu -- die
expect 134 "$DRYWARP" run -DVALUE=1 app.cu -- abort


# A compiled program needs the runtime beside drywarp and no headers.
mkdir -p moved/bin moved/lib
cp "$(realpath "$DRYWARP")" moved/bin/drywarp
for library in "$(dirname "$(realpath "$DRYWARP")")"/../lib/lib*.so*; do ln -s "$(realpath "$library")" moved/lib/"$(basename "$library")"; done
cat >where.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void nothing() {}
int main() { nothing<<<1, 32>>>(); std::printf("%d %s\n", int(cudaDeviceSynchronize()), std::getenv("LD_LIBRARY_PATH")); }
CU
expect 0 "$DRYWARP" nvcc -o where where.cu
expect 0 moved/bin/drywarp run ./where
has out "0 $(realpath moved/lib)"

# A program whose DT_RPATH precedes LD_LIBRARY_PATH.
mkdir decoy
"${CC:-clang-19}" -shared -o decoy/libcudart.so.13 -Wl,-soname,libcudart.so.13 -x c /dev/null
expect 0 "$DRYWARP" nvcc -DVALUE=5 -o own app.cu -Xlinker --disable-new-dtags -Xlinker -rpath -Xlinker "$home/decoy"
readelf -d own | grep -q "(RPATH)" || fail "the linker made no DT_RPATH"
expect 0 "$DRYWARP" run ./own
[[ $(cat out) == "5 5" ]] || fail "another runtime was found"

# Programs that cannot run
PATH_WITHOUT=$home/empty
mkdir -p "$PATH_WITHOUT"
expect 125 "$DRYWARP" run app.cu
has err "undeclared identifier 'VALUE'"
expect 127 "$DRYWARP" run missing.cu
has err missing.cu
expect 127 "$DRYWARP" run ./missing
expect 125 "$DRYWARP" run
expect 125 "$DRYWARP" run --cpu 486 app.cu
has err avx2
expect 125 "$DRYWARP" run --no-such-option app.cu
has err no-such-option
expect 125 env PATH="$PATH_WITHOUT" "$(realpath "$DRYWARP")" run -DVALUE=9 app.cu
has err "clang 19 was not found"
# What shows no CUDA may load it with dlopen.
expect 0 "$DRYWARP" run /bin/true
has err "made no CUDA call"
cat >loads.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : 0;
  int (*count)(int*) = driver ? (int (*)(int*))dlsym(driver, "cuDeviceGetCount") : 0;
  int devices = 0;
  if (!count || init(0) || count(&devices)) return 1;
  printf("devices: %d\n", devices);
  return 0;
}
EOF
cc loads.c -o loads -ldl
expect 0 "$DRYWARP" run ./loads
has out "devices: 1"
hasnt err "no CUDA call"
expect 0 "$DRYWARP" run sh -c "./loads && echo started"
has out started
hasnt err "no CUDA call"
echo "int main() { return 0; }" >plain.txt
expect 126 "$DRYWARP" run ./plain.txt
has err "not executable"
expect 0 "$DRYWARP" run --help
has out "[-- arguments]"
expect 0 "$DRYWARP" --version
has out drywarp
expect 125 "$DRYWARP" walk
has err walk

# A library that is loaded alone brings the runtime.
cat >loads_blas.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void *library = dlopen("libcublas.so.12", RTLD_NOW), *handle = 0;
  int (*create)(void**) = library ? (int (*)(void**))dlsym(library, "cublasCreate_v2") : 0;
  if (!create) return puts(dlerror()), 1;
  return create(&handle);
}
EOF
cc loads_blas.c -o loads_blas -ldl
expect 0 "$DRYWARP" run ./loads_blas
