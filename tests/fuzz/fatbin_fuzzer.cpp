// Any bytes go in as a fat binary, as a cubin and as what ptxas prints; kernels or an error come out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "cuda/fatbin/compiled_kernels.h"
#include "cuda/fatbin/fatbin.h"

namespace {

template <class Read>
void require_reason(const Read& result) {
  if (!result && result.problem().message.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace drywarp;
  const std::span<const uint8_t> bytes(data, size);
  if (const Result<fatbin::Image> image = fatbin::read_image(bytes)) {
    for (const fatbin::Entry& entry : image->entries) {
      // A few bytes may say that they unpack to gigabytes.
      if (entry.uncompressed_size < (1u << 24)) require_reason(entry.contents());
    }
    (void)image->best_ptx(90);
  } else {
    require_reason(image);
  }
  require_reason(fatbin::read_cubin(bytes));
  require_reason(fatbin::read_ptxas_info({reinterpret_cast<const char*>(data), size}));
  return 0;
}
