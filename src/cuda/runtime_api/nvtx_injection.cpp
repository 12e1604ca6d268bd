// NVTX 3 is header-only: programs built with NVIDIA's headers pass its function tables to the library that
// NVTX_INJECTION64_PATH names. The numbers are NVTX 3's (nvtxTypes.h, versions 3.0 and later).
#include "cuda/runtime_api/nvtx.h"

namespace nvtx = drywarp::cudart::nvtx;

namespace {

constexpr uint32_t kCallbacks = 1;  // the export table with the function pointers

using Function = void (*)();
struct ExportTable {
  size_t size;
  int (*functions)(int module, Function*** table, unsigned* count);
};

struct Entry {
  int module;  // 1: ranges; 5: domains
  unsigned number;
  Function function;
};
template <class F>
Function any(F* function) {
  return reinterpret_cast<Function>(function);
}
const Entry kEntries[] = {
    {1, 4, any(nvtx::start_attributes)}, {1, 5, any(nvtx::start)},
    {1, 6, any(nvtx::start_wide)},       {1, 7, any(nvtx::end)},
    {1, 8, any(nvtx::push_attributes)},  {1, 9, any(nvtx::push)},
    {1, 10, any(nvtx::push_wide)},       {1, 11, any(nvtx::pop)},
    {5, 2, any(nvtx::domain_start)},     {5, 3, any(nvtx::domain_end)},
    {5, 4, any(nvtx::domain_push)},      {5, 5, any(nvtx::domain_pop)},
    {5, 10, any(nvtx::domain_register)}, {5, 12, any(nvtx::domain_create)},
};

}  // namespace

extern "C" int InitializeInjectionNvtx2(const void* (*export_table)(uint32_t)) {
  const auto* table = export_table ? static_cast<const ExportTable*>(export_table(kCallbacks)) : nullptr;
  if (!table || table->size < sizeof *table) return 0;
  for (const Entry& entry : kEntries) {
    Function** functions = nullptr;
    unsigned count = 0;
    if (!table->functions(entry.module, &functions, &count) || entry.number >= count || !functions[entry.number])
      continue;
    *functions[entry.number] = entry.function;
  }
  return 1;
}
