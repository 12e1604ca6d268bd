// Any bytes go in as a record of a profile, or as its log; counts, times, a kernel, a sample, a drawing, an operation
// or an error come out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/events/access_sample.h"
#include "profile/store/codec.h"
#include "profile/store/compression.h"
#include "profile/store/drawing_codec.h"
#include "profile/store/operation_codec.h"
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
  switch (data[0] % 10) {
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
    case 5:
      (void)insert_log(bytes);
      break;
    case 6:
      if (const auto timeline = store::decode_timeline(store::compress(bytes))) {
        const std::string again = store::encode(*timeline);
        const auto same = store::decode_timeline(again);
        if (!same || store::encode(*same) != again) std::abort();
      }
      break;
    case 7:
      kernel.instructions.resize(3);
      if (const auto listing = store::decode_listing(store::compress(bytes), kernel))
        if (!store::decode_listing(store::encode(*listing), kernel)) std::abort();
      break;
    case 9:
      if (const auto operation = store::decode_operation(bytes, 1000))
        if (store::decode_operation(store::encode(*operation), 1000) != operation) std::abort();
      if (const auto numbers = store::decode_numbers(bytes))
        if (store::decode_numbers(store::encode(*numbers)) != numbers) std::abort();
      break;
    default:
      if (const auto steps = store::decode_steps(store::compress(bytes)))
        if (!store::decode_steps(store::encode(*steps))) std::abort();
      (void)store::decode_steps(bytes);  // compression itself
  }
  return 0;
}
