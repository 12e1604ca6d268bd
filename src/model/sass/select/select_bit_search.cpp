// fns: finds the n-th set bit from a base on, as ptxas 13 writes it.
#include "model/sass/select/sequences.h"

namespace drywarp::sass::handlers {

using ir::Type;
using enum machine::Operation;

namespace {

struct Search {
  Writer& write;

  Source emit(Operation op, std::initializer_list<Source> sources, const Form& form = kInSequence) const {
    return Source::of(write.value(op, sources, form));
  }
  // Changes a value under a predicate.
  void change(Operation op, const Source& value, std::initializer_list<Source> sources, const Source& guard) const {
    write.emit(op, value.reg, sources, kInSequence).guard = guard;
  }
  Source test(ir::Compare compare, const Source& a, const Source& b, Type type = Type::U32) const {
    const Register p = write.predicate();
    write.emit(Isetp, p, {a, b}, step(type, compare));
    return Source::of(p);
  }
  Source part(const Source& word, unsigned bits) const {
    return bits >= 8 ? emit(Prmt, {word}) : emit(Sgxt, {word, Source::immediate(bits)});
  }
};

}  // namespace

// A search by halves: those bits that are set below, of 16, 8, 4, 2 and 1, are counted and skipped.
void find_nth_set(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source mask = of.source(in, 0), base = of.source(in, 1), n = of.source(in, 2);
  const Search search{write};
  const Source one = Source::immediate(1), none = Source::immediate(0);
  // Searches for the base itself, and downwards, branch off.
  write.effect(Bssy, {});
  const Register downwards = write.predicate();
  write.emit(Plop3, downwards, {none}, kInSequence);
  const Register from = write.temporary();
  write.emit(Mov, from, {base}, kInSequence).role = Role::Effect;  // the other searches change it
  write.slow_path(search.test(ir::Compare::Eq, n, none, Type::S32), 0);
  write.slow_path(search.test(ir::Compare::Gt, n, none, Type::S32), 0);
  write.effect(Bsync, {});

  const Source ones = search.emit(Mov, {Source::immediate(0xffffffff)});
  const Source word = search.emit(Lop3, {mask, search.emit(Shf, {ones, Source::of(from)})});
  const Source all = search.emit(Popc, {word}), low = search.emit(Popc, {search.part(word, 16)});
  const Source above = search.test(ir::Compare::Lt, low, n);
  const Source left = search.emit(Sel, {search.emit(Iadd3, {n, low}), n, above});
  search.change(Shf, word, {word, Source::immediate(16)}, above);
  const Source place = search.emit(Sel, {none, Source::immediate(16), above});
  for (const unsigned bits : {8u, 4u, 2u}) {
    const Source below =
        bits > 2 ? search.emit(Popc, {search.part(word, bits)})
                 : search.emit(Iadd3, {search.part(word, 1), search.part(search.emit(Shf, {word, one}), 1)});
    const Source skips = search.test(ir::Compare::Lt, below, left);
    search.change(Shf, word, {word, Source::immediate(bits)}, skips);
    search.change(Iadd3, left, {left, below}, skips);
    search.change(Iadd3, place, {place, Source::immediate(bits)}, skips);
  }
  const Source too_few = search.test(ir::Compare::Lt, all, n, Type::S32);
  search.change(Iadd3, place, {place, one}, search.test(ir::Compare::Lt, search.part(word, 1), left));
  search.change(Iadd3, place, {Source::immediate(31), place}, Source::of(downwards));
  write.emit(Sel, of.result(in), {place, Source::immediate(0xffffffff), too_few}, kInSequence);
}

}  // namespace drywarp::sass::handlers
