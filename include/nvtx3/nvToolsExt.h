// NVTX ranges and marks, version 3 (header only). Ranges reach the profiler through weak functions of the runtime;
// without that runtime, they have no effect.
#ifndef DRYWARP_NVTX3_NVTOOLSEXT_H
#define DRYWARP_NVTX3_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)(sizeof(nvtxEventAttributes_t)))
#define NVTX_API
#define NVTX_INLINE_STATIC static inline

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;

struct nvtxStringRegistration_st {
  char text[1];
};

#if defined(__cplusplus)
extern "C" {
#endif
// The runtime's functions. Ranges of a thread nest; push returns the depth before, or a negative number.
int __drywarp_nvtx_push(const char* text) __attribute__((weak));
int __drywarp_nvtx_pop(void) __attribute__((weak));
void __drywarp_nvtx_mark(const char* text) __attribute__((weak));
uint64_t __drywarp_nvtx_start(const char* text) __attribute__((weak));
void __drywarp_nvtx_end(uint64_t id) __attribute__((weak));
#if defined(__cplusplus)
}
#endif

static inline const char* __drywarp_nvtx_text(const nvtxEventAttributes_t* attributes) {
  if (!attributes) return "";
  if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII) return attributes->message.ascii;
  if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED && attributes->message.registered)
    return attributes->message.registered->text;
  return "";
}

static inline int nvtxRangePushA(const char* text) { return __drywarp_nvtx_push ? __drywarp_nvtx_push(text) : -1; }
static inline int nvtxRangePushEx(const nvtxEventAttributes_t* attributes) {
  return nvtxRangePushA(__drywarp_nvtx_text(attributes));
}
static inline int nvtxRangePushW(const wchar_t* text) { return (void)text, nvtxRangePushA(""); }
static inline int nvtxRangePop(void) { return __drywarp_nvtx_pop ? __drywarp_nvtx_pop() : -1; }
static inline nvtxRangeId_t nvtxRangeStartA(const char* text) {
  return __drywarp_nvtx_start ? __drywarp_nvtx_start(text) : 0;
}
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* attributes) {
  return nvtxRangeStartA(__drywarp_nvtx_text(attributes));
}
static inline void nvtxRangeEnd(nvtxRangeId_t id) {
  if (__drywarp_nvtx_end) __drywarp_nvtx_end(id);
}
static inline void nvtxMarkA(const char* text) {
  if (__drywarp_nvtx_mark) __drywarp_nvtx_mark(text);
}
static inline void nvtxMarkEx(const nvtxEventAttributes_t* attributes) { nvtxMarkA(__drywarp_nvtx_text(attributes)); }
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA

// Ranges of domains count as the thread's.
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char* name) { return (nvtxDomainHandle_t)(size_t)name; }
#define nvtxDomainCreate nvtxDomainCreateA
static inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return (void)domain, nvtxRangePushEx(attributes);
}
static inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return (void)domain, nvtxRangePop(); }
static inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return (void)domain, nvtxRangeStartEx(attributes);
}
static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) { (void)domain, nvtxRangeEnd(id); }
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  (void)domain, nvtxMarkEx(attributes);
}
// The handle of a registered string is its address, so the text must outlive the handle.
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) {
  return (void)domain, (nvtxStringHandle_t)(size_t)text;
}
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
static inline void nvtxNameCategoryA(uint32_t category, const char* name) { (void)category, (void)name; }
static inline void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name) {
  (void)domain, (void)category, (void)name;
}
static inline void nvtxNameOsThreadA(uint32_t thread, const char* name) { (void)thread, (void)name; }
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
// The same for wide characters; their text is not recorded.
static inline nvtxRangeId_t nvtxRangeStartW(const wchar_t* text) { return (void)text, nvtxRangeStartA(""); }
static inline void nvtxMarkW(const wchar_t* text) { (void)text, nvtxMarkA(""); }
static inline nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t* name) { return (void)name, nvtxDomainCreateA(""); }
static inline nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* text) {
  return (void)text, nvtxDomainRegisterStringA(domain, "");
}
static inline void nvtxNameCategoryW(uint32_t category, const wchar_t* name) { (void)category, (void)name; }
static inline void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t* name) {
  (void)domain, (void)category, (void)name;
}
static inline void nvtxNameOsThreadW(uint32_t thread, const wchar_t* name) { (void)thread, (void)name; }

static inline void nvtxInitialize(const void* reserved) { (void)reserved; }

#endif
