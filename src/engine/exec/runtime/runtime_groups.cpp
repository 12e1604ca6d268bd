// Products of matrices by groups of four warps (wgmma). Each warp multiplies its own lines when it issues the product;
// its waits let the others of its group come so far, since a program may take one warp's wait for that of all.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/matrix/group_multiply.h"
#include "engine/exec/matrix/matrix_descriptor.h"
#include "engine/exec/runtime/bulk_pieces.h"

using namespace drywarp;
using namespace drywarp::exec;

namespace {

// Reads chunks of a matrix in the block's shared memory.
class ChunkReader {
 public:
  ChunkReader(Warp& warp, uint32_t instruction) : warp_(warp), side_{warp, instruction, 0, AddressSpace::Shared} {
    side_.lane = static_cast<uint32_t>(std::countr_zero(warp.live & ~warp.exited));
  }
  void read(uint32_t offset, uint8_t* to) {
    const ByteRange range{reinterpret_cast<uint64_t>(warp_.shared) + offset, kChunkBytes};
    if (!may_access(side_, range, allowed_)) {
      std::memset(to, 0, kChunkBytes);
      return;
    }
    std::memcpy(to, reinterpret_cast<const void*>(range.address), kChunkBytes);
    if (!ranges_.empty() && ranges_.back().address + ranges_.back().bytes == range.address)
      ranges_.back().bytes += kChunkBytes;
    else
      ranges_.push_back(range);
  }
  void tell() { tell_bulk(side_, warp_.inside->code->prepared.numbers.access[side_.instruction], ranges_); }

 private:
  Warp& warp_;
  BulkSide side_;
  std::vector<bool> allowed_;
  std::vector<ByteRange> ranges_;
};

// `count` lines from `first` on, a multiple of 8.
void read_lines(ChunkReader& reader, const MatrixDescriptor& at, bool transposed, unsigned first, unsigned count,
                uint8_t (*lines)[kLineBytesOfGroup]) {
  constexpr unsigned kParts = kLineBytesOfGroup / kChunkBytes, kHalves = kChunkBytes / 2;
  if (!transposed) {
    for (unsigned line = 0; line < count; ++line)
      for (unsigned part = 0; part < kParts; ++part)
        reader.read(at.chunk(first + line, part), lines[line] + size_t{part} * kChunkBytes);
    return;
  }
  // Halves alone: of each element along k, eight lines.
  for (unsigned k = 0; k < kLineBytesOfGroup / 2; ++k)
    for (unsigned line = 0; line < count; line += kHalves) {
      uint8_t chunk[kChunkBytes];
      reader.read(at.chunk_transposed(k, (first + line) / kHalves), chunk);
      for (unsigned i = 0; i < kHalves; ++i) std::memcpy(lines[line + i] + size_t{k} * 2, chunk + size_t{i} * 2, 2);
    }
}

// As ncu counts them on an H100 for a group: one for each 128 bytes of a and of b. Each warp reads its lines of a; the
// first one counts for b.
void count_reads(Warp& warp, uint32_t instruction, const ir::GroupProduct& product) {
  if (!warp.worker->launch->counters) return;
  constexpr unsigned kWavefrontBytes = 128;
  const unsigned lines =
      (product.a_in_registers ? 0 : ir::kLinesOfWarp) + (warp.warp % ir::kGroupWarps == 0 ? product.n : 0);
  AccessCounts counts;
  counts.requests = 1, counts.lanes = kWarpSize;
  counts.bytes = counts.unique_bytes = uint64_t{lines} * kLineBytesOfGroup;
  counts.units = counts.ideal_units = counts.group_units = counts.bytes / kWavefrontBytes;
  counts.ways = 1;
  warp.sites[warp.inside->code->prepared.numbers.access[instruction]].total += counts;
}

// Of four warps, all that have not ended.
bool have_committed(const Warp& warp, uint64_t groups) {
  const auto& all = warp.owner->warps;
  const size_t first = warp.warp / ir::kGroupWarps * ir::kGroupWarps;
  for (size_t i = first; i < std::min(first + ir::kGroupWarps, all.size()); ++i)
    if (all[i]->state != Warp::State::Done && all[i]->product_groups < groups) return false;
  return true;
}

}  // namespace

extern "C" {

void dw_group_multiply(WarpContext* context, uint32_t instruction, void* a, uint64_t a_descriptor,
                       uint64_t b_descriptor, uint32_t adds, void* sums) {
  Warp& warp = warp_of(context);
  const MatrixArithmetic& arithmetic = warp.worker->launch->matrix;
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  if (arithmetic.group_float8_bits == 0)
    raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, 0,
                         "this device has no products of warp groups (wgmma); --device chooses another"));
  const ir::GroupProduct product = *ir::group_product(in);
  ChunkReader reader(warp, instruction);
  GroupFactors factors;
  factors.a_registers = static_cast<const uint32_t*>(a);
  if (!a)
    read_lines(reader, MatrixDescriptor(a_descriptor), product.transpose_a,
               warp.warp % ir::kGroupWarps * ir::kLinesOfWarp, ir::kLinesOfWarp, factors.a);
  read_lines(reader, MatrixDescriptor(b_descriptor), product.transpose_b, 0, product.n, factors.b);
  reader.tell();
  count_reads(warp, instruction, product);
  multiply_group(in, product, arithmetic, factors, adds != 0, static_cast<uint32_t*>(sums));
}

void dw_group_commit(WarpContext* context) { ++warp_of(context).product_groups; }

void dw_group_wait(WarpContext* context, uint32_t instruction, uint32_t pending) {
  Warp& warp = warp_of(context);
  const uint64_t groups = warp.product_groups - std::min<uint64_t>(warp.product_groups, pending);
  while (!have_committed(warp, groups)) {
    stop_if_asked(warp, instruction);
    warp.yielded = warp.waits = true;
    warp.fiber->leave();
  }
}

}  // extern "C"
