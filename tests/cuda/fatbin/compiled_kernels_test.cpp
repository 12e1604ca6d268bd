#include "cuda/fatbin/compiled_kernels.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>

namespace drywarp::fatbin {
namespace {

std::vector<uint8_t> golden_bytes(const std::string& name) {
  std::ifstream in(std::string(DRYWARP_SOURCE_DIR) + "/tests/golden/fatbin/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CompiledKernels, CubinAndTextSayTheSame) {
  const auto bytes = golden_bytes("transpose.cubin"), letters = golden_bytes("transpose.ptxas.txt");
  const auto cubin = read_cubin(bytes);
  const auto text = read_ptxas_info({reinterpret_cast<const char*>(letters.data()), letters.size()});
  ASSERT_TRUE(cubin) << cubin.problem().message;
  ASSERT_TRUE(text) << text.problem().message;
  ASSERT_GT(text->size(), 3u);
  ASSERT_EQ(cubin->size(), text->size());
  std::map<std::string, CompiledKernel> by_name;
  for (const auto& k : *cubin) by_name[k.name] = k;
  for (const auto& k : *text) {
    ASSERT_TRUE(by_name.count(k.name)) << k.name;
    EXPECT_EQ(by_name[k.name].registers, k.registers) << k.name;
    EXPECT_EQ(by_name[k.name].shared_bytes, k.shared_bytes) << k.name;
    EXPECT_EQ(k.compute_capability, 90u);
    EXPECT_EQ(by_name[k.name].compute_capability, 90u);
    EXPECT_EQ(k.spill_store_bytes, 0u);
    EXPECT_EQ(by_name[k.name].barriers, k.barriers) << k.name;
  }
}

TEST(CompiledKernels, ReadsSpills) {
  const auto kernels = read_ptxas_info(
      "nvcc says something\n"
      "ptxas info    : Compiling entry function '_Z1kPi' for 'sm_80'\n"
      "ptxas info    : Function properties for _Z1kPi\n"
      "    96 bytes stack frame, 108 bytes spill stores, 112 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 1 barriers, 96 bytes cumulative stack size, 2048 bytes smem, 372 bytes "
      "cmem[0]\n");
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  const CompiledKernel& k = kernels->front();
  EXPECT_EQ(k.registers, 32u);
  EXPECT_EQ(k.compute_capability, 80u);
  EXPECT_EQ(k.stack_bytes, 96u);
  EXPECT_EQ(k.spill_store_bytes, 108u);
  EXPECT_EQ(k.spill_load_bytes, 112u);
  EXPECT_EQ(k.shared_bytes, 2048u);
  EXPECT_EQ(k.barriers, 1u);
}

TEST(CompiledTable, FindsWhatADeviceWouldRun) {
  const auto kernel = [](const char* name, unsigned target, uint32_t registers) {
    CompiledKernel k;
    k.name = name;
    k.compute_capability = target;
    k.registers = registers;
    return k;
  };
  CompiledTable table;
  table.add({kernel("a", 80, 10), kernel("a", 86, 11), kernel("a", 90, 12)}, CompiledBy::Cubin);
  table.add({kernel("b", 0, 13)}, CompiledBy::PtxasInfo);
  const auto registers = [&](const char* name, unsigned target) {
    const auto* row = table.find(name, target);
    return row ? row->kernel.registers : 0;
  };
  EXPECT_EQ(registers("a", 80), 10u);
  EXPECT_EQ(registers("a", 86), 11u);
  EXPECT_EQ(registers("a", 89), 11u);  // machine code runs on later devices of its generation
  EXPECT_EQ(registers("a", 90), 12u);
  EXPECT_EQ(registers("a", 75), 0u);
  EXPECT_EQ(registers("a", 100), 0u);
  EXPECT_EQ(registers("b", 52), 13u);
  EXPECT_EQ(registers("c", 90), 0u);
}

TEST(CompiledTable, ReadsFilesByWhatIsInThem) {
  CompiledTable table;
  const std::string folder = std::string(DRYWARP_SOURCE_DIR) + "/tests/golden/fatbin/";
  ASSERT_TRUE(table.add_file(folder + "transpose.cubin"));
  ASSERT_TRUE(table.add_file(folder + "transpose.ptxas.txt"));
  EXPECT_EQ(table.rows().front().from, CompiledBy::Cubin);
  EXPECT_EQ(table.rows().back().from, CompiledBy::PtxasInfo);
  EXPECT_FALSE(table.add_file(folder + "missing.cubin"));
  EXPECT_FALSE(table.add_file(__FILE__));
}

TEST(CompiledKernels, RefusesWhatIsNeither) {
  EXPECT_FALSE(read_cubin({}));
  const auto text = golden_bytes("transpose.ptxas.txt");
  EXPECT_FALSE(read_cubin(text));
  EXPECT_FALSE(read_ptxas_info("hello"));
  EXPECT_FALSE(read_ptxas_info("ptxas info : Compiling entry function 'k' for 'sm_90'\n"));
}

TEST(CompiledKernels, SurvivesDamage) {
  const auto whole = golden_bytes("transpose.cubin");
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    auto bytes = whole;
    for (int k = 0; k < 8; ++k) bytes[random() % (round % 2 ? bytes.size() : 64)] = uint8_t(random());
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    const auto kernels = read_cubin(bytes);  // must return, with any result
    if (kernels) EXPECT_FALSE(kernels->empty());
  }
}

}  // namespace
}  // namespace drywarp::fatbin
