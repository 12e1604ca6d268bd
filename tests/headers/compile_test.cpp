// Compiles tests/headers/cases/*.cu with the headers alone, for the device and for the host, in every supported
// language version, without optimisation and with, and looks in the PTX for what each file says in its comments:
//   // ptx: A|B          one of these texts occurs
//   // no ptx: A         this text does not
//   // flags: ...        for both compilations; "device flags" for the device's
//   // optimised only    the PTX is only looked at with optimisation
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Case {
  std::vector<std::string> wanted, unwanted;
  std::string flags, device_flags;
  bool optimised_only = false;
};

Case read_case(const fs::path& path) {
  Case result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto after = [&](const std::string& key) { return line.substr(key.size()); };
    if (line.starts_with("// ptx: ")) result.wanted.push_back(after("// ptx: "));
    if (line.starts_with("// no ptx: ")) result.unwanted.push_back(after("// no ptx: "));
    if (line.starts_with("// flags: ")) result.flags = after("// flags: ");
    if (line.starts_with("// device flags: ")) result.device_flags = after("// device flags: ");
    if (line.starts_with("// optimised only")) result.optimised_only = true;
  }
  return result;
}

// The output of a command, and whether it succeeded.
std::pair<std::string, bool> run(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return {"popen failed", false};
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  return {output, pclose(pipe) == 0};
}

bool contains_one_of(const std::string& text, const std::string& alternatives) {
  std::stringstream list(alternatives);
  for (std::string one; std::getline(list, one, '|');)
    if (text.find(one) != std::string::npos) return true;
  return false;
}

class HeadersTest : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(HeadersTest, CompileForDeviceAndHost) {
  const auto& [name, options] = GetParam();
  const fs::path source = fs::path(DRYWARP_SOURCE_DIR) / "tests/headers/cases" / (name + ".cu");
  const Case expected = read_case(source);
  const std::string base =
      std::string(DRYWARP_CLANG) + " -x cuda " + source.string() +
      " -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-gpu-arch=sm_90 -Wall -Wextra -Werror " +
      "-I" DRYWARP_SOURCE_DIR "/include -include drywarp_prelude.h " + options + " " + expected.flags;

  const fs::path ptx_path = fs::temp_directory_path() / ("drywarp-headers-" + std::to_string(getpid()) + ".ptx");
  const auto [device_log, device_ok] =
      run(base + " --cuda-device-only --cuda-feature=+ptx83 -S -o " + ptx_path.string() + " " + expected.device_flags);
  ASSERT_TRUE(device_ok) << device_log;
  std::stringstream text;
  text << std::ifstream(ptx_path).rdbuf();
  fs::remove(ptx_path);
  const std::string ptx = text.str();
  if (!expected.optimised_only || options.find("-O0") == std::string::npos) {
    for (const std::string& wanted : expected.wanted)
      EXPECT_TRUE(contains_one_of(ptx, wanted)) << wanted << " is missing";
    if (options.find("-O0") == std::string::npos)
      for (const std::string& unwanted : expected.unwanted)
        EXPECT_EQ(ptx.find(unwanted), std::string::npos)
            << ptx.substr(ptx.find(unwanted) == std::string::npos ? 0 : ptx.find(unwanted), 80);
  }

  const auto [host_log, host_ok] = run(base + " --cuda-host-only -Xclang -target-sdk-version=12.5 -c -o /dev/null");
  EXPECT_TRUE(host_ok) << host_log;
}

std::string printable(const testing::TestParamInfo<HeadersTest::ParamType>& info) {
  std::string name = std::get<0>(info.param) + std::get<1>(info.param);
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Cases, HeadersTest,
                         testing::Combine(testing::Values("arithmetic", "atomics", "concurrency", "contraction",
                                                          "double_math", "fast_math", "float_math", "groups", "half",
                                                          "language", "libraries", "small_floats", "textures", "warp"),
                                          testing::Values("-O2 -std=c++17", "-O0 -std=c++14", "-O3 -std=c++20")),
                         printable);
// Only the C++11 that programs without a -std option of their own may ask for.
INSTANTIATE_TEST_SUITE_P(Cxx11, HeadersTest,
                         testing::Combine(testing::Values("arithmetic", "atomics", "float_math", "groups", "half",
                                                          "small_floats", "warp"),
                                          testing::Values("-O1 -std=c++11")),
                         printable);

TEST(HeadersTest, ThePlainCHeadersAreC) {
  for (const char* header : {"cuda_runtime_api.h", "cuda_runtime.h", "cuda.h", "nvToolsExt.h", "cuda_profiler_api.h",
                             "vector_types.h", "cuComplex.h", "math_constants.h"}) {
    const auto [log, ok] = run("echo '#include <" + std::string(header) +
                               ">' | " DRYWARP_CLANG
                               " -x c -std=c99 -Wall -Wextra -Werror -fsyntax-only -I" DRYWARP_SOURCE_DIR "/include -");
    EXPECT_TRUE(ok) << header << ": " << log;
  }
}

}  // namespace
