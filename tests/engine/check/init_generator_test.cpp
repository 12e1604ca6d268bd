// Random kernels that compute with memory that is written in part, judged by initcheck and by an oracle that goes
// through the lanes one by one. The oracle has rules of its own for each byte, and holds these to what happens when
// what nobody wrote has another content: a value that changes then must be one that is not known.
//
// DRYWARP_INIT_KERNELS=N runs N of them; DRYWARP_INIT_SEED=S begins with the one of that number; alone, it runs one,
// and prints it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <random>

#include "checked.h"
#include "seeds.h"

namespace drywarp::check::random_values {
namespace {

constexpr unsigned kLanes = 32, kSlot = 16;  // bytes of memory of a lane
constexpr unsigned kWords = 5, kLongs = 3, kPredicates = 3;

// By byte: a bit for each load that the byte depends on.
using Origins = std::array<uint64_t, 8>;

struct Value {
  uint64_t bits = 0;
  Origins from{};
};
using Lanes = std::array<Value, kLanes>;

Origins join(const Origins& a, const Origins& b) {
  Origins all;
  for (unsigned k = 0; k < 8; ++k) all[k] = a[k] | b[k];
  return all;
}
uint64_t any(const Origins& o) {
  uint64_t all = 0;
  for (const uint64_t bit : o) all |= bit;
  return all;
}
Origins everywhere(uint64_t of) {
  Origins o;
  o.fill(of);
  return o;
}
Origins upward(const Origins& o) {
  Origins out;
  uint64_t below = 0;
  for (unsigned k = 0; k < 8; ++k) out[k] = below |= o[k];
  return out;
}

struct Byte {
  uint8_t bits = 0;
  bool written = false;
  uint64_t from = 0;  // of shared and local memory: the loads of which the byte was stored
};
using Memory3 = std::array<std::vector<Byte>, 3>;  // global, shared, local: each lane's slot

// A use that the oracle sees: by lane, the origins of what is used, and its bits.
struct Use {
  std::array<uint64_t, kLanes> origins{}, bits{};
};

struct State {
  std::array<Lanes, kWords> words{};
  std::array<Lanes, kLongs> longs{};
  std::array<Lanes, kPredicates> predicates{};
  Memory3 memory;
  std::vector<Use> uses;
  // With another content of unwritten memory: what the first run's uses were. An unknown value that is stored is told
  // of and counts as written, so it must go into memory as it was there.
  const std::vector<Use>* first_uses = nullptr;
};

using Act = std::function<void(State&)>;

struct Program {
  std::string text;
  std::vector<Act> acts;
  std::vector<uint32_t> load_lines;  // by origin
};

const char* const kFunctions =
    ".func (.param .b32 result) first(.param .b32 a, .param .b32 b) {\n.reg .b32 %a<2>;\n"
    "ld.param.b32 %a0, [a];\nst.param.b32 [result], %a0;\nret;\n}\n"
    ".func (.param .b32 result) mixed(.param .b32 a, .param .b32 b) {\n.reg .b32 %a<4>;\n"
    "ld.param.b32 %a0, [a];\nld.param.b32 %a1, [b];\nand.b32 %a0, %a0, 255;\nand.b32 %a1, %a1, 65280;\n"
    "or.b32 %a0, %a0, %a1;\nst.param.b32 [result], %a0;\nret;\n}\n"
    ".func (.param .b32 result) turned(.param .b32 n, .param .b32 a) {\n.reg .pred %p<2>;\n.reg .b32 %a<4>;\n"
    "ld.param.b32 %a0, [n];\nld.param.b32 %a1, [a];\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra E;\n"
    "sub.u32 %a0, %a0, 1;\nprmt.b32 %a1, %a1, %a1, 801;\n"
    "{ .param .b32 m; .param .b32 x; .param .b32 z; st.param.b32 [m], %a0; st.param.b32 [x], %a1;\n"
    "call (z), turned, (m, x); ld.param.b32 %a1, [z]; }\nE:\nst.param.b32 [result], %a1;\nret;\n}\n";

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Program make() {
    line(exec::kHead + kFunctions +
         ".visible .entry k(.param .u64 out, .param .u64 in) {\n"
         ".reg .pred %q<3>; .reg .pred %t<2>; .reg .b16 %h<4>; .reg .b32 %v<5>; .reg .b32 %r<9>; .reg .b64 %w<3>;\n"
         ".reg .b64 %rd<9>; .reg .b64 %m<3>; .reg .f32 %f<3>;\n"
         ".shared .align 16 .b8 buffer[512];\n.local .align 16 .b8 frame[16];\n"
         "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\ncvt.u64.u32 %rd0, %r1;\n"
         "ld.param.u64 %m0, [in];\nadd.u64 %m0, %m0, %rd0;\nmov.u64 %m1, buffer;\nadd.u64 %m1, %m1, %rd0;\n"
         "mov.u64 %m2, frame;\nld.param.u64 %rd1, [out];\nshl.b32 %r2, %r0, 3;\ncvt.u64.u32 %rd2, %r2;\n"
         "add.u64 %rd1, %rd1, %rd2;");
    for (unsigned i = 0; i < kWords; ++i) known(i);
    for (unsigned i = 0; i < kLongs; ++i) {
      line(fmt::format("mul.wide.u32 %w{}, %r0, {};", i, i + 3));
      program_.acts.push_back([i](State& s) {
        for (unsigned l = 0; l < kLanes; ++l) s.longs[i][l] = {uint64_t{l} * (i + 3), {}};
      });
    }
    for (unsigned i = 0; i < kPredicates; ++i) {
      const uint32_t than = below(34);
      line(fmt::format("setp.lt.u32 %q{}, %r0, {};", i, than));
      program_.acts.push_back([i, than](State& s) {
        for (unsigned l = 0; l < kLanes; ++l) s.predicates[i][l] = {l < than, {}};
      });
    }
    for (unsigned i = 0; i < 4; ++i) write();
    for (unsigned i = 0; i < 3; ++i) load();
    for (uint32_t count = 10 + below(25); count != 0; --count) step();
    for (unsigned i = 0; i < 3; ++i) sink();
    line("ret;\n}");
    return std::move(program_);
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t one_of(std::initializer_list<uint32_t> of) {
    return *(of.begin() + below(static_cast<uint32_t>(of.size())));
  }
  void line(const std::string& text) { program_.text += text + "\n"; }
  [[nodiscard]] uint32_t next_line() const {
    return 1 + static_cast<uint32_t>(std::ranges::count(program_.text, '\n'));
  }

  void known(unsigned i) {
    const uint32_t scale = below(1000);
    line(fmt::format("mul.lo.u32 %v{}, %r0, {};", i, scale));
    program_.acts.push_back([i, scale](State& s) {
      for (unsigned l = 0; l < kLanes; ++l) s.words[i][l] = {l * scale, {}};
    });
  }

  static constexpr const char* kSpaces[] = {"global", "shared", "local"};

  // Known bytes.
  void write() {
    const uint32_t where = below(3), bytes = one_of({1, 2, 4, 8}), at = below(kSlot / bytes) * bytes;
    const uint32_t lanes = below(3) == 0 ? below(33) : 32;
    line(fmt::format("setp.lt.u32 %t0, %r0, {};\n@%t0 st.{}.u{} [%m{}+{}], {};", lanes, kSpaces[where], bytes * 8,
                     where, at, bytes == 8 ? "%rd0" : "%r0"));
    program_.acts.push_back([=](State& s) {
      for (unsigned l = 0; l < lanes; ++l)
        for (unsigned k = 0; k < bytes; ++k)
          s.memory[where][l * kSlot + at + k] = {static_cast<uint8_t>((bytes == 8 ? uint64_t{l} * 16 : l) >> 8 * k),
                                                 true, 0};
    });
  }

  void load() {
    if (program_.load_lines.size() == 60) return;
    const uint32_t where = below(3), bytes = one_of({1, 2, 4, 4, 8}), at = below(kSlot / bytes) * bytes;
    const uint32_t lanes = below(3) == 0 ? below(33) : 32, turn = where == 2 ? 0 : below(3) == 0 ? below(32) : 0;
    const bool sign = below(2) == 0;
    const unsigned to = below(bytes == 8 ? kLongs : kWords);
    const uint64_t origin = uint64_t{1} << program_.load_lines.size();
    std::string address = fmt::format("%m{}", where);
    if (turn != 0) {
      line(
          fmt::format("add.u32 %r3, %r0, {};\nand.b32 %r3, %r3, 31;\nsub.u32 %r3, %r3, %r0;\nmul.wide.s32 %rd3, %r3, "
                      "16;\nadd.s64 %rd3, %rd3, %m{};\nbar.warp.sync -1;",
                      turn, where));
      address = "%rd3";
    }
    line(fmt::format("setp.lt.u32 %t0, %r0, {};", lanes));
    program_.load_lines.push_back(next_line());
    line(fmt::format("@%t0 ld.{}.{}{} {}{}, [{}+{}];", kSpaces[where], sign ? "s" : "u", bytes * 8,
                     bytes == 8 ? "%w" : "%v", to, address, at));
    program_.acts.push_back([=](State& s) {
      for (unsigned l = 0; l < lanes; ++l) {
        Value v;
        for (unsigned k = 0; k < bytes; ++k) {
          const Byte& b = s.memory[where][(l + turn) % kLanes * kSlot + at + k];
          v.bits |= uint64_t{b.bits} << 8 * k;
          v.from[k] = b.from != 0 ? b.from : b.written ? 0 : origin;
        }
        widen(v, bytes, sign);
        if (bytes == 8)
          s.longs[to][l] = v;
        else
          s.words[to][l] = word(v);
      }
    });
  }

  static void widen(Value& v, unsigned bytes, bool sign) {
    for (unsigned k = bytes; k < 8; ++k) v.from[k] = sign ? v.from[bytes - 1] : 0;
    if (bytes == 8) return;
    const uint64_t mask = (uint64_t{1} << 8 * bytes) - 1;
    v.bits &= mask;
    if (sign && (v.bits >> (8 * bytes - 1) & 1) != 0) v.bits |= ~mask;
  }
  static Value word(Value v) {
    v.bits = static_cast<uint32_t>(v.bits);
    for (unsigned k = 4; k < 8; ++k) v.from[k] = 0;
    return v;
  }

  // %v[to] = operation(a, b) by lane; `rule` says what each byte of the result depends on.
  using Rule = std::function<Origins(const Value&, const Value&)>;
  using Compute = std::function<uint64_t(uint64_t, uint64_t)>;
  void binary(const std::string& name, const Compute& compute, const Rule& rule) {
    const unsigned to = below(kWords), a = below(kWords), b = below(kWords);
    line(fmt::format("{} %v{}, %v{}, %v{};", name, to, a, b));
    program_.acts.push_back([=](State& s) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const Value x = s.words[a][l], y = s.words[b][l];
        s.words[to][l] = word({compute(x.bits, y.bits), rule(x, y)});
      }
    });
  }
  void unary(const std::string& name, const std::string& operands, const std::function<Value(const Value&)>& compute) {
    const unsigned to = below(kWords), a = below(kWords);
    line(fmt::format("{} %v{}, %v{}{};", name, to, a, operands));
    program_.acts.push_back([=](State& s) {
      for (unsigned l = 0; l < kLanes; ++l) s.words[to][l] = word(compute(s.words[a][l]));
    });
  }
  static Origins spoiled(const Value& a, const Value& b) { return everywhere(any(a.from) | any(b.from)); }
  static Origins each(const Value& a, const Value& b) { return join(a.from, b.from); }
  static Origins carries(const Value& a, const Value& b) { return upward(join(a.from, b.from)); }

  // Bits `by` lower, and what moves in above.
  static Value right(const Value& a, unsigned by, unsigned bytes, bool sign) {
    Value v;
    const unsigned width = 8 * bytes;
    const bool top = sign && (a.bits >> (width - 1) & 1) != 0;
    for (unsigned bit = 0; bit < width; ++bit) {
      const unsigned from = bit + by;
      const uint64_t is = from < width ? a.bits >> from & 1 : top ? 1 : 0;
      v.bits |= is << bit;
      if (from < width)
        v.from[bit / 8] |= a.from[from / 8];
      else if (sign)
        v.from[bit / 8] |= a.from[bytes - 1];
    }
    return v;
  }
  static Value left(const Value& a, unsigned by, unsigned bytes) {
    Value v;
    for (unsigned bit = by; bit < 8 * bytes; ++bit) {
      v.bits |= (a.bits >> (bit - by) & 1) << bit;
      v.from[bit / 8] |= a.from[(bit - by) / 8];
    }
    return v;
  }

  void step() {
    switch (below(29)) {
      case 0:
        return write();
      case 1:
      case 2:
      case 3:
        return load();
      case 4:
      case 5:
        return sink();
      case 6:
        return below(2) == 0 ? binary(
                                   "add.u32", [](uint64_t a, uint64_t b) { return a + b; }, carries)
                             : binary("mul.lo.u32", [](uint64_t a, uint64_t b) { return a * b; }, carries);
      case 7:
        return below(2) == 0 ? binary(
                                   "or.b32", [](uint64_t a, uint64_t b) { return a | b; }, each)
                             : binary("and.b32", [](uint64_t a, uint64_t b) { return a & b; }, each);
      case 8:
        return below(2) == 0 ? binary(
                                   "mul.hi.u32", [](uint64_t a, uint64_t b) { return a * b >> 32; }, spoiled)
                             : binary("min.u32", [](uint64_t a, uint64_t b) { return std::min(a, b); }, spoiled);
      case 9: {
        const uint32_t mask = one_of({0xff, 0xffff, 0xff00, 0x0ffff000, 0xff0000ff, 7});
        if (below(2) == 0)
          return unary("and.b32", fmt::format(", {}", mask), [mask](const Value& a) {
            Value v{a.bits & mask, a.from};
            for (unsigned k = 0; k < 4; ++k)
              if ((mask >> 8 * k & 0xff) == 0) v.from[k] = 0;
            return v;
          });
        return unary("or.b32", fmt::format(", {}", mask), [mask](const Value& a) {
          Value v{a.bits | mask, a.from};
          for (unsigned k = 0; k < 4; ++k)
            if ((mask >> 8 * k & 0xff) == 0xff) v.from[k] = 0;
          return v;
        });
      }
      case 10: {
        const unsigned by = below(34);
        return unary("shl.b32", fmt::format(", {}", by),
                     [by](const Value& a) { return by < 32 ? left(a, by, 4) : Value{}; });
      }
      case 11: {
        const unsigned by = below(34);
        const bool sign = below(2) == 0;
        return unary(sign ? "shr.s32" : "shr.u32", fmt::format(", {}", by),
                     [by, sign](const Value& a) { return right(a, by, 4, sign); });
      }
      case 12: {
        const unsigned at = below(28), bits = 1 + below(32);
        const bool sign = below(2) == 0;
        return unary(sign ? "bfe.s32" : "bfe.u32", fmt::format(", {}, {}", at, bits), [=](const Value& a) {
          Value v = right(a, at, 4, sign);
          if (bits >= 32) return v;
          const uint64_t mask = (uint64_t{1} << bits) - 1;
          const unsigned kept = (bits + 7) / 8;
          const bool top = sign && (v.bits >> (bits - 1) & 1) != 0;
          v.bits = top ? v.bits | ~mask : v.bits & mask;
          for (unsigned k = kept; k < 4; ++k) v.from[k] = sign ? v.from[kept - 1] : 0;
          return v;
        });
      }
      case 13: {
        const uint32_t selector = below(0x10000) & 0x7777;
        const unsigned to = below(kWords), a = below(kWords), b = below(kWords);
        line(fmt::format("prmt.b32 %v{}, %v{}, %v{}, {};", to, a, b, selector));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) {
            const Value x = s.words[a][l], y = s.words[b][l];
            Value v;
            for (unsigned k = 0; k < 4; ++k) {
              const unsigned n = selector >> 4 * k & 7;
              const Value& of = n < 4 ? x : y;
              v.bits |= (of.bits >> 8 * (n % 4) & 0xff) << 8 * k;
              v.from[k] = of.from[n % 4];
            }
            s.words[to][l] = v;
          }
        });
        return;
      }
      case 14: {
        const bool sign = below(2) == 0;
        const unsigned bytes = one_of({1, 2});
        return unary(fmt::format("cvt.{0}32.{0}{1}", sign ? "s" : "u", bytes * 8), "", [=](const Value& a) {
          Value v = a;
          widen(v, bytes, sign);
          return v;
        });
      }
      case 15:
        return unary("popc.b32", "", [](const Value& a) {
          return Value{static_cast<uint64_t>(std::popcount(a.bits)), everywhere(any(a.from))};
        });
      case 16: {
        const unsigned to = below(kLongs), a = below(kWords), b = below(kWords);
        line(fmt::format("mov.b64 %w{}, {{%v{}, %v{}}};", to, a, b));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) {
            const Value x = s.words[a][l], y = s.words[b][l];
            Value v{x.bits | y.bits << 32, {}};
            for (unsigned k = 0; k < 4; ++k) v.from[k] = x.from[k], v.from[k + 4] = y.from[k];
            s.longs[to][l] = v;
          }
        });
        return;
      }
      case 17: {
        const unsigned a = below(kLongs), low = below(kWords), high = (low + 1) % kWords;
        line(fmt::format("mov.b64 {{%v{}, %v{}}}, %w{};", low, high, a));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) {
            s.words[low][l] = word(s.longs[a][l]);
            s.words[high][l] = word(right(s.longs[a][l], 32, 8, false));
          }
        });
        return;
      }
      case 18: {
        const unsigned to = below(kLongs), a = below(kLongs), by = below(64);
        const bool lefts = below(2) == 0;
        line(fmt::format("{} %w{}, %w{}, {};", lefts ? "shl.b64" : "shr.u64", to, a, by));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l)
            s.longs[to][l] = lefts ? left(s.longs[a][l], by, 8) : right(s.longs[a][l], by, 8, false);
        });
        return;
      }
      case 19: {
        const unsigned to = below(kWords), a = below(kLongs);
        line(fmt::format("cvt.u32.u64 %v{}, %w{};", to, a));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) s.words[to][l] = word(s.longs[a][l]);
        });
        return;
      }
      case 20: {
        const unsigned to = below(kWords), a = below(kWords), b = below(kWords), p = below(kPredicates);
        line(fmt::format("selp.b32 %v{}, %v{}, %v{}, %q{};", to, a, b, p));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) {
            const Value q = s.predicates[p][l];
            Value v = q.bits != 0 ? s.words[a][l] : s.words[b][l];
            for (unsigned k = 0; k < 4; ++k) v.from[k] |= q.from[0];
            s.words[to][l] = v;
          }
        });
        return;
      }
      case 21: {
        const unsigned p = below(kPredicates), a = below(kWords);
        const uint32_t than = below(2000);
        line(fmt::format("setp.lt.u32 %q{}, %v{}, {};", p, a, than));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l)
            s.predicates[p][l] = {s.words[a][l].bits < than, everywhere(any(s.words[a][l].from))};
        });
        return;
      }
      case 22: {
        const unsigned to = below(kPredicates), a = below(kPredicates), b = below(kPredicates);
        const bool both = below(2) == 0;
        line(fmt::format("{}.pred %q{}, %q{}, %q{};", both ? "and" : "or", to, a, b));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) {
            const Value x = s.predicates[a][l], y = s.predicates[b][l];
            const bool is_x = x.bits != 0, is_y = y.bits != 0;
            // A side that is known, and that decides alone.
            const bool decided = (any(x.from) == 0 && is_x != both) || (any(y.from) == 0 && is_y != both);
            s.predicates[to][l] = {both ? is_x && is_y : is_x || is_y,
                                   decided ? Origins{} : everywhere(any(x.from) | any(y.from))};
          }
        });
        return;
      }
      case 23: {
        const bool varies = below(2) == 0;
        const unsigned to = below(kWords), a = below(kWords), by = below(32), mode = below(4);
        const char* const modes[] = {"up", "down", "bfly", "idx"};
        // A distance in a register: the lane's number and more, or one and the same.
        const bool by_lane = below(2) == 0;
        if (varies) line(fmt::format("{} %r5, {}{};", by_lane ? "add.u32" : "mov.u32", by_lane ? "%r0, " : "", by));
        line(fmt::format("shfl.sync.{}.b32 %v{}, %v{}, {}, {}, -1;", modes[mode], to, a,
                         varies ? "%r5" : fmt::to_string(by), mode == 0 ? 0 : 31));
        program_.acts.push_back([=](State& s) {
          const Lanes old = s.words[a];
          for (unsigned l = 0; l < kLanes; ++l) {
            const int distance = static_cast<int>((by + (varies && by_lane ? l : 0)) % 32), self = static_cast<int>(l);
            int from = mode == 0   ? self - distance
                       : mode == 1 ? self + distance
                       : mode == 2 ? self ^ distance
                                   : distance;
            if (from < 0 || from > 31) from = self;
            s.words[to][l] = old[static_cast<size_t>(from)];
          }
        });
        return;
      }
      case 24: {
        // Under a predicate: what is not written stays.
        const unsigned to = below(kWords), a = below(kWords), p = below(kPredicates);
        line(fmt::format("@%q{} mov.b32 %v{}, %v{};", p, to, a));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) {
            const Value q = s.predicates[p][l];
            Value v = q.bits != 0 ? s.words[a][l] : s.words[to][l];
            for (unsigned k = 0; k < 4; ++k) v.from[k] |= q.from[0];
            s.words[to][l] = v;
          }
        });
        return;
      }
      case 25: {
        const unsigned to = below(kWords), a = below(kWords);
        line(fmt::format("movmatrix.sync.aligned.m8n8.trans.b16 %v{}, %v{};", to, a));
        program_.acts.push_back([=](State& s) {
          // Element (row, column), and the load that each of its bytes is from.
          std::array<std::array<Value, 8>, 8> matrix{};
          for (unsigned l = 0; l < kLanes; ++l)
            for (unsigned h = 0; h < 2; ++h) matrix[l / 4][l % 4 * 2 + h] = right(s.words[a][l], 16 * h, 4, false);
          for (unsigned l = 0; l < kLanes; ++l) {
            Value v;
            for (unsigned h = 0; h < 2; ++h) {
              const Value& of = matrix[l % 4 * 2 + h][l / 4];
              v.bits |= (of.bits & 0xffff) << 16 * h;
              for (unsigned k = 0; k < 2; ++k) v.from[2 * h + k] = of.from[k];
            }
            s.words[to][l] = v;
          }
        });
        return;
      }
      case 26: {
        // A call through a pointer, which lanes may have to different functions: their first argument, and bytes of
        // both.
        const unsigned to = below(kWords), a = below(kWords), b = below(kWords);
        const uint32_t than = one_of({0, 7, 32});
        line(fmt::format(
            "setp.lt.u32 %t0, %r0, {};\nmov.u64 %rd5, first;\nmov.u64 %rd6, mixed;\n"
            "selp.b64 %rd5, %rd5, %rd6, %t0;\n"
            "{{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %v{}; st.param.b32 [y], %v{};\n"
            "two: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
            "call (z), %rd5, (x, y), two; ld.param.b32 %v{}, [z]; }}",
            than, a, b, to));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) {
            Value v = s.words[a][l];
            if (l >= than) {
              v.bits = (s.words[a][l].bits & 0xff) | (s.words[b][l].bits & 0xff00);
              v.from = {s.words[a][l].from[0], s.words[b][l].from[1]};
            }
            s.words[to][l] = v;
          }
        });
        return;
      }
      case 27: {
        // A recursive function that turns the value by a byte at each depth.
        const unsigned to = below(kWords), a = below(kWords), depth = below(4);
        line(fmt::format(
            "{{ .param .b32 n; .param .b32 x; .param .b32 z; st.param.b32 [n], {}; st.param.b32 [x], %v{};\n"
            "call (z), turned, (n, x); ld.param.b32 %v{}, [z]; }}",
            depth, a, to));
        program_.acts.push_back([=](State& s) {
          for (unsigned l = 0; l < kLanes; ++l) {
            const Value old = s.words[a][l];
            Value v;
            for (unsigned k = 0; k < 4; ++k) {
              v.bits |= (old.bits >> 8 * ((k + depth) % 4) & 0xff) << 8 * k;
              v.from[k] = old.from[(k + depth) % 4];
            }
            s.words[to][l] = v;
          }
        });
        return;
      }
      default:
        return known(below(kWords));
    }
  }

  // A use, of a copy: a value that has been told of counts as known.
  void sink() {
    const unsigned a = below(kWords);
    const uint32_t kind = below(5);
    if (kind == 0) {
      const unsigned p = below(kPredicates);
      line(fmt::format("not.pred %t1, %q{0};\n@%t1 bra E{1};\nE{1}:", p, next_line()));
      program_.acts.push_back([=](State& s) {
        Use& u = s.uses.emplace_back();
        for (unsigned l = 0; l < kLanes; ++l)
          u.origins[l] = any(s.predicates[p][l].from), u.bits[l] = s.predicates[p][l].bits;
      });
      return;
    }
    if (kind == 1) {
      line(fmt::format(
          "and.b32 %r6, %v{}, 4;\ncvt.u64.u32 %rd5, %r6;\nadd.u64 %rd5, %rd5, %rd1;\nst.global.u32 [%rd5], %r0;", a));
      program_.acts.push_back([=](State& s) {
        Use& u = s.uses.emplace_back();
        for (unsigned l = 0; l < kLanes; ++l) u.origins[l] = s.words[a][l].from[0], u.bits[l] = s.words[a][l].bits & 4;
      });
      return;
    }
    const unsigned bytes = one_of({1, 2, 4}), where = below(4), at = below(kSlot / bytes) * bytes;
    line(fmt::format("mov.b32 %r6, %v{};", a));
    if (where == 3)
      line(fmt::format("st.global.u{} [%rd1], %r6;", bytes * 8));
    else
      line(fmt::format("st.{}.u{} [%m{}+{}], %r6;", kSpaces[where], bytes * 8, where, at));
    // What goes to shared or local memory is as unknown there, and no use.
    if (where == 1 || where == 2) {
      program_.acts.push_back([=](State& s) {
        for (unsigned l = 0; l < kLanes; ++l)
          for (unsigned k = 0; k < bytes; ++k)
            s.memory[where][l * kSlot + at + k] = {static_cast<uint8_t>(s.words[a][l].bits >> 8 * k), true,
                                                   s.words[a][l].from[k]};
      });
      return;
    }
    program_.acts.push_back([=](State& s) {
      Use& u = s.uses.emplace_back();
      for (unsigned l = 0; l < kLanes; ++l) {
        const Value& v = s.words[a][l];
        for (unsigned k = 0; k < bytes; ++k) {
          u.origins[l] |= v.from[k];
          u.bits[l] |= (v.bits >> 8 * k & 0xff) << 8 * k;
          const bool told = s.first_uses && v.from[k] != 0;
          const uint64_t bits = told ? (*s.first_uses)[s.uses.size() - 1].bits[l] : v.bits;
          if (where == 0) s.memory[where][l * kSlot + at + k] = {static_cast<uint8_t>(bits >> 8 * k), true, 0};
        }
      }
    });
  }

  std::mt19937_64 random_;
  Program program_;
};

// What nobody wrote has a content by `fill`; 0: zeros, as in the simulated device.
State run_oracle(const Program& program, uint64_t fill, const std::vector<Use>* first_uses) {
  State s;
  s.first_uses = first_uses;
  std::mt19937_64 content(fill);
  for (auto& memory : s.memory) {
    memory.resize(size_t{kLanes} * kSlot);
    for (Byte& b : memory) b.bits = fill == 0 ? 0 : static_cast<uint8_t>(content());
  }
  for (const Act& act : program.acts) act(s);
  return s;
}

struct Outcome {
  std::string problems;
  bool unknown = false;
};

Outcome run(const Program& program, uint64_t seed, bool prints) {
  if (prints) fmt::print("{}", program.text);
  const State truth = run_oracle(program, 0, nullptr);
  std::string problems;
  for (uint64_t fill = 1; fill < 5; ++fill) {
    const State other = run_oracle(program, fill, &truth.uses);
    for (size_t u = 0; u < truth.uses.size(); ++u)
      for (unsigned l = 0; l < kLanes; ++l)
        if (truth.uses[u].bits[l] != other.uses[u].bits[l] && truth.uses[u].origins[l] == 0)
          problems += fmt::format("the oracle is wrong: use {} of lane {} changes\n", u, l);
  }
  exec::Machine machine(program.text, options_of(seed));
  const uint64_t out = machine.words(256), in = machine.words(256);
  const Checked checked = run_checked(CheckTool::Initcheck, machine, {1}, {kLanes}, {out, in});
  if (checked.ran.fault) problems += checked.ran.fault->message + "\n";
  // Each use of a lane is told once, of one of the loads that it depends on.
  uint64_t uses = 0, told = 0;
  std::map<uint32_t, uint64_t> most;  // by origin
  for (const Use& use : truth.uses)
    for (const uint64_t origins : use.origins) {
      uses += origins != 0 ? 1 : 0;
      for (uint32_t o = 0; o < program.load_lines.size(); ++o) most[o] += origins >> o & 1;
    }
  for (const Finding& f : checked.findings) {
    const auto at = std::ranges::find(program.load_lines, f.where.ptx_line);
    if (at == program.load_lines.end()) {
      problems += fmt::format("a finding elsewhere: {}\n", f.what);
      continue;
    }
    const auto origin = static_cast<uint32_t>(at - program.load_lines.begin());
    told += f.times;
    if (f.times > most[origin])
      problems +=
          fmt::format("line {}: {} uses told, the first {} at line {}; {} in truth\n", f.where.ptx_line, f.times,
                      f.other ? f.other->what : "", f.other ? f.other->where.ptx_line : 0, most[origin]);
  }
  if (told != uses) problems += fmt::format("{} uses told, {} in truth\n", told, uses);
  return {problems, uses != 0};
}

TEST(InitGenerator, AgreesWithTheOracle) {
  const Seeds seeds = seeds_of("DRYWARP_INIT_SEED", "DRYWARP_INIT_KERNELS", 80);
  judge_all(
      seeds,
      [&](uint64_t seed) {
        Outcome outcome = run(Generator(seed).make(), seed, seeds.prints);
        return Judged{std::move(outcome.problems), outcome.unknown ? 1U : 0U};
      },
      FaultyShare{50, 99});
}

}  // namespace
}  // namespace drywarp::check::random_values
