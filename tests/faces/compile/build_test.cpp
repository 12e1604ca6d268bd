// Builds programs with clang and a fake runtime that prints what is registered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "faces/compile/builder.h"
#include "faces/compile/dependency_file.h"
#include "faces/compile/device_link.h"
#include "faces/compile/elf_file.h"
#include "faces/compile/nvcc_options/option_parser.h"

namespace drywarp::compile {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const char* const kRuntime = R"(
#include <stdio.h>
#include <stdlib.h>
struct wrapper { unsigned magic, version; const char* data; const char* const* units; };
void** __cudaRegisterFatBinary(struct wrapper* w) {
  printf("version %u\n", w->version);
  if (w->version == 2) for (int i = 0; w->units[i]; ++i) printf("unit %s\n", w->units[i][0] ? "PTX" : "empty");
  return malloc(8);
}
void __cudaRegisterFatBinaryEnd(void** h) { puts("end"); }
void __cudaUnregisterFatBinary(void** h) {}
void __cudaRegisterFunction(void** h, const void* f, char* a, const char* name) { printf("function %s\n", name); }
void __cudaRegisterVar(void** h, char* v, char* a, const char* name) { printf("variable %s\n", name); }
unsigned __cudaPushCallConfiguration(void) { return 0; }
unsigned __cudaPopCallConfiguration(void) { return 0; }
int cudaLaunchKernel(void) { puts("launch"); return 0; }
int cudaMemcpyToSymbol(void) { return 0; }
)";

class Build : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(home_.path());
    fs::create_directories("lib");
    // The tests share our precompiled headers, which take longest to make.
    fs::create_directories(DRYWARP_BINARY_DIR "/preludes");
    fs::create_directories("cache");
    fs::create_directory_symlink(DRYWARP_BINARY_DIR "/preludes", "cache/preludes");
    write("runtime.c", kRuntime);
    ASSERT_EQ(std::system("clang-19 -w -shared -fPIC -Wl,-soname,libcudart.so.13 runtime.c -o lib/libcudart.so.13 && "
                          "ln -s libcudart.so.13 lib/libcudart.so"),
              0);
    Result<Clang> clang = find_clang();
    ASSERT_TRUE(clang.ok());
    tools_ = {*clang, {DRYWARP_SOURCE_DIR "/include", home_.path() + "/lib"}, false};
  }
  void TearDown() override { fs::current_path(before_); }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(name, text).ok());
    fs::last_write_time(name, BuildCache::Clock::now() - std::chrono::seconds(5));
  }
  BuildResult run(const std::vector<std::string>& words) {
    Result<Compilation> compilation = parse_options(words);
    EXPECT_TRUE(compilation.ok()) << (compilation.ok() ? "" : compilation.problem().to_string());
    if (!compilation) return {1, "", ""};
    Result<BuildResult> built = build(*compilation, tools_, cache_);
    EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.problem().to_string());
    return built ? *built : BuildResult{1, "", ""};
  }
  std::string output_of(const std::string& program) {
    EXPECT_EQ(std::system((program + " > said.txt").c_str()), 0);
    return *read_file("said.txt");
  }

  TemporaryFolder home_ = std::move(*TemporaryFolder::create());
  fs::path before_;
  Toolchain tools_;
  BuildCache cache_{home_.path() + "/cache"};
};

const char* const kProgram = R"(
__device__ int counter = 1;
__global__ void add(int* a, int n) { if (threadIdx.x < n) a[threadIdx.x] += counter; }
int main() { add<<<1, 32>>>(nullptr, 3); }
)";

TEST_F(Build, AProgramRegistersItsPtxAndLaunches) {
  write("a.cu", kProgram);
  BuildResult built = run({"a.cu", "-o", "app"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, IsEmpty());
  EXPECT_EQ(output_of("./app"), "version 1\nfunction _Z3addPii\nvariable counter\nend\nlaunch\n");
}

TEST_F(Build, PtxHasSourceLinesAndLimits) {
  write("a.cu", kProgram);
  ASSERT_EQ(run({"-ptx", "a.cu", "-maxrregcount", "40"}).exit_code, 0);
  std::string ptx = *read_file("a.ptx");
  EXPECT_THAT(ptx, HasSubstr(".target sm_90"));
  EXPECT_THAT(ptx, HasSubstr(".loc\t1 3 "));
  EXPECT_THAT(ptx, HasSubstr("/a.cu\""));
  EXPECT_THAT(ptx, HasSubstr(".maxnreg 40"));
  EXPECT_EQ(ptx.find('\0'), std::string::npos);
}

TEST_F(Build, ReportsEachWarningOnceAndAgainFromTheCache) {
  write("a.cu", "__global__ void k() { int unused; }\nint main() { k<<<1, 1>>>(); }\n");
  BuildResult first = run({"-Wall", "a.cu", "-o", "app"});
  EXPECT_THAT(first.diagnostics, HasSubstr("unused variable"));
  EXPECT_EQ(first.diagnostics.find("warning:"), first.diagnostics.rfind("warning:"));
  EXPECT_EQ(run({"-Wall", "a.cu", "-o", "app"}).diagnostics, first.diagnostics);
  EXPECT_THAT(run({"-Wall", "-w", "a.cu", "-o", "app"}).diagnostics, IsEmpty());
}

TEST_F(Build, ErrorsOfEitherPassFailTheBuild) {
  write("device.cu", "#ifdef __CUDA_ARCH__\n#error device pass\n#endif\nint main() {}\n");
  write("host.cu", "#ifndef __CUDA_ARCH__\n#error host pass\n#endif\nint main() {}\n");
  for (const char* which : {"device", "host"}) {
    BuildResult built = run({std::string(which) + ".cu", "-o", "app"});
    EXPECT_NE(built.exit_code, 0);
    EXPECT_THAT(built.diagnostics, HasSubstr(std::string(which) + " pass"));
    EXPECT_FALSE(fs::exists("app"));
  }
}

TEST_F(Build, LaunchesInDeviceCode) {
  // Of a kernel of another source, in a header's macro; of a static one; and in host code.
  write("launch.h",
        "__global__ void child(int* data);\n"
        "#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)\n");
  write("a.cu",
        "#include \"launch.h\"\n"
        "static __global__ void hidden(int* data) { LAUNCH(child, data); }\n"
        "__global__ void parent(int* data) {\n"
        "  int unused;\n"
        "  if (threadIdx.x == 0) hidden<<<1,\n"
        "                                 1>>>(data);\n"
        "}\n"
        "int main() { parent<<<1, 1>>>(nullptr); hidden<<<1, 1>>>(nullptr); }\n");
  BuildResult built = run({"-rdc=true", "-Wall", "-ptx", "a.cu"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, HasSubstr("a.cu:4:7: warning: unused variable"));
  std::string ptx = *read_file("a.ptx");
  // The pass that makes launches of the marks is not here.
  EXPECT_THAT(ptx, HasSubstr("__drywarp_configure_launch"));
  EXPECT_THAT(ptx, HasSubstr("__drywarp_launched"));
  built = run({"-ptx", "a.cu"});
  EXPECT_NE(built.exit_code, 0);
  EXPECT_THAT(built.diagnostics, HasSubstr("-rdc=true"));
}

TEST_F(Build, AcceptsSpellingsThatOnlyNvccAccepts) {
  // In a header, in a macro that forms the string, and twice in a line; messages name the original file.
  write("special.h",
        "#define READ(name) ({ unsigned r; asm volatile(\"mov.u32 %0, %\" #name \";\" : \"=r\"(r)); r; })\n"
        "__device__ inline unsigned sm() { unsigned r; asm(\"mov.u32 %0, %smid;\" : \"=r\"(r)); return r; }\n");
  write("a.cu",
        "#include \"special.h\"\n"
        "__global__ void k(unsigned* out) {\n"
        "  __shared__ alignas(16) unsigned a[32]; __shared__ alignas(double) unsigned b[32];\n"
        "  a[threadIdx.x] = sm(); b[threadIdx.x] = READ(laneid);\n"
        "  int unused; __syncthreads(); out[threadIdx.x] = a[31 - threadIdx.x] + b[31 - threadIdx.x];\n"
        "}\n"
        "int main() { k<<<1, 32>>>(nullptr); }\n");
  BuildResult built = run({"-Wall", "-ptx", "a.cu"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, HasSubstr("a.cu:5:7: warning: unused variable"));
  EXPECT_THAT(built.diagnostics, Not(HasSubstr("respelled")));
  std::string ptx = *read_file("a.ptx");
  EXPECT_THAT(ptx, HasSubstr(", %smid;"));
  EXPECT_THAT(ptx, HasSubstr(", %laneid;"));
  EXPECT_THAT(ptx, HasSubstr("/a.cu\""));
  EXPECT_THAT(ptx, Not(HasSubstr("respelled")));
  built = run({"a.cu", "-o", "app"});
  EXPECT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(output_of("./app"), HasSubstr("function _Z1kPj"));

  write("special.h", "__device__ inline unsigned sm() { return 0; }\n#define READ(name) 0\n");
  built = run({"-ptx", "a.cu"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(*read_file("a.ptx"), Not(HasSubstr("smid"))) << "the header's change was noticed";
}

TEST_F(Build, NamesOfTextureReferencesAreFreeWhereNoneIsUsed) {
  write("new.cu",
        "struct surface { float x; };\n"
        "__device__ float texture(surface s) { return s.x; }\n"
        "__global__ void k(float* out, surface s) { out[0] = texture(s); }\n"
        "int main() { k<<<1, 1>>>(nullptr, surface{1}); }\n");
  BuildResult built = run({"-Wall", "new.cu", "-o", "app"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_EQ(built.diagnostics, "");
  write("image.h", "texture<float, 2, cudaReadModeElementType> image;\n");
  write("old.cu",
        "#include \"image.h\"\n"
        "surface<void, 2> drawn;\n"
        "__global__ void k(float x) { surf2Dwrite(tex2D(image, x, x), drawn, 0, 0); }\n"
        "int main() { cudaArray_t a = nullptr; int unused; cudaBindTextureToArray(image, a); k<<<1, 1>>>(1); }\n");
  built = run({"-Wall", "-c", "old.cu"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, HasSubstr("old.cu:4:43: warning: unused variable"));
  EXPECT_THAT(built.diagnostics, Not(HasSubstr("error")));
  write("wrong.cu", "texture<float, 2> image = nullptr;\nint main() {}\n");
  built = run({"-c", "wrong.cu"});
  EXPECT_THAT(built.diagnostics, HasSubstr("1 error generated"));
}

TEST_F(Build, AcceptsLaunchesWithSplitBrackets) {
  write("a.cu",
        "template <int N> __global__ void t(int* p) { p[threadIdx.x] = N; }\n"
        "__global__ void k(int* p) { p[threadIdx.x]++; }\n"
        "template <class T> struct Of { T x; };\n"
        "#define LAUNCH(g, b) k<< <g, b >> >(p)\n"
        "int main() {\n"
        "  int* p = nullptr;\n"
        "  k<< <1, 32>> >(p); t<3> << <1, 1 >> > (p); LAUNCH(1, 2);\n"
        "  k << < 1\n"
        "    , 32 >>\n"
        "    >(p);\n"
        "  Of<Of<Of<int>> > v; int unused = 1 << 3 >> 1;\n"
        "}\n");
  BuildResult built = run({"-Wall", "a.cu", "-o", "app"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, HasSubstr("a.cu:11:27: warning: unused variable 'unused'"));
  write("a.cu", "int main() { return 1 << < 2; }\n");
  built = run({"a.cu", "-o", "app"});
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_THAT(built.diagnostics, HasSubstr("a.cu:1:29: error: expected '>>>'"));
}

TEST_F(Build, AcceptsTemplatesOfDependentClassesWithoutTheKeyword) {
  write("a.cu",
        "template <class To, class From> struct Convert;\n"
        "template <class To> struct Convert<To, int> {\n"
        "  template <unsigned N> static __host__ __device__ void copy(To* to, const int* from) {\n"
        "    for (unsigned i = 0; i < N; ++i) to[i] = from[i];\n"
        "  }\n"
        "};\n"
        "template <class To, class From, unsigned N> __host__ __device__ void convert(To* to, const From* from) {\n"
        "  Convert<To, From>::copy<N>(to, from); Convert<To, From>::copy<(N > 1 ? 2 : 1)>(\n"
        "      to, from); int unused;\n"
        "}\n"
        "__global__ void k(float* to, const int* from) { convert<float, int, 4>(to, from); }\n"
        "int main() { int from[] = {1, 2, 3, 4}; float to[4]; convert<float, int, 4>(to, from);\n"
        "  k<<<1, 1>>>(nullptr, nullptr); }\n");
  BuildResult built = run({"-Wall", "a.cu", "-o", "app"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, HasSubstr("a.cu:9:22: warning: unused variable 'unused'"));
}

// Where nvcc 13 goes on without the specifier and where it applies it, was taken from its code.
TEST_F(Build, AcceptsAlignmentsWhereNvccDoes) {
  write(
      "a.cu",
      "struct A { float x[4] alignas(16); };\n"
      "struct B { float alignas(16) x[4]; static constexpr int alignas(8) y = 4; };\n"
      "enum alignas(8) E { e };\n"
      "alignas(16) struct X { float x; };\n"
      "alignas(16) typedef struct { float x; } P;\n"
      "typedef struct { float x; } alignas(\n"
      "    16) Q;\n"
      "struct R { float x; } alignas(16);\n"
      "typedef struct alignas(16) { float x; } S;\n"
      "static_assert(alignof(A) == 16 && alignof(B) == 4 && alignof(E) == 8 && alignof(X) == 4 && alignof(P) == 16);\n"
      "static_assert(alignof(Q) == 4 && alignof(R) == 4 && alignof(S) == 16);\n"
      "__device__ float alignas(16) table[4];\n"
      "__global__ void k(float* p) { __shared__ float alignas(16) s[4]; float alignas(16) l[2] = {p[0], p[1]};\n"
      "  s[0] = l[1]; *p = s[0] + table[0]; int unused; }\n"
      "int main() {}\n");
  const BuildResult built = run({"-Wall", "a.cu", "-o", "app"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, HasSubstr("a.cu:14:42: warning: unused variable 'unused'"));
  // In a macro it may apply elsewhere.
  write("a.cu", "#define ALIGNED(n) \\\n  alignas(n)\nstruct ALIGNED(16) A { float ALIGNED(16) x; };\nint main() {}\n");
  EXPECT_NE(run({"a.cu", "-o", "app"}).exit_code, 0);
  write("a.cu", "struct A { int x } int y;\nint main() {}\n");
  EXPECT_NE(run({"a.cu", "-o", "app"}).exit_code, 0);
}

TEST_F(Build, AcceptsPragmasInMacros) {
  write("a.cu",
        "#ifdef __CUDA_ARCH__\n"
        "#define UNROLL #pragma unroll\n"
        "#else\n"
        "#define UNROLL\n"
        "#endif\n"
        "template <class F> __device__ void call(F f) { f(); }\n"
        "__global__ void k(int* a) {\n"
        "  UNROLL\n"
        "  for (int i = 0; i < 4; ++i) a[i] = i;\n"
        "  call([&] {\n"
        "    UNROLL\n"
        "    for (int i = 4; i < 8; ++i) a[i] = i;\n"
        "  });\n"
        "}\n"
        "int main() { k<<<1, 32>>>(nullptr); }\n");
  BuildResult built = run({"a.cu", "-o", "app"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(output_of("./app"), HasSubstr("function _Z1kPi"));
}

TEST_F(Build, AcceptsOperandsOfAssemblyWithoutAComma) {
  write("a.cu",
        "#define STORE(to, value) asm volatile(\"st.global.u32 [%1], %0;\" ::\"r\"(value) \"l\"(to) : \"memory\")\n"
        "__global__ void k(unsigned* p) {\n"
        "  unsigned sum; STORE(p, 1);\n"
        "  asm(\"{ add.u32 %0, %1, %2; add.u32 %0, %0, %3; }\"\n"
        "      : \"=r\"(sum) : \"r\"(p[1]) \"r\"(p[2])\n"
        "      \"r\"(p[3])); int unused;\n"
        "  p[4] = sum;\n"
        "}\n"
        "int main() { k<<<1, 1>>>(nullptr); }\n");
  BuildResult built = run({"-Wall", "-ptx", "a.cu"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, HasSubstr("a.cu:6:23: warning: unused variable 'unused'"));
  EXPECT_THAT(*read_file("a.ptx"), HasSubstr("st.global.u32 ["));
  // A call lacks the comma in nvcc, too.
  write("a.cu", "int f(int, const char*);\nint main() { return f((1) \"b\"); }\n");
  built = run({"a.cu", "-o", "app"});
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_THAT(built.diagnostics, HasSubstr("a.cu:2:27: error: expected ')'"));
}

TEST_F(Build, OtherErrorsRemain) {
  write("a.cu",
        "[[nodiscard]] static [[nodiscard]] int f();\n"
        "__global__ void k() { unsigned r; asm(\"mov.u32 %0, %smid;\" : \"=r\"(r)); undeclared = r; }\n"
        "int main() {}\n");
  BuildResult built = run({"a.cu", "-o", "app"});
  EXPECT_NE(built.exit_code, 0);
  EXPECT_THAT(built.diagnostics, HasSubstr("an attribute list cannot appear here"));
  EXPECT_THAT(built.diagnostics, HasSubstr("undeclared"));
  EXPECT_THAT(built.diagnostics, Not(HasSubstr("% escape")));
}

TEST_F(Build, AFragmentThatWmmaLacksIsNamed) {
  const std::string program =
      "#include <mma.h>\n"
      "using namespace nvcuda;\n"
      "__global__ void k(float* c) {\n"
      "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;\n"
      "  wmma::fill_fragment(sum, 1.0f);\n"
      "  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);\n"
      "  wmma::fragment<wmma::matrix_a, 16, 16, K, half, wmma::row_major> a; (void)a;\n"
      "}\n"
      "int main() {}\n";
  write("a.cu", program);
  EXPECT_EQ(run({"a.cu", "-DK=16", "-o", "app"}).exit_code, 0);
  const BuildResult built = run({"a.cu", "-DK=32", "-o", "app"});
  EXPECT_NE(built.exit_code, 0);
  EXPECT_THAT(built.diagnostics, HasSubstr("nvcuda::wmma has no fragment of this shape and type"));
}

TEST_F(Build, HostIntegersWrapAround) {
  write("a.cu",
        "#include <cstdio>\n#include <cstdlib>\n"
        "int main() {\n"
        "  int* a = (int*)calloc(100000, sizeof(int)); for (int i = 0; i < 100000; ++i) a[i] = unsigned(i) * "
        "unsigned(i);\n"
        "  for (int i = 0; i < 100000; ++i) if (a[i] != i * i) { printf(\"%d differs\\n\", i); return 1; }\n"
        "  for (int i = 1; i > 0; i *= 2) if (i == 0) return 2;\n"
        "  puts(\"wraps\");\n}\n");
  ASSERT_EQ(run({"a.cu", "-o", "app"}).exit_code, 0);
  EXPECT_THAT(output_of("./app"), HasSubstr("wraps"));
}

TEST_F(Build, HostCodeHasNoFusedMultiplyAdds) {
  const std::string text =
      "#include <cstdio>\n"
      "static double f(double x, double y) { return x * x + y; }\n"
      "int main() { volatile double x = 2.891903, y = -3.980364; puts(f(2.891903, -3.980364) == f(x, y) ? \"=\" : "
      "\"!\"); }\n";
  for (const char* name : {"a.cu", "a.cpp"}) {
    write(name, text);
    ASSERT_EQ(run({name, "-o", "app"}).exit_code, 0);
    EXPECT_EQ(output_of("./app"), "=\n") << name;
  }
}

// Errors in clang, at most warnings in nvcc and gcc.
TEST_F(Build, AcceptsWhatGccOnlyWarnsAbout) {
  write("a.cu",
        "#include <cinttypes>\n"
        "#include <cstdio>\n"
        "enum Kind { kOne, kTwo };\n"
        "constexpr Kind kNone = static_cast<Kind>(-1);\n"
        "__global__ void k(uchar4* out, unsigned v) { *out = uchar4{v, v, v, v}; }\n"
        "extern \"C\" int old(int);\n"
        "int main() {\n"
        "  int n = old(300);\n"
        "  dim3 grid{(n + 255) / 256};\n"
        "  float3 f = {n, n, n};\n"
        "  k<<<grid, 1>>>(nullptr, 3);\n"
        "  printf(\"%\"PRIu64\" %d %g\\n\", uint64_t(grid.x), kNone, f.x);\n"
        "}\n");
  write("old.c",
        "old(int a) { int* p = a ? a : 0; int (*f)(long) = old; return f ? doubled(p) : 0; }\n"
        "doubled(int* p) { long n = p; return 2 * n; }\n");
  BuildResult built = run({"a.cu", "old.c", "-o", "app"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, HasSubstr("narrow"));
  EXPECT_THAT(output_of("./app"), HasSubstr("3 -1 600\n"));
  EXPECT_THAT(run({"-w", "a.cu", "old.c", "-o", "app"}).diagnostics, IsEmpty());
}

TEST_F(Build, AcceptsLibrariesWrittenForNvcc) {
  write(
      "a.cu",
      "template <class T> __host__ __device__ char probe(...);\n"
      "template <class T> __host__ __device__ long probe(typename T::type*);\n"
      "struct Yes { using type = int; };\n"
      "struct Store { template <class T> __device__ void put(T* to, T value) { *to = value; } };\n"
      "template <class S> __device__ void put(S s, int* to) { s.template put(to, int(sizeof(probe<Yes>(nullptr)))); }\n"
      "__global__ void k(int* out) { put(Store(), out); out[1] = sizeof(probe<int>(nullptr)); }\n"
      "int main() { k<<<1, 1>>>(nullptr); }\n");
  BuildResult built = run({"a.cu", "-o", "app"});
  EXPECT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(built.diagnostics, IsEmpty());
}

TEST_F(Build, AHeadersChangeIsNoticed) {
  write("value.h", "#define NAME first\n");
  write("a.cu", "#include \"value.h\"\n__global__ void NAME() {}\nint main() { NAME<<<1, 1>>>(); }\n");
  Result<Compilation> compilation = parse_options(std::vector<std::string>{"a.cu"});
  Result<BuiltProgram> cold = build_program(*compilation, tools_, cache_);
  ASSERT_TRUE(cold.ok());
  EXPECT_FALSE(cold->from_cache);
  EXPECT_THAT(output_of(cold->path), HasSubstr("_Z5firstv"));
  Result<BuiltProgram> warm = build_program(*compilation, tools_, cache_);
  EXPECT_TRUE(warm->from_cache);
  EXPECT_EQ(warm->path, cold->path);
  write("value.h", "#define NAME second\n");
  Result<BuiltProgram> changed = build_program(*compilation, tools_, cache_);
  EXPECT_FALSE(changed->from_cache);
  EXPECT_THAT(output_of(changed->path), HasSubstr("_Z6secondv"));
  Result<Compilation> other = parse_options(std::vector<std::string>{"a.cu", "-DX"});
  EXPECT_FALSE(build_program(*other, tools_, cache_)->from_cache) << "other options, other program";
}

TEST_F(Build, OurHeadersAreParsedOnceAndGiveTheSame) {
  const std::string text =
      "#include <cmath>\n__global__ void k(float* a) { a[0] = std::sqrt(a[0]) + __shfl_xor_sync(~0u, a[0], 1); }\n";
  const auto made = [&](const BuildCache& cache) {
    Result<BuildResult> built = build(*parse_options(std::vector<std::string>{"-ptx", "-MD", "a.cu"}), tools_, cache);
    EXPECT_TRUE(built.ok() && built->exit_code == 0) << (built.ok() ? built->diagnostics : built.problem().to_string());
    // The headers come in another order: those that the source includes itself are first.
    std::vector<std::string> headers = parse_dependencies(*read_file("a.d"));
    std::ranges::sort(headers);
    return std::pair(*read_file("a.ptx"), headers);
  };
  const auto precompiled = [] {
    return std::ranges::count_if(fs::recursive_directory_iterator("own/preludes"),
                                 [](const fs::directory_entry& e) { return e.path().filename() == "output"; });
  };
  write("a.cu", text);
  const auto without = made(BuildCache(""));
  EXPECT_THAT(without.second, testing::Contains(testing::EndsWith("cuda_runtime.h")));
  EXPECT_EQ(made(BuildCache("own")), without);
  EXPECT_EQ(precompiled(), 1);
  write("a.cu", text + "// other\n");
  EXPECT_EQ(made(BuildCache("own")), without);
  EXPECT_EQ(precompiled(), 1) << "one for all sources";

  // A precompiled header that clang refuses is not used.
  for (const fs::directory_entry& e : fs::recursive_directory_iterator("own/preludes"))
    if (e.path().filename() == "output") ASSERT_TRUE(write_file(e.path().string(), "damaged").ok());
  write("a.cu", text + "// third\n");
  EXPECT_EQ(made(BuildCache("own")), without);
}

TEST_F(Build, FilesNamedOnTheCommandLineAreIncludedOnce) {
  write("first.h", "const int kFirst = 1;\n");
  write("a.cu", "__global__ void k(int* a) { *a = kFirst; }\n");
  EXPECT_EQ(run({"-ptx", "-include", "first.h", "a.cu"}).diagnostics, "");
}

TEST_F(Build, RelocatableUnitsAreRegisteredTogether) {
  fs::create_directories("one");
  fs::create_directories("two");
  // Both folders hold an x.cu, compiled from inside, so that clang gives both units the same id.
  write("one/x.cu",
        "__device__ int helper(int);\n__global__ void k(int* a) { a[0] = helper(a[0]); }\nint main() { k<<<1, "
        "1>>>(nullptr); }\n");
  write("two/x.cu", "__device__ int value = 2;\n__device__ int helper(int x) { return x * value; }\n");
  write("left_out.cu", "__device__ int nobody_calls_this() { return 1; }\nint left_out() { return 2; }\n");
  for (const char* folder : {"one", "two"}) {
    fs::current_path(home_.path() + "/" + folder);
    ASSERT_EQ(run({"-dc", "x.cu"}).exit_code, 0);
  }
  fs::current_path(home_.path());
  ASSERT_EQ(run({"-dc", "left_out.cu"}).exit_code, 0);
  ASSERT_EQ(run({"-lib", "two/x.o", "left_out.o", "-o", "libtwo.a"}).exit_code, 0);

  BuildResult linked = run({"one/x.o", "two/x.o", "-o", "app"});
  ASSERT_EQ(linked.exit_code, 0) << linked.diagnostics;
  std::string said = output_of("./app");
  EXPECT_THAT(said, HasSubstr("version 2\nunit PTX\nunit PTX\n"));
  EXPECT_THAT(said, HasSubstr("variable value\n"));
  EXPECT_THAT(said, HasSubstr("end\nlaunch\n"));

  // Device code alone makes the linker take a library's member. An unused member is not linked, and the stub must not
  // wait for it.
  ASSERT_EQ(run({"one/x.o", "-L.", "-ltwo", "-o", "app"}).exit_code, 0);
  said = output_of("./app");
  EXPECT_THAT(said, HasSubstr("version 2\nunit PTX\nunit PTX\nfunction"));
  EXPECT_THAT(said, HasSubstr("variable value\nend\nlaunch\n"));

  // The two-step form that build systems use.
  ASSERT_EQ(run({"-dlink", "one/x.o", "two/x.o", "-o", "dlink.o"}).exit_code, 0);
  EXPECT_THAT(unregistered_units({"one/x.o", "two/x.o"})->units, testing::SizeIs(2));
  EXPECT_THAT(unregistered_units({"one/x.o", "two/x.o", "dlink.o"})->units, IsEmpty());
  ASSERT_EQ(run({"one/x.o", "two/x.o", "dlink.o", "-o", "app"}).exit_code, 0);
  EXPECT_THAT(output_of("./app"), HasSubstr("version 2\nunit PTX\nunit PTX\n"));
}

TEST(LinkSymbols, AreReadFromPtx) {
  LinkSymbols symbols = device_symbols(
      ".extern .func  (.param .b32 func_retval0) _Z6helperf\n(\n\t.param .b32 _Z6helperf_param_0\n)\n;\n"
      ".extern .global .align 4 .u32 counter;\n.extern .shared .align 16 .b8 dynamic[];\n"
      ".visible .global .align 4 .b8 table[16] = {1, 2};\n.weak .func  inline_one(\n)\n{\n\tret;\n}\n"
      ".visible .entry _Z1kPf(\n\t.param .u64 _Z1kPf_param_0\n)\n{\n\tld.param.u64 %rd1, "
      "[_Z1kPf_param_0];\n\tret;\n}\n");
  EXPECT_THAT(symbols.wanted, testing::ElementsAre("_Z6helperf", "counter"));
  EXPECT_THAT(symbols.defined, testing::ElementsAre("_Z1kPf", "inline_one", "table"));
}

TEST_F(Build, SeveralSourcesOfSeveralLanguages) {
  write("a.cu",
        "extern \"C\" int from_c(void);\nint from_cxx();\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return "
        "from_c() + from_cxx(); }\n");
  write("b.cpp",
        "#include <cuda_runtime.h>\nint from_cxx() { cudaStream_t none = nullptr; return none != nullptr; }\n");
  write("c.c", "int from_c(void) { int class = 0; return class; }\n");
  BuildResult built = run({"a.cu", "b.cpp", "c.c", "-std=c++17", "-gencode", "arch=compute_70,code=sm_70", "-gencode",
                           "arch=compute_90,code=sm_90", "-o", "app"});
  ASSERT_EQ(built.exit_code, 0) << built.diagnostics;
  EXPECT_THAT(output_of("./app"), HasSubstr("launch\n"));
}

TEST_F(Build, WritesDependenciesAndPreprocesses) {
  write("h.h", "#define H 1\n");
  write("a.cu", "#include \"h.h\"\nint h = H;\nint main() {}\n");
  EXPECT_EQ(run({"-MM", "a.cu"}).output, "a.o: \\\n  a.cu \\\n  h.h\n");
  EXPECT_THAT(run({"-M", "a.cu"}).output, HasSubstr("cuda_runtime.h"));
  ASSERT_EQ(run({"-MMD", "-MP", "-c", "a.cu", "-o", "x.o"}).exit_code, 0);
  EXPECT_EQ(*read_file("x.d"), "x.o: \\\n  a.cu \\\n  h.h\n\nh.h:\n");
  EXPECT_THAT(run({"-E", "a.cu"}).output, HasSubstr("int h = 1;"));
}

TEST_F(Build, DryRunPrintsAndMakesNothing) {
  write("a.cu", kProgram);
  BuildResult built = run({"-dryrun", "a.cu", "-o", "app"});
  EXPECT_THAT(built.diagnostics, HasSubstr("#$ "));
  EXPECT_THAT(built.diagnostics, HasSubstr("--cuda-device-only"));
  EXPECT_THAT(built.diagnostics, HasSubstr("-lcudart"));
  EXPECT_FALSE(fs::exists("app"));
}

TEST_F(Build, RejectsImpossibleRequests) {
  write("a.cu", kProgram);
  write("b.cu", kProgram);
  auto problem = [&](const std::vector<std::string>& words) {
    Result<BuildResult> built = build(*parse_options(words), tools_, cache_);
    return built.ok() ? std::string() : built.problem().message;
  };
  EXPECT_THAT(problem({"-o", "app"}), HasSubstr("no input"));
  EXPECT_THAT(problem({"missing.cu"}), HasSubstr("missing.cu"));
  EXPECT_THAT(problem({"-c", "a.cu", "b.cu", "-o", "x.o"}), HasSubstr("-o x.o"));
}

TEST_F(Build, ReadsElfFiles) {
  write("a.cu", kProgram);
  ASSERT_EQ(run({"a.cu", "-o", "app"}).exit_code, 0);
  ASSERT_EQ(run({"-c", "a.cu"}).exit_code, 0);
  std::string bytes = *read_file("app");
  Result<ElfFile> app = parse_elf(bytes, "app");
  ASSERT_TRUE(app.ok());
  EXPECT_EQ(app->kind, ElfFile::Kind::Executable);
  EXPECT_TRUE(app->x86_64);
  EXPECT_THAT(app->needed, Contains("libcudart.so.13"));
  EXPECT_NE(app->section(".nv_fatbin"), nullptr);
  EXPECT_EQ(app->section(".no_such_section"), nullptr);
  std::string object_bytes = *read_file("a.o");
  Result<ElfFile> object = parse_elf(object_bytes, "a.o");
  EXPECT_EQ(object->kind, ElfFile::Kind::Object);
  EXPECT_THAT(object->undefined, Contains("__cudaRegisterFatBinary"));
  EXPECT_THAT(object->defined, Contains("main"));
  // A truncated file is read or rejected, never read past its end.
  for (size_t length = 0; length < object_bytes.size(); length += 7) {
    Result<ElfFile> cut = parse_elf(std::string_view(object_bytes).substr(0, length), "cut");
    if (!cut) EXPECT_THAT(cut.problem().message, HasSubstr("cut"));
  }
}

}  // namespace
}  // namespace drywarp::compile
