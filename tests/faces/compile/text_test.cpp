// Texts that the driver parses and edits: diagnostics, make rules, PTX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "faces/compile/dependency_file.h"
#include "faces/compile/diagnostics.h"
#include "faces/compile/ptx_text.h"

namespace drywarp::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kUnused =
    "a.cu:7:7: warning: unused variable 'unused' [-Wunused-variable]\n"
    "    7 |   int unused;\n"
    "      |       ^~~~~~\n";
const char* const kInHeader =
    "In file included from a.cu:1:\n"
    "./b.h:2:5: error: no such thing\n"
    "./b.h:1:1: note: declared here\n";

TEST(CompileHints, AdviseOncePerLibrary) {
  const std::string hints = compile_hints(
      "\x1b[1ma.cu:1:10: \x1b[31mfatal error: \x1b[0m'thrust/sort.h' file not found\n"
      "a.cu:2:10: fatal error: 'cub/cub.cuh' file not found\n"
      "a.cu:3:10: fatal error: 'cuda/std/array' file not found\n"
      "a.cu:4:10: fatal error: 'cublasLt.h' file not found\n"
      "a.cu:5:10: fatal error: 'cusolverDn.h' file not found\n"
      "a.cu:6:10: fatal error: 'mine.h' file not found\n");
  EXPECT_EQ(std::ranges::count(hints, '\n'), 4) << hints;
  EXPECT_THAT(hints,
              HasSubstr("<thrust/sort.h>: Thrust and CUB are not part of drywarp: install Debian's libthrust-dev"));
  EXPECT_THAT(hints, HasSubstr("<cuda/std/array>: libcu++"));
  EXPECT_THAT(hints, HasSubstr("libcu++-dev"));
  EXPECT_THAT(hints, HasSubstr("cuBLAS"));
  EXPECT_THAT(hints, HasSubstr("cuSOLVER"));
  EXPECT_EQ(hints.find("mine.h"), std::string::npos);
  EXPECT_EQ(compile_hints("a.cu:1:1: error: no thrust/sort.h\n"), "");
}

TEST(CompileHints, NameDynamicParallelismOnce) {
  const std::string hints = compile_hints(
      "a.cu:3:27: error: reference to __global__ function 'child' in __device__ function\n"
      "a.cu:4:47: error: reference to __global__ function 'other' in __global__ function\n");
  EXPECT_EQ(std::ranges::count(hints, '\n'), 1) << hints;
  EXPECT_THAT(hints, HasSubstr("dynamic parallelism"));
  EXPECT_THAT(hints, HasSubstr("child"));
  EXPECT_THAT(hints, HasSubstr("-rdc=true"));
  EXPECT_THAT(compile_hints("a.cu:3:2: error: no matching function for call to 'cudaDeviceSynchronize'\n"
                            "device.h:35:13: note: candidate function not viable: call to __host__ function from "
                            "__global__ function\n"),
              HasSubstr("device code cannot call cudaDeviceSynchronize"));
  EXPECT_EQ(compile_hints("a.cu:3:2: error: no matching function for call to 'cudaMemcpy'\n"), "");
}

TEST(MergeDiagnostics, RemovesDuplicates) {
  std::string device = std::string(kUnused) + "1 warning generated when compiling for sm_90.\n";
  std::string host = std::string(kUnused) + "1 warning generated when compiling for host.\n";
  std::string merged = merge_diagnostics(std::vector{device, host});
  EXPECT_EQ(merged, std::string(kUnused) + "1 warning generated.\n");
}

TEST(MergeDiagnostics, KeepsDiagnosticsOfOnePassWithIncludesAndNotes) {
  std::string device = std::string(kInHeader) + "1 error generated when compiling for sm_90.\n";
  std::string host = kUnused;
  EXPECT_EQ(merge_diagnostics(std::vector{device, host}),
            std::string(kInHeader) + kUnused + "1 warning and 1 error generated.\n");
}

TEST(MergeDiagnostics, TheSameMessageElsewhereIsAnother) {
  std::string second = "b" + std::string(kUnused);
  EXPECT_THAT(merge_diagnostics(std::vector{kUnused + second}), HasSubstr("2 warnings generated."));
}

TEST(MergeDiagnostics, ColoursDoNotHideARepetition) {
  std::string coloured = "\x1b[1ma.cu:1:1: \x1b[0m\x1b[0;1;35mwarning: \x1b[0mx\n";
  EXPECT_EQ(merge_diagnostics(std::vector{coloured, coloured}), coloured + "1 warning generated.\n");
}

TEST(MergeDiagnostics, KeepsUnknownLines) {
  EXPECT_EQ(merge_diagnostics(std::vector<std::string>{"Stack dump:\n0. clang\n", ""}), "Stack dump:\n0. clang\n");
  EXPECT_EQ(merge_diagnostics(std::vector<std::string>{"", ""}), "");
}

TEST(DependencyFile, ReadsWhatCompilersAndLinkersWrite) {
  EXPECT_THAT(parse_dependencies("drywarp: a.cu \\\n  with\\ space.h cost$$.h \\\n  a.cu\n"),
              ElementsAre("a.cu", "with space.h", "cost$.h"));
  EXPECT_THAT(parse_dependencies("app: \\\n  x.o \\\n  y.o\n\nx.o:\n\ny.o:\n"), ElementsAre("x.o", "y.o"));
  EXPECT_THAT(parse_dependencies("a.o: C:/odd:name.h\n"), ElementsAre("C:/odd:name.h"));
  EXPECT_TRUE(parse_dependencies("").empty());
}

TEST(DependencyFile, WritesWhatItReads) {
  std::vector<std::string> files = {"a.cu", "with space.h", "cost$.h"};
  EXPECT_EQ(parse_dependencies(format_dependencies("a.o", files, false)), files);
  std::string phony = format_dependencies("a.o", files, true);
  EXPECT_THAT(phony, HasSubstr("\ncost$$.h:\n"));
  EXPECT_THAT(phony, testing::Not(HasSubstr("\na.cu:\n")));
}

const char* const kPtx =
    ".visible .entry one(\n\t.param .u64 one_param_0\n)                      // @one\n{\n\tret;\n}\n"
    ".visible .entry two(\n\t.param .u64 two_param_0\n)\n.maxntid 256, 1, 1\n{\n\tret;\n}\n"
    ".func three(\n) {\n\tret;\n}\n";

TEST(LimitRegisters, LimitsKernelsWithoutBounds) {
  std::string limited = limit_registers(kPtx, 32);
  EXPECT_THAT(limited, HasSubstr("// @one\n.maxnreg 32\n{"));
  EXPECT_EQ(limited.find(".maxnreg"), limited.rfind(".maxnreg"));
  EXPECT_EQ(limited.size(), std::strlen(kPtx) + std::strlen(".maxnreg 32\n"));
}

TEST(PackImages, MakesAFatBinary) {
  std::vector<std::pair<int, std::string>> two = {{70, "seventy"}, {90, "ninety, longer"}};
  std::string bytes = pack_images(two);
  uint32_t magic = 0;
  uint64_t size = 0;
  std::memcpy(&magic, bytes.data(), 4);
  std::memcpy(&size, bytes.data() + 8, 8);
  EXPECT_EQ(magic, 0xBA55ED50u);
  EXPECT_EQ(size, bytes.size() - 16);
  size_t at = 16;
  for (const auto& [capability, text] : two) {
    uint16_t kind = 0;
    uint32_t header = 0, sm = 0;
    uint64_t payload = 0;
    std::memcpy(&kind, bytes.data() + at, 2);
    std::memcpy(&header, bytes.data() + at + 4, 4);
    std::memcpy(&payload, bytes.data() + at + 8, 8);
    std::memcpy(&sm, bytes.data() + at + 28, 4);
    EXPECT_EQ(kind, 1);
    EXPECT_EQ(sm, uint32_t(capability));
    EXPECT_STREQ(bytes.data() + at + header, text.c_str());
    EXPECT_EQ(payload % 8, 0u);
    at += header + payload;
  }
  EXPECT_EQ(at, bytes.size());
}

}  // namespace
}  // namespace drywarp::compile
