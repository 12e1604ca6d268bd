#include "engine/observe/traced_access.h"

#include <algorithm>
#include <bit>

namespace drywarp::observe {
namespace {

constexpr unsigned kSectors = kLineBytes / kSectorBytes;  // of a line
constexpr uint32_t kWordBytes = 4, kWidestBytes = 16;     // of shared memory; that a lane loads at once

uint16_t narrow(uint64_t value) { return static_cast<uint16_t>(std::min<uint64_t>(value, 0xffff)); }

// Lines and their sectors, each once, in the order of the lanes that first touch them. Lines of stores also have their
// partial sectors.
void add_lines(WarpTrace& trace, TraceAccess& access, const uint64_t* addresses, uint32_t mask, uint32_t bytes,
               bool store) {
  const size_t first = trace.lines.size();
  uint32_t written[2 * kWarpSize][kSectors];  // bytes of each sector, a bit each
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint64_t begin = addresses[std::countr_zero(left)], end = begin + bytes;
    for (uint64_t at = begin & ~uint64_t{kSectorBytes - 1}; at < end; at += kSectorBytes) {
      const unsigned sector = at % kLineBytes / kSectorBytes;
      size_t known = trace.lines.size();
      while (known > first && trace.lines[known - 1].number() != at / kLineBytes) --known;
      if (known == first) {
        trace.lines.push_back(TraceLine::of(at, 0));
        known = trace.lines.size();
        if (store) std::fill_n(written[known - 1 - first], kSectors, 0);
      }
      trace.lines[known - 1].packed |= 1u << sector;
      if (!store) continue;
      const uint64_t from = std::max(at, begin) - at, count = std::min(at + kSectorBytes, end) - at - from;
      written[known - 1 - first][sector] |= (count == kSectorBytes ? ~0u : (1u << count) - 1) << from;
    }
  }
  const size_t found = trace.lines.size() - first;
  access.line_count = static_cast<uint16_t>(found);
  for (size_t l = 0; store && l < found; ++l) {
    TraceLine& line = trace.lines[first + l];
    unsigned parts = 0, part_bytes = 0;
    for (unsigned s = 0; s < kSectors; ++s) {
      const uint32_t here = written[l][s];
      if (here != 0 && here != ~0u) parts |= 1u << s, part_bytes += std::popcount(here);
    }
    if (parts != 0) line = TraceLine::of(line.address(), line.sectors(), parts, part_bytes / std::popcount(parts));
  }
}

// Sets the rounds of each line of the atomic just added: different L2 slices serve different lines.
void add_rounds(WarpTrace& trace, const TraceAccess& access, const uint64_t* places, uint32_t mask) {
  for (size_t l = access.first_line; l < trace.lines.size(); ++l) {
    TraceLine& line = trace.lines[l];
    uint32_t here = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1)
      if (places[std::countr_zero(left)] / kLineBytes == line.number()) here |= left & -left;
    line = TraceLine::of_atomic(line.address(), line.sectors(), analyze_atomic(places, here).sectors);
  }
}

// A thread's local memory is spread: word w of lane l lies at (32 w + l) * 4 of the warp's.
void add_local(WarpTrace& trace, TraceAccess& out, const Access& a) {
  alignas(64) uint64_t places[kWarpSize];
  const uint32_t words = (a.bytes + 3) / 4, bytes = std::min<uint32_t>(a.bytes, 4);
  for (uint32_t w = 0; w < words; ++w) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      places[lane] = ((a.places[lane] / 4 + w) * kWarpSize + lane) * 4 + a.places[lane] % 4;
    const uint16_t before = out.line_count;
    add_lines(trace, out, places, a.lanes, bytes, a.kind == AccessKind::Store);
    out.line_count = static_cast<uint16_t>(out.line_count + before);
    // Distinct banks, or words.
    out.units = narrow(out.units + analyze_shared(places, a.lanes, bytes, SharedOp::Load).wavefronts);
  }
}

// Lanes at the same word swap one after the other.
void add_words(WarpTrace& trace, TraceAccess& out, const Access& a) {
  for (uint32_t left = a.lanes; left != 0; left &= left - 1) {
    const uint64_t word = a.places[std::countr_zero(left)] / std::max(a.bytes, 1u);
    const auto first = trace.lines.begin() + out.first_line;
    const auto known = std::find_if(first, trace.lines.end(), [&](TraceLine l) { return l.number() == word; });
    if (known != trace.lines.end())
      ++known->packed;
    else
      trace.lines.push_back(TraceLine::of_word(word, 1));
  }
  out.line_count = narrow(trace.lines.size() - out.first_line);
}

// What the access would cost as a part of one of 8 or 16 bytes.
void add_wider(TraceAccess& out, const Access& a, const SharedBanks& banks) {
  alignas(64) uint64_t places[kWarpSize];
  for (unsigned bytes = 2 * std::max(a.bytes, kWordBytes); bytes <= kWidestBytes; bytes *= 2) {
    const uint64_t inside = a.places[std::countr_zero(a.lanes)] % bytes;
    for (uint32_t left = a.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (a.places[lane] % bytes != inside) return;  // nor do they in still more bytes
      places[lane] = a.places[lane] - inside;
    }
    const SharedAccess cost = analyze_shared(places, a.lanes, bytes, shared_op(a), banks);
    out.set_wider(bytes, {static_cast<uint8_t>(cost.wavefronts), static_cast<uint8_t>(cost.ideal_wavefronts)});
  }
}

void add_global(WarpTrace& trace, TraceAccess& out, const Access& a) {
  const bool store = a.kind == AccessKind::Store;
  add_lines(trace, out, a.places, a.lanes, a.bytes, store);
  if (a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap) {
    const AtomicAccess conflicts = analyze_atomic(a.places, a.lanes);
    out.units = narrow(conflicts.sectors), out.ideal_units = narrow(conflicts.addresses);
    add_rounds(trace, out, a.places, a.lanes);
    return;
  }
  const uint32_t halves = a.bytes > 16 ? 2 : 1;  // 32 bytes a lane move in two instructions
  const SharedAccess banks =
      analyze_shared(a.places, a.lanes, a.bytes / halves, store ? SharedOp::Store : SharedOp::Load);
  out.units = narrow(banks.wavefronts * halves), out.ideal_units = narrow(banks.ideal_wavefronts * halves);
}

}  // namespace

SharedOp shared_op(const Access& access) {
  static constexpr SharedOp kOps[] = {SharedOp::Load, SharedOp::Store, SharedOp::Atomic,
                                      SharedOp::Swap, SharedOp::Copy,  SharedOp::CopyPastL1};
  return access.generic && access.kind == AccessKind::Load ? SharedOp::GenericLoad : kOps[unsigned(access.kind)];
}

uint64_t append(WarpTrace& trace, uint32_t step, const Access& a, const SharedBanks& banks) {
  TraceAccess out;
  out.step = step;
  out.access = a.access;
  out.lanes = static_cast<uint8_t>(std::popcount(a.lanes));
  out.first_line = static_cast<uint32_t>(trace.lines.size());
  if (a.remote) {
    constexpr uint32_t kPiece = 128;  // bytes
    out.space = AddressSpace::SharedCluster;
    out.units = out.ideal_units = narrow((uint32_t{out.lanes} * a.bytes + kPiece - 1) / kPiece);
    trace.accesses.push_back(out);
    return sizeof(TraceAccess);
  }
  switch (a.memory) {
    case Memory::Shared: {
      out.space = AddressSpace::Shared;
      const SharedAccess cost = analyze_shared(a.places, a.lanes, a.bytes, shared_op(a), banks);
      out.units = narrow(cost.wavefronts), out.ideal_units = narrow(cost.ideal_wavefronts);
      if (a.kind == AccessKind::Swap)
        add_words(trace, out, a);
      else
        out.first_line = 0;
      if ((a.kind == AccessKind::Load || a.kind == AccessKind::Store) && a.bytes >= kWordBytes && a.lanes != 0)
        add_wider(out, a, banks);
      break;
    }
    case Memory::Local:
      out.space = AddressSpace::Local;
      add_local(trace, out, a);
      break;
    case Memory::Global:
      add_global(trace, out, a);
      break;
  }
  trace.accesses.push_back(out);
  return sizeof(TraceAccess) + out.line_count * sizeof(TraceLine);
}

uint64_t append(WarpTrace& trace, uint32_t step, const Arrival& arrival) {
  TraceAccess out;
  out.step = step;
  out.space = AddressSpace::None;
  out.lanes = static_cast<uint8_t>(std::popcount(arrival.lanes));
  constexpr uint32_t kOwnBarriers = 16;  // that of a cluster is modelled as the block's first
  out.units = narrow(arrival.barrier % kOwnBarriers), out.ideal_units = narrow(arrival.threads);
  trace.accesses.push_back(out);
  return sizeof(TraceAccess);
}

uint64_t append(WarpTrace& trace, uint32_t step, const BulkAccess& a) {
  if (a.memory != Memory::Global || a.pieces.empty()) return 0;
  const size_t before = trace.lines.size();
  const bool goes_on = !trace.accesses.empty() && trace.accesses.back().step == step &&
                       trace.accesses.back().access == a.access &&
                       trace.accesses.back().first_line + trace.accesses.back().line_count == before;
  if (!goes_on) {
    TraceAccess out;
    out.step = step, out.access = a.access;
    out.first_line = static_cast<uint32_t>(before);
    trace.accesses.push_back(out);
  }
  TraceAccess& out = trace.accesses.back();
  ++out.lanes;
  const bool writes = a.kind != AccessKind::Load;
  for (const BulkAccess::Piece& piece : a.pieces) {
    // A line that this piece and the one before it share is requested once.
    for (uint64_t at = piece.place, end = piece.place + piece.bytes; at < end;) {
      const uint64_t line = at / kLineBytes, stop = std::min(end, (line + 1) * kLineBytes);
      unsigned sectors = 0, parts = 0, part_bytes = 0;
      for (uint64_t part = at; part < stop;) {
        const uint64_t sector_end = std::min(stop, (part / kSectorBytes + 1) * kSectorBytes);
        const unsigned bit = 1u << part % kLineBytes / kSectorBytes;
        sectors |= bit;
        if (sector_end - part < kSectorBytes) parts |= bit, part_bytes = static_cast<unsigned>(sector_end - part);
        part = sector_end;
      }
      const bool known = trace.lines.size() > out.first_line && trace.lines.back().number() == line;
      if (known)
        trace.lines.back() = TraceLine::of(at, trace.lines.back().sectors() | sectors);
      else
        trace.lines.push_back(writes ? TraceLine::of(at, sectors, parts, part_bytes) : TraceLine::of(at, sectors));
      at = stop;
    }
  }
  out.line_count = narrow(trace.lines.size() - out.first_line);
  return (goes_on ? 0 : sizeof(TraceAccess)) + (trace.lines.size() - before) * sizeof(TraceLine);
}

uint64_t append(WarpTrace& trace, uint32_t step, const Mbarrier& m) {
  using Use = Mbarrier::Use;
  if (m.use == Use::Inval || m.instruction == InstructionInfo::kNone) return 0;
  ObjectUse use;
  use.step = step, use.instruction = m.instruction, use.object = m.place;
  use.kind = m.use == Use::Init   ? ObjectUse::Kind::Init
             : m.use == Use::Wait ? ObjectUse::Kind::Wait
                                  : ObjectUse::Kind::Change;
  if (m.use == Use::Wait) use.phase = static_cast<uint8_t>(m.count);
  if (m.use == Use::Init || m.use == Use::Arrive) use.arrivals = m.count;
  if (use.kind == ObjectUse::Kind::Change) {
    use.bytes = m.after.transactions - m.before.transactions;
    use.dropped = narrow(m.before.expected - m.after.expected);
  }
  if (!trace.objects.empty()) {
    ObjectUse& last = trace.objects.back();
    const bool same = last.step == step && last.instruction == use.instruction && last.object == use.object;
    if (same && use.kind != ObjectUse::Kind::Change) return 0;
    if (same) {
      last.arrivals += use.arrivals, last.bytes += use.bytes;
      last.dropped = narrow(uint64_t{last.dropped} + use.dropped);
      return 0;
    }
  }
  trace.objects.push_back(use);
  return sizeof(ObjectUse);
}

uint64_t append(WarpTrace& trace, uint32_t step, const ConstantLoad& load) {
  if (load.words < 2) return 0;
  TraceAccess out;
  out.step = step, out.access = load.access;
  out.space = AddressSpace::Const;
  out.first_line = static_cast<uint32_t>(trace.lines.size());
  out.lanes = static_cast<uint8_t>(std::popcount(load.lanes));
  out.units = narrow(load.words), out.ideal_units = 1;
  trace.accesses.push_back(out);
  return sizeof(TraceAccess);
}

// What one instruction does that accesses no memory.
static uint64_t append(WarpTrace& trace, uint32_t step, uint32_t instruction, LaneMask lanes, uint32_t units) {
  if (instruction == InstructionInfo::kNone) return 0;
  TraceAccess out;
  out.step = step, out.access = instruction;
  out.space = AddressSpace::None;
  out.lanes = static_cast<uint8_t>(std::popcount(lanes));
  out.units = narrow(units);
  trace.accesses.push_back(out);
  return sizeof(TraceAccess);
}

uint64_t append(WarpTrace& trace, uint32_t step, const RareCases& rare) {
  return append(trace, step, rare.instruction, rare.lanes, rare.cases);
}

uint64_t append(WarpTrace& trace, uint32_t step, const ValueMatch& match) {
  return match.values < 2 ? 0 : append(trace, step, match.instruction, match.lanes, match.values);
}

}  // namespace drywarp::observe
