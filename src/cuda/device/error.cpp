#include "cuda/device/error.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace drywarp::cuda {
namespace {

struct Entry {
  int code;
  const char* name;
  const char* text;
};

constexpr Entry kErrors[] = {
#define DW_ERROR(name, code, text) {code, code == 0 ? "cudaSuccess" : "cudaError" #name, text},
#include "cuda/device/errors.def"
};

constexpr const char* kUnknown = "unrecognized error code";

const Entry* find(int code) {
  const auto* entry = std::ranges::find(kErrors, code, &Entry::code);
  return entry == std::end(kErrors) ? nullptr : entry;
}

constexpr std::array kSticky = {
    Error::IllegalAddress,      Error::MisalignedAddress, Error::IllegalInstruction,
    Error::InvalidAddressSpace, Error::InvalidPc,         Error::Assert,
    Error::LaunchFailure,       Error::LaunchTimeout,     Error::HardwareStackError,
};

}  // namespace

const char* error_name(int code) {
  const Entry* entry = find(code);
  return entry ? entry->name : kUnknown;
}

const char* error_text(int code) {
  const Entry* entry = find(code);
  return entry ? entry->text : kUnknown;
}

bool is_sticky(Error error) { return std::ranges::find(kSticky, error) != kSticky.end(); }

}  // namespace drywarp::cuda
