// NVTX in programs of other compilers: the function tables of NVTX 3's header, and the names of libnvToolsExt.so.1.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

extern "C" int InitializeInjectionNvtx2(const void* (*export_table)(uint32_t));
extern "C" int InitializeInjectionNvtxExtension(void* module);

namespace {

using Function = void (*)();

// The data of NVTX 3's header: for each module, a table of pointers to its function pointers.
struct Header {
  std::array<Function, 16> core{}, domains{};
  std::array<Function*, 16> core_table{}, domain_table{};
  Header() {
    for (size_t i = 1; i < core.size(); ++i) {
      core_table[i] = &core[i];
      domain_table[i] = &domains[i];
    }
  }
};
Header header;

int functions(int module, Function*** table, unsigned* count) {
  auto& chosen = module == 1 ? header.core_table : header.domain_table;
  if (module != 1 && module != 5) return 0;
  *table = chosen.data();
  *count = unsigned(chosen.size());
  return 1;
}

struct {
  size_t size = sizeof(*this);
  int (*get)(int, Function***, unsigned*) = functions;
} exported;

TEST(NvtxTest, TheHeadersFunctionsAreFilledIn) {
  ASSERT_EQ(1,
            InitializeInjectionNvtx2([](uint32_t which) -> const void* { return which == 1 ? &exported : nullptr; }));
  constexpr int kPushA = 9, kPushW = 10, kPop = 11;
  ASSERT_NE(nullptr, header.core[kPushA]);
  ASSERT_NE(nullptr, header.domains[4]);
  EXPECT_EQ(0, reinterpret_cast<int (*)(const char*)>(header.core[kPushA])("outer"));
  EXPECT_EQ(1, reinterpret_cast<int (*)(const wchar_t*)>(header.core[kPushW])(L"inner"));
  EXPECT_EQ(2, reinterpret_cast<int (*)(void*, const void*)>(header.domains[4])(nullptr, nullptr));
  const auto pop = reinterpret_cast<int (*)()>(header.core[kPop]);
  EXPECT_EQ(2, reinterpret_cast<int (*)(void*)>(header.domains[5])(nullptr));
  EXPECT_EQ(1, pop());
  EXPECT_EQ(0, pop());
  EXPECT_EQ(-2, pop());
  EXPECT_EQ(0, InitializeInjectionNvtx2([](uint32_t) -> const void* { return nullptr; }));
}

TEST(NvtxTest, TheMemoryExtensionsSlotsAreFilledIn) {
  intptr_t slots[63] = {};
  struct {
    size_t id = 1, count = std::size(slots);
    intptr_t* functions;
  } segment{.functions = slots};
  struct {
    uint16_t version = 3, bytes = 48, module = 1, compatibility = 0x0102;
    size_t segments = 1;
    void* first;
    void* (*exported)(uint32_t) = nullptr;
    const void* extra = nullptr;
  } info{.first = &segment};
  ASSERT_EQ(1, InitializeInjectionNvtxExtension(&info));
  for (size_t i = 0; i < std::size(slots); ++i) EXPECT_EQ(slots[i] != 0, i <= 16) << i;
  // What is in no allocation is no heap; the program's error stays.
  struct {
    size_t bytes;
    const void* start;
  } range{64, &range};
  struct {
    uint16_t compatibility = 0x0102, bytes = 56;
    uint32_t reserved = 0, usage = 1, type = 1;
    size_t range_bytes = sizeof(range);
    const void* range;
    uint32_t category = 0, message_type = 0;
    const void* message = nullptr;
  } heap{.range = &range};
  EXPECT_EQ(&range, reinterpret_cast<void* (*)(void*, const void*)>(slots[0])(nullptr, &heap));
  EXPECT_EQ(cudaSuccess, cudaGetLastError());
  info.module = 2;
  EXPECT_EQ(0, InitializeInjectionNvtxExtension(&info));
}

TEST(NvtxTest, TheOldLibrarysNamesHaveItsVersion) {
  for (const char* name : {"nvtxRangePushA", "nvtxRangePop", "nvtxRangePushEx", "nvtxRangeStartA", "nvtxRangeEnd",
                           "nvtxMarkA", "nvtxNameOsThreadA", "nvtxDomainCreateA", "nvtxNameCudaStreamA"})
    EXPECT_NE(nullptr, dlvsym(RTLD_DEFAULT, name, "libnvToolsExt.so.1")) << name;
}

}  // namespace
