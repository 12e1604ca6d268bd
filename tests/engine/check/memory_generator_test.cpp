// Random kernels that access memory as they may and as they may not, judged by the memory check and by an oracle that
// goes through the threads one by one and knows what the test itself allocated. Compiling a kernel takes most of the
// time, so each runs several times, with other arguments and in other allocations.
//
// DRYWARP_MEMORY_KERNELS=N runs N of them; DRYWARP_MEMORY_SEED=S begins with the one of that number; alone, it runs
// one, and prints it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>

#include "checked.h"
#include "seeds.h"

namespace drywarp::check::random_memory {
namespace {

// Shared memory has two variables, of which an operation means one.
constexpr uint32_t kArrays = 4, kSharedBytes = 192, kLocalBytes = 48, kConstantBytes = 64;
constexpr uint32_t kLaunches = 8;  // of a kernel
constexpr uint32_t kMostOperations = 11, kMostBlocks = 3, kMostThreads = 96;

enum class Where : uint8_t { Global, GenericGlobal, Shared, GenericShared, Local, GenericLocal, Constant, Absolute };
enum class Index : uint8_t { None, Thread, InGrid, Modulo, Table };
enum class Guard : uint8_t { None, Below, Odd, Branch };

// An instruction: each thread accesses start + stride * index + step * round + offset.
struct Operation {
  Where where = Where::Global;
  uint32_t array = 0;
  AccessKind kind = AccessKind::Load;
  uint32_t element = 4, elements = 1;
  Index index = Index::None;
  uint32_t modulo = 1;
  int64_t start = 0, stride = 0, step = 0, offset = 0;
  uint32_t rounds = 1;
  Guard guard = Guard::None;
  uint32_t below = 0;
  std::vector<int64_t> table;  // by thread of the grid
  // Start, stride, step and limits are arguments of the kernel, which each launch has others of; else they are
  // constants of its code.
  bool varies = false;
  [[nodiscard]] uint32_t bytes() const { return element * elements; }
};

struct Array {
  uint64_t base = 0, bytes = 0;
  bool live = true;
};

struct Case {
  uint32_t blocks = 1, threads = 32;
  std::array<uint64_t, kArrays> sizes{};
  std::array<bool, kArrays> freed{};
  std::vector<Operation> operations;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Case make() {
    Case c;
    c.threads = one_of({1, 31, 32, 40, 64, kMostThreads});
    sound_ = below(5) == 0;
    for (uint64_t& size : c.sizes) size = some_size();
    choose_memory(c);
    for (uint32_t count = 4 + below(kMostOperations - 3); count != 0; --count) c.operations.push_back(operation(c));
    return c;
  }

  // The next launch of the same kernel.
  void vary(Case& c) {
    // Constants of a sound kernel go with the sizes.
    if (!sound_)
      for (uint64_t& size : c.sizes) size = some_size();
    choose_memory(c);
    for (Operation& o : c.operations) {
      if (o.varies) choose_numbers(o, c);
      choose_table(o, c);
    }
  }

 private:
  uint32_t some_size() { return one_of({4, 24, 100, 256, 1024, 4096, 5000}); }
  void choose_memory(Case& c) {
    c.blocks = 1 + below(kMostBlocks);
    for (bool& freed : c.freed) freed = !sound_ && below(4) == 0;
  }

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t one_of(std::initializer_list<uint32_t> of) {
    return *(of.begin() + below(static_cast<uint32_t>(of.size())));
  }

  Operation operation(const Case& c) {
    Operation o;
    o.where = static_cast<Where>(below(sound_ ? 7 : 8));
    if (below(3) == 0) o.where = Where::Global;
    o.array = below(kArrays);
    o.kind = one_of({0, 0, 1}) == 0 ? AccessKind::Load : AccessKind::Store;
    o.element = one_of({1, 2, 4, 4, 8});
    o.elements = o.element >= 4 ? one_of({1, 1, 2}) : one_of({1, 1, 2, 4});
    if (o.element == 4 && below(4) == 0) o.elements = 4;
    const bool local = o.where == Where::Local || o.where == Where::GenericLocal;
    if (!local && o.where != Where::Constant && below(4) == 0)
      o.kind = AccessKind::Atomic, o.element = one_of({4, 8}), o.elements = 1;
    if (o.where == Where::Constant) o.kind = AccessKind::Load;
    o.guard = static_cast<Guard>(below(4));
    o.varies = below(2) == 0;
    const uint32_t size = size_of(o, c);
    if (sound_) {
      while (o.bytes() > size) o.element = 4, o.elements = 1;
      o.index = size / o.bytes() >= c.threads && below(2) == 0 ? Index::Thread
                : below(2) == 0                                ? Index::Table
                                                               : Index::Modulo;
    } else {
      o.index = static_cast<Index>(below(5));
      o.rounds = below(3) == 0 ? 2 : 1;
      o.offset = below(2) == 0 ? 0 : static_cast<int64_t>(o.bytes()) * (static_cast<int64_t>(below(9)) - 4);
    }
    choose_numbers(o, c);
    choose_table(o, c);
    return o;
  }

  void choose_numbers(Operation& o, const Case& c) {
    const uint32_t size = size_of(o, c), bytes = o.bytes();
    o.below = below(c.threads + 4);
    if (sound_) {
      o.modulo = 1 + below(std::min(size / bytes, 9u));
      o.stride = o.index == Index::Table ? 0 : bytes;
      return;
    }
    o.modulo = 1 + below(9);
    if (o.rounds > 1) o.rounds = 2 + below(4);
    o.stride = static_cast<int64_t>(one_of({0, bytes, bytes, 2 * bytes, 1, 20})) * (below(5) == 0 ? -1 : 1);
    o.step = o.rounds == 1 ? 0 : static_cast<int64_t>(bytes) * one_of({0, 1, 3});
    const int64_t units = size / bytes;
    o.start = bytes * (static_cast<int64_t>(below(static_cast<uint32_t>(2 * units + 8))) - units / 2);
    if (below(8) == 0) o.start += 1 + below(7);
    if (o.where == Where::Absolute) o.start = one_of({0, 4, 24, 4095, 0x40000000});
  }

  void choose_table(Operation& o, const Case& c) {
    if (o.index != Index::Table) return;
    const int64_t bytes = o.bytes();
    const uint32_t slots = size_of(o, c) / o.bytes();
    o.table.resize(size_t{c.blocks} * c.threads);
    for (int64_t& t : o.table)
      t = sound_          ? bytes * below(slots)
          : below(6) == 0 ? static_cast<int64_t>(below(12000)) - 3000
                          : bytes * (static_cast<int64_t>(below(16)) - 4);
  }

  static uint32_t size_of(const Operation& o, const Case& c) {
    switch (o.where) {
      case Where::Shared:
      case Where::GenericShared:
        return kSharedBytes;
      case Where::Local:
      case Where::GenericLocal:
        return kLocalBytes;
      case Where::Constant:
        return kConstantBytes;
      default:
        return static_cast<uint32_t>(c.sizes[o.array]);
    }
  }

  std::mt19937_64 random_;
  bool sound_ = false;
};

// The instruction and, for findings, its text.
std::string instruction(const Operation& o) {
  const char* const spaces[] = {".global", "", ".shared", "", ".local", "", ".const", ".global"};
  const std::string space = spaces[static_cast<size_t>(o.where)];
  const std::string at = fmt::format("[%rd4{:+}]", o.offset);
  const std::string value = o.element == 8 ? "%y0" : o.element < 4 ? "%h0" : "%x0";
  if (o.kind == AccessKind::Atomic) {
    const bool reduces = o.array % 2 == 0;
    return fmt::format("{}{}.add.u{} {}{}, {};", reduces ? "red" : "atom", space, o.element * 8,
                       reduces ? "" : value + ", ", at, value);
  }
  const std::string vector = o.elements == 1 ? "" : fmt::format(".v{}", o.elements);
  std::string values = value;
  if (o.elements > 1) {
    values = "{";
    for (uint32_t e = 0; e < o.elements; ++e)
      values += fmt::format("{}{}{}", e == 0 ? "" : ", ", value.substr(0, 2), e);
    values += "}";
  }
  if (o.kind == AccessKind::Load) return fmt::format("ld{}{}.u{} {}, {};", space, vector, o.element * 8, values, at);
  return fmt::format("st{}{}.u{} {}, {};", space, vector, o.element * 8, at, values);
}

// The arguments behind those that are pointers: of each operation whose numbers vary.
constexpr const char* kNumbers[] = {"start", "stride", "step", "below", "modulo", "rounds"};
std::array<int64_t, std::size(kNumbers)> numbers_of(const Operation& o) {
  return {o.start, o.stride, o.step, o.below, o.modulo, o.rounds};
}

// The kernel, and the line of each operation's instruction.
std::string kernel_of(const Case& c, std::vector<uint32_t>& lines) {
  std::string parameters = ".param .u64 table, .param .u64 m0, .param .u64 m1, .param .u64 m2, .param .u64 m3";
  for (size_t i = 0; i < c.operations.size(); ++i)
    for (const char* number : kNumbers)
      if (c.operations[i].varies) parameters += fmt::format(", .param .u64 {}{}", number, i);
  std::string text =
      exec::kHead + fmt::format(".const .align 16 .b8 constants[{}];\n", kConstantBytes) +
      fmt::format(".visible .entry k({}) {{\n", parameters) +
      ".reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .b64 %a<16>; .reg .b32 %x<4>; .reg "
      ".b64 %y<2>; .reg .b64 %n<6>;\n" +
      fmt::format(
          ".shared .align 16 .b8 buffer0[{0}];\n.shared .align 16 .b8 buffer1[{0}];\n"
          ".local .align 16 .b8 frame[{1}];\n",
          kSharedBytes, kLocalBytes) +
      "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
      "mad.lo.u32 %r1, %r1, %r2, %r0;\n";
  for (size_t i = 0; i < c.operations.size(); ++i) {
    const Operation& o = c.operations[i];
    // Each number as the instruction that uses it has it: a register of its argument, or a constant.
    const auto numbers = numbers_of(o);
    std::string number[std::size(kNumbers)], wide[std::size(kNumbers)];
    for (size_t n = 0; n < std::size(kNumbers); ++n) {
      number[n] = wide[n] = fmt::to_string(numbers[n]);
      if (!o.varies) continue;
      number[n] = fmt::format("%r{}", 6 + n), wide[n] = fmt::format("%n{}", n);
      text +=
          fmt::format("ld.param.u64 {}, [{}{}];\ncvt.u32.u64 {}, {};\n", wide[n], kNumbers[n], i, number[n], wide[n]);
    }
    const auto& [start, stride, step, limit, modulo, rounds] = number;
    switch (o.where) {
      case Where::Global:
      case Where::GenericGlobal:
        text += fmt::format("ld.param.u64 %rd4, [m{}];\ncvta.to.global.u64 %rd4, %rd4;\n", o.array);
        break;
      case Where::Shared:
        text += fmt::format("mov.u64 %rd4, buffer{};\n", o.array % 2);
        break;
      case Where::GenericShared:
        text += fmt::format("mov.u64 %rd4, buffer{};\ncvta.shared.u64 %rd4, %rd4;\n", o.array % 2);
        break;
      case Where::Local:
        text += "mov.u64 %rd4, frame;\n";
        break;
      case Where::GenericLocal:
        text += "mov.u64 %rd4, frame;\ncvta.local.u64 %rd4, %rd4;\n";
        break;
      case Where::Constant:
        text += "mov.u64 %rd4, constants;\n";
        break;
      case Where::Absolute:
        text += "mov.u64 %rd4, 0;\n";
    }
    switch (o.index) {
      case Index::None:
        break;
      case Index::Thread:
        text += fmt::format("mul.wide.s32 %rd5, %r0, {};\nadd.s64 %rd4, %rd4, %rd5;\n", stride);
        break;
      case Index::InGrid:
        text += fmt::format("mul.wide.s32 %rd5, %r1, {};\nadd.s64 %rd4, %rd4, %rd5;\n", stride);
        break;
      case Index::Modulo:
        text += fmt::format("rem.u32 %r3, %r0, {};\nmul.wide.s32 %rd5, %r3, {};\nadd.s64 %rd4, %rd4, %rd5;\n", modulo,
                            stride);
        break;
      case Index::Table:
        text += fmt::format(
            "ld.param.u64 %rd6, [table];\nmul.wide.u32 %rd5, %r1, 8;\nadd.s64 %rd6, %rd6, %rd5;\n"
            "ld.global.u64 %rd5, [%rd6+{}];\nadd.s64 %rd4, %rd4, %rd5;\n",
            i * kMostBlocks * kMostThreads * 8);
    }
    text += fmt::format("add.s64 %rd4, %rd4, {};\n", wide[0]);
    std::string guard;
    if (o.guard == Guard::Odd) text += "and.b32 %r4, %r0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n", guard = "@%p1 ";
    if (o.guard == Guard::Below || o.guard == Guard::Branch) text += fmt::format("setp.lt.u32 %p1, %r0, {};\n", limit);
    if (o.guard == Guard::Below) guard = "@%p1 ";
    if (o.guard == Guard::Branch) text += fmt::format("@!%p1 bra E{};\n", i);
    if (o.rounds > 1) text += fmt::format("mov.u32 %r5, 0;\nL{}:\n", i);
    lines.push_back(1 + static_cast<uint32_t>(std::ranges::count(text, '\n')));
    text += guard + instruction(o) + "\n";
    if (o.rounds > 1)
      text += fmt::format("add.s64 %rd4, %rd4, {};\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, {};\n@%p2 bra L{};\n",
                          wide[2], rounds, i);
    if (o.guard == Guard::Branch) text += fmt::format("E{}:\n", i);
    // As compilers write it, a register has the addresses of one operation.
    for (size_t at = text.find("%rd4"); at != text.npos; at = text.find("%rd4", at))
      text.replace(at, 4, fmt::format("%a{}", i));
  }
  return text + "ret;\n}\n";
}

// What the oracle and the check say of an instruction: how often each kind is found, and by which thread first.
struct Verdict {
  uint64_t times = 0;
  ThreadPlace first;
  bool operator==(const Verdict&) const = default;
};
using Verdicts = std::map<std::pair<uint32_t, FindingKind>, Verdict>;

// `own`: the array to which the access belongs; null: nobody knows.
std::optional<FindingKind> judge(const Operation& o, int64_t place, const std::vector<Array>& arrays,
                                 const Array* own) {
  const auto address = static_cast<uint64_t>(place);
  const uint64_t bytes = o.bytes();
  const bool aligned = address % bytes == 0;
  const auto in_window = [&](uint64_t at, uint64_t size) -> std::optional<FindingKind> {
    if (!aligned) return FindingKind::Misaligned;
    if (at <= size && bytes <= size - at) return std::nullopt;
    return FindingKind::OutOfBounds;
  };
  switch (o.where) {
    case Where::Shared:
      return in_window(static_cast<uint32_t>(address), kSharedBytes);
    case Where::GenericShared:
      return in_window(address, kSharedBytes);
    case Where::Local:
    case Where::GenericLocal:
      return in_window(address, kLocalBytes);
    case Where::Constant:
      return in_window(address, kConstantBytes);
    default:
      break;
  }
  if (address < 4096) return FindingKind::NullPointer;
  if (!aligned) return FindingKind::Misaligned;
  bool near = false;
  for (const Array& a : arrays) near = near || (address - a.base + (uint64_t{1} << 32) < uint64_t{1} << 33);
  if (!near) return FindingKind::WildPointer;
  for (const Array& a : arrays) {
    if (address - a.base >= a.bytes) continue;
    if (!a.live) return FindingKind::UseAfterFree;
    if (own && &a != own) return FindingKind::OutOfBounds;
    if (bytes <= a.bytes - (address - a.base)) return std::nullopt;
  }
  return FindingKind::OutOfBounds;
}

// Kinds that the check tells of an instruction in more than one go: the first thread of all is not known then. Null
// pointers are aligned or not; past a thread's own local memory lies another thread's, and both names are right.
bool told_apart(const Operation& o, FindingKind kind) {
  return kind == FindingKind::NullPointer || o.where == Where::GenericLocal;
}

// `first`: of the launch's arrays among all that the test knows.
Verdicts truth_of(const Case& c, const std::vector<Array>& arrays, size_t first) {
  Verdicts all;
  for (uint32_t i = 0; i < c.operations.size(); ++i) {
    const Operation& o = c.operations[i];
    const Array& array = arrays[first + o.array];
    const bool global = o.where == Where::Global || o.where == Where::GenericGlobal;
    const bool followed = global && array.live;
    for (uint32_t block = 0; block < c.blocks; ++block)
      for (uint32_t warp = 0; warp * kWarpSize < c.threads; ++warp)
        for (uint32_t round = 0; round < o.rounds; ++round)
          for (uint32_t t = warp * kWarpSize; t < std::min(c.threads, (warp + 1) * kWarpSize); ++t) {
            if (o.guard == Guard::Odd && t % 2 == 0) continue;
            if ((o.guard == Guard::Below || o.guard == Guard::Branch) && t >= o.below) continue;
            const uint32_t in_grid = block * c.threads + t;
            int64_t at = o.start + o.offset + o.step * round;
            if (o.index == Index::Thread) at += o.stride * t;
            if (o.index == Index::InGrid) at += o.stride * in_grid;
            if (o.index == Index::Modulo) at += o.stride * (t % o.modulo);
            if (o.index == Index::Table) at += o.table[in_grid];
            if (global) at += static_cast<int64_t>(array.base);
            if (const auto kind = judge(o, at, arrays, followed ? &array : nullptr)) {
              Verdict& v = all[{i, *kind}];
              if (v.times++ == 0) v.first = {{block, 0, 0}, {t, 0, 0}};
              if (told_apart(o, *kind)) v.first.thread = {};
            }
          }
  }
  return all;
}

std::string print(const Verdicts& verdicts) {
  std::string text;
  for (const auto& [what, v] : verdicts)
    text += fmt::format("  #{} {} x{}, first block {} thread {}\n", what.first, info(what.second).key, v.times,
                        v.first.block[0], v.first.thread[0]);
  return text;
}

struct Outcome {
  std::string problems;
  bool faulty = false;
};

// A kernel, and what it may access: the test's table, then the arrays of each launch, which end with it.
class Kernel {
 public:
  Kernel(const Case& c, uint64_t seed, bool prints)
      : text_(kernel_of(c, lines_)), machine_(text_, options_of(seed), exec::Placement::Apart) {
    if (prints) fmt::print("{}", text_);
    table_ = allocate(kMostOperations * kMostBlocks * kMostThreads * sizeof(int64_t));
    // The table is far from what the kernel may write by mistake.
    apart_ = allocate(1 << 16);
  }
  Outcome launch(const Case& c);

 private:
  uint64_t allocate(uint64_t bytes) { return machine_.memory().allocate(bytes, exec::MemoryKind::Device).value(); }
  // Of the launches before, too: what they freed is no memory that may be accessed.
  std::vector<uint64_t> arguments_of(const Case& c);
  [[nodiscard]] Verdicts found_in(const Case& c, const Checked& checked, std::string& problems) const;

  std::vector<uint32_t> lines_;
  std::string text_;
  exec::Machine machine_;
  uint64_t table_ = 0, apart_ = 0;
  std::vector<Array> arrays_;  // the last kArrays are those of the launch
};

std::vector<uint64_t> Kernel::arguments_of(const Case& c) {
  std::vector<uint64_t> arguments{table_};
  for (size_t i = 0; i < c.operations.size(); ++i)
    std::ranges::copy(c.operations[i].table, reinterpret_cast<int64_t*>(table_) + i * kMostBlocks * kMostThreads);
  for (const uint64_t size : c.sizes) {
    arrays_.push_back({allocate(size), size, true});
    arguments.push_back(arrays_.back().base);
  }
  for (const Operation& o : c.operations)
    if (o.varies) std::ranges::copy(numbers_of(o), std::back_inserter(arguments));
  return arguments;
}

Verdicts Kernel::found_in(const Case& c, const Checked& checked, std::string& problems) const {
  Verdicts found;
  for (const Finding& f : checked.findings) {
    const auto line = std::ranges::find(lines_, f.where.ptx_line);
    if (line == lines_.end() || !f.thread) {
      problems += fmt::format("a finding elsewhere: {}, line {}\n", f.what, f.where.ptx_line);
      continue;
    }
    const auto index = static_cast<uint32_t>(line - lines_.begin());
    const Operation& o = c.operations[index];
    const bool elsewhere = o.where == Where::GenericLocal && f.kind == FindingKind::WrongSpace;
    Verdict& v = found[{index, elsewhere ? FindingKind::OutOfBounds : f.kind}];
    const bool first = v.times == 0 || f.thread->block[0] < v.first.block[0];
    if (first) v.first = *f.thread;
    if (told_apart(o, f.kind)) v.first.thread = {};
    v.times += f.times;
  }
  return found;
}

Outcome Kernel::launch(const Case& c) {
  const std::vector<uint64_t> arguments = arguments_of(c);
  const auto mine = std::span(arrays_).last(kArrays);
  const auto free = [&](Array& a) { a.live = a.live && !machine_.memory().free(a.base); };
  for (uint32_t a = 0; a < kArrays; ++a)
    if (c.freed[a]) free(mine[a]);
  const Checked checked = run_checked(CheckTool::Memcheck, machine_, {c.blocks}, {c.threads}, arguments);
  std::string problems;
  const Verdicts found = found_in(c, checked, problems);
  std::vector<Array> known = arrays_;
  known.push_back({apart_, 1 << 16, true});
  const Verdicts truth = truth_of(c, known, arrays_.size() - kArrays);
  std::ranges::for_each(mine, free);
  if (found != truth) {
    problems += "truth:\n" + print(truth) + "found:\n" + print(found);
    for (size_t i = 0; i < c.operations.size(); ++i)
      problems += fmt::format("  #{}: {}  index {} guard {} rounds {} start {} stride {} step {} freed {} size {}\n", i,
                              instruction(c.operations[i]), int(c.operations[i].index), int(c.operations[i].guard),
                              c.operations[i].rounds, c.operations[i].start, c.operations[i].stride,
                              c.operations[i].step, c.freed[c.operations[i].array], c.sizes[c.operations[i].array]);
  }
  return {problems, !truth.empty()};
}

TEST(MemoryGenerator, AgreesWithTheOracle) {
  const Seeds seeds = seeds_of("DRYWARP_MEMORY_SEED", "DRYWARP_MEMORY_KERNELS", 300);
  const auto judge = [&](uint64_t seed) {
    Generator generator(seed);
    Case c = generator.make();
    Kernel kernel(c, seed, seeds.prints);
    Judged judged;
    for (uint32_t launch = 0; launch < kLaunches && judged.problems.empty(); ++launch) {
      if (launch != 0) generator.vary(c);
      const Outcome outcome = kernel.launch(c);
      judged.faulty += outcome.faulty ? 1 : 0;
      if (!outcome.problems.empty()) judged.problems = fmt::format("launch {}\n{}", launch, outcome.problems);
    }
    return judged;
  };
  judge_all(seeds, judge, FaultyShare{50 * kLaunches, 99 * kLaunches});
}

}  // namespace
}  // namespace drywarp::check::random_memory
