#include "model/sass/select/library_functions.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace drywarp::sass {
namespace {

using enum machine::Operation;

struct LibraryFunction {
  std::string_view name;
  uint8_t doubles, fmas, alus, mufus, others, double_chain, chain;
};

constexpr LibraryFunction kLibraryFunctions[] = {
#define DW_LIBRARY_FUNCTION(name, ...) {"__nv_" #name, __VA_ARGS__},
#include "model/sass/select/library_functions.def"
};

const LibraryFunction* find(std::string_view name) {
  const auto* const found = std::ranges::find(kLibraryFunctions, name, &LibraryFunction::name);
  return found == std::end(kLibraryFunctions) ? nullptr : found;
}

std::vector<Register> slots_of(const Operands& of, const std::vector<ir::Operand>& operands) {
  std::vector<Register> all;
  for (const ir::Operand& o : operands)
    if (o.kind == ir::Operand::Kind::Symbol)
      for (const Register r : of.slots(o.id)) all.push_back(r);
  return all;
}

// Instructions of one kind, spread evenly over the sequence.
struct Kind {
  Operation op;
  uint8_t words;  // of the result
  uint32_t all, chained;
  uint32_t written = 0, written_chained = 0;
};

}  // namespace

bool call_library_function(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.callee == ir::kNone) return false;
  const LibraryFunction* const f = find(of.module().functions[in.callee].name);
  if (!f) return false;
  const std::vector<Register> arguments = slots_of(of, in.call_arguments), results = slots_of(of, in.call_results);
  const Source given = arguments.empty() ? Source::immediate(0) : Source::of(arguments.front());
  const uint32_t moves = f->others, chained_fmas = std::min<uint32_t>(f->chain, f->fmas);
  const uint32_t chained_alus = std::min<uint32_t>(f->chain - chained_fmas, f->alus);
  const uint32_t chained_moves = f->chain - chained_fmas - chained_alus;
  Kind kinds[] = {{Mufu, 1, f->mufus, f->mufus},
                  {Mov, 1, moves, std::min(chained_moves, moves)},
                  {Lop3, 1, f->alus, chained_alus},
                  {Ffma, 1, f->fmas, chained_fmas},
                  {Dfma, 2, f->doubles, f->double_chain}};
  uint32_t total = 0;
  for (const Kind& kind : kinds) total += kind.all;
  Source last = given;
  for (uint32_t i = 1; i <= total; ++i) {
    // The kind that lags most behind its share.
    Kind& kind = *std::ranges::max_element(
        kinds, {}, [&](const Kind& k) { return k.written == k.all ? -1.0 : double(k.all) * i / total - k.written; });
    ++kind.written;
    const bool chained = kind.written_chained < (uint64_t{kind.chained} * kind.written + kind.all - 1) / kind.all;
    Instruction& code = write.effect(kind.op, {chained ? last : given, given, given}, kInSequence);
    const bool ends = i == total && !results.empty();
    const Register result = ends ? results.front() : write.temporary(kind.words);
    code.destination.set(0, result);
    if (!chained && !ends) continue;
    ++kind.written_chained;
    last = Source::of(result);
  }
  for (size_t i = 1; i < results.size(); ++i) write.copy(results[i], last);
  return true;
}

}  // namespace drywarp::sass
