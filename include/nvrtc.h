// NVRTC: compiles CUDA C++ while the program runs. docs/libraries.md says what differs from NVIDIA's.
#ifndef DRYWARP_NVRTC_H
#define DRYWARP_NVRTC_H
#define __NVRTC_H__

#include <stddef.h>

#ifdef __cplusplus
#include <cxxabi.h>
#include <stdlib.h>

#include <string>
#include <typeinfo>
extern "C" {
#endif

typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
  NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
  NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
  NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
  NVRTC_ERROR_PCH_CREATE = 15,
  NVRTC_ERROR_CANCELLED = 16,
  NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;

typedef struct _nvrtcProgram* nvrtcProgram;

const char* nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int* major, int* minor);
nvrtcResult nvrtcGetNumSupportedArchs(int* number);
nvrtcResult nvrtcGetSupportedArchs(int* architectures);

// `headers` and `includeNames`: texts, and the names that #include has for them.
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int numHeaders,
                               const char* const* headers, const char* const* includeNames);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int numOptions, const char* const* options);

// Sizes count the terminating NUL of texts.
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* size);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx);
// Not machine code: a fat binary with the PTX. The size is 0 unless the options name an sm_ architecture.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log);

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name);

// Always NVRTC_ERROR_INVALID_PROGRAM: clang makes neither.
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t* size);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char* code);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t* size);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char* code);

// No program makes a precompiled header: drywarp keeps one of its own.
nvrtcResult nvrtcGetPCHHeapSize(size_t* size);
nvrtcResult nvrtcSetPCHHeapSize(size_t size);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t* size);

// The callback is called before the compiler starts; if it returns 1, the compilation is cancelled.
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void*, void*), void* payload);

#ifdef __cplusplus
}  // extern "C"

// The name of a type in C++, for name expressions.
inline nvrtcResult nvrtcGetTypeName(const std::type_info& type, std::string* result) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  if (!name) return NVRTC_ERROR_INTERNAL_ERROR;
  *result = name;
  free(name);
  return NVRTC_SUCCESS;
}
template <typename T>
struct __nvrtcGetTypeName_helper_t {};
template <typename T>
nvrtcResult nvrtcGetTypeName(std::string* result) {
  const nvrtcResult status = nvrtcGetTypeName(typeid(__nvrtcGetTypeName_helper_t<T>), result);
  if (status != NVRTC_SUCCESS) return status;
  const size_t first = result->find('<') + 1;  // typeid() itself drops references and const
  *result = result->substr(first, result->rfind('>') - first);
  return NVRTC_SUCCESS;
}
#endif

#endif
