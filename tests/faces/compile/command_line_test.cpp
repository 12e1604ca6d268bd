#include "faces/compile/nvcc_options/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "faces/compile/nvcc_options/option_parser.h"

namespace drywarp::compile {
namespace {

using testing::Contains;
using testing::Not;

class CommandLine : public testing::Test {
 protected:
  Compilation compilation(std::vector<std::string> words) {
    words.emplace_back("a.cu");
    return *parse_options(words);
  }
  Arguments device(const std::vector<std::string>& words) {
    return device_command(compilation(words), tools_, "a.cu", 90, "a.ptx", "a.d");
  }
  Arguments host(const std::vector<std::string>& words) {
    return host_command(compilation(words), tools_, "a.cu", "a.image", "a.o", "a.d");
  }
  // `second` follows `first` directly.
  static bool pair(const Arguments& command, const std::string& first, const std::string& second) {
    for (size_t i = 0; i + 1 < command.size(); ++i) {
      if (command[i] == first && command[i + 1] == second) return true;
    }
    return false;
  }

  Toolchain tools_{{"/bin/clang-19", "/bin/clang++-19", "id"}, {"/dw/include", "/dw/lib", "/dw/toolkit"}, false};
};

TEST_F(CommandLine, DevicePassMakesOptimisedPtxWithLines) {
  Arguments command = device({});
  EXPECT_EQ(command[0], "/bin/clang++-19");
  for (const char* word :
       {"--cuda-device-only", "--cuda-gpu-arch=sm_90", "--cuda-feature=+ptx83", "-S", "-O3", "-gline-tables-only",
        "-nocudainc", "-nocudalib", "-nvptx-prec-divf32=2", "-nvptx-prec-sqrtf32=1"}) {
    EXPECT_THAT(command, Contains(word));
  }
  EXPECT_TRUE(pair(command, "-isystem", "/dw/include"));
  EXPECT_TRUE(pair(command, "-o", "a.ptx"));
}

TEST_F(CommandLine, HostPassEmbedsAndRegistersAsCuda12Does) {
  Arguments command = host({"-O1", "-g", "-Xcompiler", "-fPIC"});
  EXPECT_TRUE(pair(command, "-Xclang", "-target-sdk-version=12.5"));
  EXPECT_TRUE(pair(command, "-Xclang", "-fcuda-include-gpubinary"));
  EXPECT_TRUE(pair(command, "-Xclang", "a.image"));
  for (const char* word : {"--cuda-host-only", "-c", "-O1", "-g", "-fPIC"}) EXPECT_THAT(command, Contains(word));
}

TEST_F(CommandLine, HostOptimisationLeavesDeviceCodeAlone) {
  EXPECT_THAT(device({"-O0"}), Contains("-O3"));
  EXPECT_THAT(device({"-Xcompiler", "-march=native"}), Not(Contains("-march=native")));
  EXPECT_THAT(device({"-Xcompiler", "-DX=1"}), Contains("-DX=1"));
  Arguments debug = device({"-G"});
  EXPECT_THAT(debug, Contains("-O0"));
  EXPECT_THAT(debug, Not(Contains("-O3")));
  EXPECT_THAT(device({"-Xptxas", "-O0"}), Contains("-O0"));
}

TEST_F(CommandLine, MathOptionsReachTheDevicePass) {
  Arguments fast = device({"--use_fast_math"});
  for (const char* word : {"-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals", "-nvptx-prec-divf32=0",
                           "-nvptx-prec-sqrtf32=0"}) {
    EXPECT_THAT(fast, Contains(word));
  }
  EXPECT_THAT(device({"-prec-div=false"}), Contains("-nvptx-prec-divf32=1")) << "div.full, not div.approx";
  EXPECT_THAT(device({"-fmad=false"}), Contains("-ffp-contract=off"));
  EXPECT_THAT(device({}), Not(Contains("-fgpu-flush-denormals-to-zero")));
}

TEST_F(CommandLine, BothPassesSeeTheSameText) {
  for (const Arguments& command :
       {device({"-DA", "-Iinc", "-std=c++17", "-rdc=true"}), host({"-DA", "-Iinc", "-std=c++17", "-rdc=true"})}) {
    for (const char* word : {"-DA", "-Iinc", "-std=c++17", "-fgpu-rdc", "-D__CUDACC_RDC__=1"})
      EXPECT_THAT(command, Contains(word));
    EXPECT_TRUE(pair(command, "-include", "drywarp_prelude.h"));
  }
}

TEST_F(CommandLine, AToolkitsHeadersComeAfterOurs) {
  auto toolkit = std::filesystem::temp_directory_path() / "drywarp_toolkit_test";
  std::filesystem::create_directories(toolkit);
  std::ofstream(toolkit / "cuda_runtime.h") << "#error toolkit\n";
  Arguments command = device({"-I" + toolkit.string()});
  EXPECT_THAT(command, Contains("-idirafter" + toolkit.string()));
  EXPECT_THAT(command, Not(Contains("-I" + toolkit.string())));
  std::filesystem::remove_all(toolkit);
}

TEST_F(CommandLine, LinksOurRuntimeWithARunPath) {
  Compilation c = compilation({});
  Arguments command = link_command(c, tools_, {"a.o", "-lm"}, "app", "link.d");
  EXPECT_THAT(command, Contains("-lcudart"));
  EXPECT_THAT(command, Contains("-Wl,-rpath,/dw/lib"));
  EXPECT_TRUE(pair(command, "a.o", "-lm"));
  Arguments without = link_command(compilation({"-cudart", "none"}), tools_, {"a.o"}, "app", "");
  EXPECT_THAT(without, Not(Contains("-lcudart")));
  EXPECT_THAT(link_command(compilation({"-shared"}), tools_, {"a.o"}, "app", ""), Contains("-shared"));
}

TEST_F(CommandLine, PlainSourcesAreNotCuda) {
  Arguments cxx = plain_command(compilation({"-std=c++17"}), tools_, {"b.cpp", Language::Cxx}, "b.o", "b.d");
  EXPECT_EQ(cxx[0], "/bin/clang++-19");
  EXPECT_THAT(cxx, Contains("-std=c++17"));
  EXPECT_THAT(cxx, Not(Contains("cuda")));
  Arguments c = plain_command(compilation({"-std=c++17"}), tools_, {"b.c", Language::C}, "b.o", "b.d");
  EXPECT_EQ(c[0], "/bin/clang-19");
  EXPECT_THAT(c, Not(Contains("-std=c++17")));
}

TEST(Quoted, CanBePastedIntoAShell) {
  EXPECT_EQ(quoted({"clang", "-DA=\"b c\"", "", "it's"}), R"(clang '-DA="b c"' '' 'it'\''s')");
}

}  // namespace
}  // namespace drywarp::compile
