// Any bytes go in as a record of a profile, or as its log; counts, times, a kernel, a sample or an error come out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/events/access_sample.h"
#include "profile/store/codec.h"
#include "profile/store/row_log.h"
#include "profile/store/schema.h"

namespace {

using namespace drywarp;

bool insert_log(std::string_view rows) {
  auto db = store::Database::open(":memory:", store::Database::Mode::Create);
  if (!db || !db->execute(store::kSchema)) std::abort();
  auto inserter = store::RowInserter::prepare(*db);
  if (!inserter) std::abort();
  return inserter->insert(rows).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  KernelInfo kernel;
  switch (data[0] % 6) {
    case 0:
      // What was read is written the same way.
      for (const int64_t format : {store::kFormat - 1, store::kFormat})
        if (const auto counts = store::decode_counts(bytes, format))
          if (!store::decode_counts(store::encode(*counts), store::kFormat)) std::abort();
      break;
    case 1:
      (void)store::decode_time(bytes);
      break;
    case 2:
      (void)store::decode_instruction_times(bytes);
      break;
    case 3:
      if (store::decode_kernel(bytes, kernel)) {
        KernelInfo again;
        if (!store::decode_kernel(store::encode(kernel), again)) std::abort();
      }
      break;
    case 4:
      if (const auto sample = parse_access_sample(bytes))
        if (!parse_access_sample(to_line(*sample))) std::abort();
      break;
    default:
      (void)insert_log(bytes);
  }
  return 0;
}
