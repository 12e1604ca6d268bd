// Driver API: result codes from the runtime's errors, and their texts.
#include <algorithm>
#include <iterator>

#include "cuda/c_abi/driver.h"

namespace drywarp::cudart {
namespace {

struct Translation {
  cudaError_t runtime;
  CUresult driver;
};
// Runtime codes that the driver lacks.
constexpr Translation kTranslations[] = {
    {cudaErrorInvalidConfiguration, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidPitchValue, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidSymbol, CUDA_ERROR_NOT_FOUND},
    {cudaErrorInvalidDevicePointer, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidHostPointer, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidMemcpyDirection, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidChannelDescriptor, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidDeviceFunction, CUDA_ERROR_INVALID_HANDLE},
};

struct Name {
  CUresult code;
  const char* text;
};
constexpr Name kNames[] = {
#define DW_RESULT_NAME(enumerator, code) {static_cast<CUresult>(code), #enumerator},
#include "cuda/c_abi/driver_results.def"
};

const Name* find(CUresult code) {
  const auto* found = std::ranges::find(kNames, code, &Name::code);
  return found == std::end(kNames) ? nullptr : found;
}

}  // namespace

CUresult result(cudaError_t error) {
  const auto* translation = std::ranges::find(kTranslations, error, &Translation::runtime);
  return translation == std::end(kTranslations) ? static_cast<CUresult>(error) : translation->driver;
}

}  // namespace drywarp::cudart

using namespace drywarp::cudart;

extern "C" {

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = find(error) ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  const Name* found = find(error);
  *text = found ? found->text : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"
