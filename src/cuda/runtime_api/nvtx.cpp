// NVTX ranges of the calling thread and of the process, for every way to call NVTX.
#include <cstdint>

#include "cuda/c_abi/runtime.h"
#include "cuda/runtime_api/nvtx_text.h"
#include "nvtx3/nvToolsExt.h"

namespace drywarp::cudart::nvtx {
namespace {

// The recorder exists once the session has started; a range may be the program's first call.
template <class Body>
auto with_recorder(Body&& body) noexcept {
  decltype(body(std::declval<cuda::Recorder&>())) out{};
  query("nvtx", [&](Session& session) {
    if (session.start() == Error::Success) out = body(session.recorder());
    return Error::Success;
  });
  return out;
}

std::string text_or_empty(const char* text) { return text ? text : ""; }

// Non-ASCII characters are replaced.
std::string narrow(const wchar_t* text) {
  std::string out;
  for (; text && *text; ++text) out += *text < 128 ? char(*text) : '?';
  return out;
}

std::string text_of(const nvtxEventAttributes_t* attributes) {
  return attributes ? message_text(static_cast<uint32_t>(attributes->messageType), attributes->message) : "";
}

int push_text(std::string text) {
  return with_recorder([&](auto& recorder) { return recorder.push_range(std::move(text)); });
}
uint64_t start_text(std::string text) {
  return with_recorder([&](auto& recorder) { return recorder.start_range(std::move(text)); });
}

}  // namespace

std::string message_text(uint32_t type, const nvtxMessageValue_t& message) {
  if (type == NVTX_MESSAGE_TYPE_UNICODE) return narrow(message.unicode);
  if (type == NVTX_MESSAGE_TYPE_ASCII) return text_or_empty(message.ascii);
  // A registered string is represented by its text.
  return type == NVTX_MESSAGE_TYPE_REGISTERED && message.registered ? message.registered->text : "";
}

int push(const char* text) { return push_text(text_or_empty(text)); }
int push_wide(const wchar_t* text) { return push_text(narrow(text)); }
int push_attributes(const nvtxEventAttributes_t* attributes) { return push_text(text_of(attributes)); }
int pop() {
  return with_recorder([](auto& recorder) { return recorder.pop_range(); });
}
uint64_t start(const char* text) { return start_text(text_or_empty(text)); }
uint64_t start_wide(const wchar_t* text) { return start_text(narrow(text)); }
uint64_t start_attributes(const nvtxEventAttributes_t* attributes) { return start_text(text_of(attributes)); }
void end(uint64_t range) {
  with_recorder([&](auto& recorder) { return recorder.end_range(range), 0; });
}
// Ranges of domains count as the thread's.
int domain_push(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) { return push_attributes(attributes); }
int domain_pop(nvtxDomainHandle_t) { return pop(); }
uint64_t domain_start(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  return start_attributes(attributes);
}
void domain_end(nvtxDomainHandle_t, uint64_t range) { end(range); }
nvtxStringHandle_t domain_register(nvtxDomainHandle_t, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<char*>(text));
}
nvtxDomainHandle_t domain_create(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<char*>(name));
}

}  // namespace drywarp::cudart::nvtx

namespace nvtx = drywarp::cudart::nvtx;

// No effect: profiles have no place for marks, or for names of threads, categories and streams.
#define DW_NVTX_NOTHING(name)                       \
  void drywarp_nvtx_##name() __asm__("nvtx" #name); \
  void drywarp_nvtx_##name() {}

// The names in drywarp's nvToolsExt.h.
extern "C" {
int __drywarp_nvtx_push(const char* text) { return nvtx::push(text); }
int __drywarp_nvtx_pop() { return nvtx::pop(); }
void __drywarp_nvtx_mark(const char*) {}
uint64_t __drywarp_nvtx_start(const char* text) { return nvtx::start(text); }
void __drywarp_nvtx_end(uint64_t id) { nvtx::end(id); }

// The names of libnvToolsExt.so.1, which programs of CUDA 12 and earlier link. Our header has them inline.
int drywarp_nvtx_push_a(const char* text) __asm__("nvtxRangePushA");
int drywarp_nvtx_push_a(const char* text) { return nvtx::push(text); }
int drywarp_nvtx_push_w(const wchar_t* text) __asm__("nvtxRangePushW");
int drywarp_nvtx_push_w(const wchar_t* text) { return nvtx::push_wide(text); }
int drywarp_nvtx_push_ex(const nvtxEventAttributes_t* a) __asm__("nvtxRangePushEx");
int drywarp_nvtx_push_ex(const nvtxEventAttributes_t* a) { return nvtx::push_attributes(a); }
int drywarp_nvtx_pop() __asm__("nvtxRangePop");
int drywarp_nvtx_pop() { return nvtx::pop(); }
uint64_t drywarp_nvtx_start_a(const char* text) __asm__("nvtxRangeStartA");
uint64_t drywarp_nvtx_start_a(const char* text) { return nvtx::start(text); }
uint64_t drywarp_nvtx_start_w(const wchar_t* text) __asm__("nvtxRangeStartW");
uint64_t drywarp_nvtx_start_w(const wchar_t* text) { return nvtx::start_wide(text); }
uint64_t drywarp_nvtx_start_ex(const nvtxEventAttributes_t* a) __asm__("nvtxRangeStartEx");
uint64_t drywarp_nvtx_start_ex(const nvtxEventAttributes_t* a) { return nvtx::start_attributes(a); }
void drywarp_nvtx_end(uint64_t id) __asm__("nvtxRangeEnd");
void drywarp_nvtx_end(uint64_t id) { nvtx::end(id); }
int drywarp_nvtx_domain_push(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) __asm__("nvtxDomainRangePushEx");
int drywarp_nvtx_domain_push(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) { return nvtx::domain_push(d, a); }
int drywarp_nvtx_domain_pop(nvtxDomainHandle_t d) __asm__("nvtxDomainRangePop");
int drywarp_nvtx_domain_pop(nvtxDomainHandle_t d) { return nvtx::domain_pop(d); }
uint64_t drywarp_nvtx_domain_start(nvtxDomainHandle_t d,
                                   const nvtxEventAttributes_t* a) __asm__("nvtxDomainRangeStartEx");
uint64_t drywarp_nvtx_domain_start(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  return nvtx::domain_start(d, a);
}
void drywarp_nvtx_domain_end(nvtxDomainHandle_t d, uint64_t id) __asm__("nvtxDomainRangeEnd");
void drywarp_nvtx_domain_end(nvtxDomainHandle_t d, uint64_t id) { nvtx::domain_end(d, id); }
nvtxStringHandle_t drywarp_nvtx_register(nvtxDomainHandle_t d, const char* text) __asm__("nvtxDomainRegisterStringA");
nvtxStringHandle_t drywarp_nvtx_register(nvtxDomainHandle_t d, const char* text) {
  return nvtx::domain_register(d, text);
}
nvtxDomainHandle_t drywarp_nvtx_create(const char* name) __asm__("nvtxDomainCreateA");
nvtxDomainHandle_t drywarp_nvtx_create(const char* name) { return nvtx::domain_create(name); }

DW_NVTX_NOTHING(MarkA)
DW_NVTX_NOTHING(MarkEx)
DW_NVTX_NOTHING(MarkW)
DW_NVTX_NOTHING(NameCategoryA)
DW_NVTX_NOTHING(NameCategoryW)
DW_NVTX_NOTHING(NameOsThreadA)
DW_NVTX_NOTHING(NameOsThreadW)
DW_NVTX_NOTHING(NameCudaDeviceA)
DW_NVTX_NOTHING(NameCudaDeviceW)
DW_NVTX_NOTHING(NameCudaEventA)
DW_NVTX_NOTHING(NameCudaEventW)
DW_NVTX_NOTHING(NameCudaStreamA)
DW_NVTX_NOTHING(NameCudaStreamW)
DW_NVTX_NOTHING(NameCuContextA)
DW_NVTX_NOTHING(NameCuContextW)
DW_NVTX_NOTHING(NameCuDeviceA)
DW_NVTX_NOTHING(NameCuDeviceW)
DW_NVTX_NOTHING(NameCuEventA)
DW_NVTX_NOTHING(NameCuEventW)
DW_NVTX_NOTHING(NameCuStreamA)
DW_NVTX_NOTHING(NameCuStreamW)
DW_NVTX_NOTHING(DomainMarkEx)
DW_NVTX_NOTHING(DomainDestroy)
DW_NVTX_NOTHING(DomainNameCategoryA)
DW_NVTX_NOTHING(DomainNameCategoryW)
}  // extern "C"

// NVTX 3 is header-only: programs built with NVIDIA's headers pass its function tables to the library that
// NVTX_INJECTION64_PATH names. The numbers are NVTX 3's (nvtxTypes.h, versions 3.0 and later).
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
