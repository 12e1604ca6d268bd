#include "kernel_cases.h"

#include "problem_sizes.h"

namespace drywarp::bench {
namespace {

using exec::Dim3;

void add_transposes(std::vector<KernelCase>& out) {
  for (const auto& [type, size] : {std::pair{"float", 4u}, {"double", 8u}})
    for (const char* kernel : {"copy", "naive_write", "naive_read", "shared", "padded"}) {
      const BufferArgument matrix{uint64_t{kMatrix} * kMatrix * size};
      out.push_back({"transpose",
                     std::string(kernel) + "<" + type + ">",
                     {kMatrix / 32, kMatrix / 32},
                     {32, 32},
                     0,
                     {matrix, matrix, int32_t{kMatrix}, int32_t{kMatrix}}});
    }
}

void add_products(std::vector<KernelCase>& out) {
  const BufferArgument matrix{uint64_t{kMultiplied} * kMultiplied * 4, Fill::Zero};
  const auto add = [&](const char* kernel, uint32_t tiles_a_block) {
    out.push_back({"matmul",
                   kernel,
                   {kMultiplied / (32 * tiles_a_block), kMultiplied / 32},
                   {32, 32},
                   0,
                   {matrix, matrix, matrix, int32_t{kMultiplied}}});
  };
  for (const char* kernel : {"simple", "uncoalesced", "tiled", "simple_column_n", "tiled_column_n"}) add(kernel, 1);
  add("coarse_1x2", 2);
  add("coarse_1x4", 4);
}

void add_reductions(std::vector<KernelCase>& out) {
  const auto add = [&](const char* kernel, uint32_t elements, bool dynamic) {
    const uint32_t blocks = kReduced / (kReductionBlock * elements);
    out.push_back({"reduction",
                   kernel,
                   {blocks},
                   {kReductionBlock},
                   dynamic ? kReductionBlock * 4 : 0,
                   {BufferArgument{uint64_t{kReduced} * 4}, BufferArgument{uint64_t{blocks} * 4}}});
  };
  for (const char* kernel : {"neighbored", "rearranged", "interleaved"}) add(kernel, 1, false);
  for (const char* kernel : {"neighbored_shared", "rearranged_shared", "interleaved_shared"}) add(kernel, 1, true);
  add("unroll<2>", 2, true);
  add("unroll<4>", 4, true);
  add("unroll<8>", 8, true);
  add("warp_volatile", 8, true);
  add("warp_sync", 8, true);
  add("complete<128u>", 8, false);
  add("shuffle", 8, false);
}

void add_access_patterns(std::vector<KernelCase>& out) {
  const BufferArgument result{uint64_t{kVector} * 4}, input{uint64_t{kVector} * 4 + 256};
  for (const char* kernel : {"offset<0>", "offset<1>", "stride<1>"})
    out.push_back({"access_patterns", kernel, {kVector / 256}, {256}, 0, {result, input}});
  const BufferArgument wide{uint64_t{kVector} * 4 * 32};
  for (const char* kernel : {"stride<8>", "stride<32>"})
    out.push_back({"access_patterns", kernel, {kVector / 256}, {256}, 0, {result, wide}});
  out.push_back({"access_patterns", "vector4", {kVector / 4 / 256}, {256}, 0, {result, result}});
  const BufferArgument matrix{uint64_t{kSummed} * kSummed * 4};
  for (const char* kernel : {"row_sums", "column_sums"})
    out.push_back({"access_patterns", kernel, {kSummed / 128}, {128}, 0, {result, matrix, int32_t{kSummed}}});
}

void add_divergence(std::vector<KernelCase>& out) {
  const uint32_t threads = kDivergentWarps * 32;
  const BufferArgument result{uint64_t{threads} * 4};
  for (const char* kernel : {"odd_even", "by_warp"})
    out.push_back({"divergence", kernel, {threads / 128}, {128}, 0, {result}});
  out.push_back({"divergence",
                 "trips",
                 {threads / 128},
                 {128},
                 0,
                 {result, BufferArgument{uint64_t{threads} * 8 * 4},
                  BufferArgument{uint64_t{threads} * 4, Fill::SixToEight}, threads}});
}

void add_rest(std::vector<KernelCase>& out) {
  for (const char* kernel : {"stride<1>", "stride<2>", "stride<32>", "broadcast", "column<33>", "wide<float4>"})
    out.push_back(
        {"banks", kernel, {kBankBlocks}, {64}, 0, {BufferArgument{kBankBlocks * 64 * 4}, int32_t{kBankRepeats}}});
  const auto histogram = [&](const char* kernel, uint32_t elements) {
    out.push_back({"histogram",
                   kernel,
                   {kHistogram / (256 * elements)},
                   {256},
                   0,
                   {BufferArgument{kHistogram}, BufferArgument{1024, Fill::Zero}, kHistogram}});
  };
  histogram("global_atomics", 1);
  histogram("privatised", 1);
  histogram("coarsened", 16);
  histogram("aggregated", 1);
  const BufferArgument vector{uint64_t{kVector} * 4};
  out.push_back({"vector_add", "vector_add", {kVector / 256}, {256}, 0, {vector, vector, vector, int32_t{kVector}}});
}

}  // namespace

std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> out;
  add_rest(out);
  add_transposes(out);
  add_products(out);
  add_reductions(out);
  add_access_patterns(out);
  add_divergence(out);
  return out;
}

}  // namespace drywarp::bench
