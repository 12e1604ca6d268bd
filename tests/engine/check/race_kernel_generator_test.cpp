// Random kernels with races and without, compiled and run by the engine under racecheck. Where race_generator_test.cpp
// tells the check of accesses, here the code does: what the compiler reports of an instruction is tested, too.
//
// A kernel is a row of episodes, each with memory of its own. In an episode threads write words, something orders that
// or not, and partners read them, or the other way around. Whether the episode races is known from how it was made, and
// what orders one episode's accesses comes between no two of another's.
//
// DRYWARP_RACE_KERNELS=N makes N of them; DRYWARP_RACE_KERNEL_SEED=S begins with the one of that number; alone, its
// code is printed.
#include <fmt/format.h>

#include <map>
#include <random>

#include "checked.h"
#include "seeds.h"

namespace drywarp::check {
namespace {

enum class Races : uint8_t { No, Yes, InWarp, Note };

struct Episode {
  std::string code, name;
  Races races = Races::No;
};

constexpr uint32_t kThreads = 128, kBlocks = 2;
constexpr uint32_t kEpisodeBytes =
    1024;  // of an episode, of shared memory and of `out`; the flags are behind its words
constexpr uint32_t kMostEpisodes = 5;

// Registers: %r10 = the thread's own place in shared memory of the episode, %r11 = its partner's, %rd10 and %rd11 the
// same in global memory; the block's objects are at `objects`, one of 8 bytes an episode. %p6: the first lane of the
// first warp; %p7: the first lane of the second.
class KernelGenerator {
 public:
  explicit KernelGenerator(uint64_t seed) : random_(seed) {}

  bool cluster = false;
  std::vector<Episode> episodes;

  std::string make() {
    cluster = below(4) == 0;
    const uint32_t count = 1 + below(kMostEpisodes);
    for (uint32_t i = 0; i < count; ++i) episodes.push_back(episode(i));
    std::string body = "mov.u32 %r20, s; mov.u32 %r21, objects; setp.eq.u32 %p6, %r0, 0; setp.eq.u32 %p7, %r0, 32;\n";
    body += "ld.param.u64 %rd12, [in]; mul.wide.u32 %rd13, %r1, 4; add.u64 %rd12, %rd12, %rd13;\n";
    for (uint32_t i = 0; i < count; ++i)
      body += fmt::format("@%p6 mbarrier.init.shared.b64 [%r21+{}], {};\n", 8 * i, kThreads);
    body += "bar.sync 0;\n";
    for (uint32_t i = 0; i < count; ++i) body += fmt::format("// op {}\n{}", i, episodes[i].code);
    return exec::kernel(body, fmt::format(".shared .align 16 .b8 s[{}];\n.shared .align 8 .b8 objects[{}];\n",
                                          kMostEpisodes * kEpisodeBytes, 8 * kMostEpisodes));
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool flip() { return below(2) == 0; }
  std::string one_of(std::initializer_list<const char*> all) {
    return *(all.begin() + below(static_cast<uint32_t>(all.size())));
  }

  Episode episode(uint32_t i) {
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
        return exchange(i);
      case 3:
        return object(i);
      case 4:
        return copies(i);
      case 5:
        return half_arrives(i);
      case 6:
        return one_word(i);
      case 7:
        return cluster && flip() ? cluster_barrier(i) : flag_in_block(i);
      default:
        return flag_between_blocks(i);
    }
  }

  // The thread's word and its partner's, the thread's own number changed by `distance`.
  static std::string places(uint32_t i, uint32_t distance) {
    return fmt::format(
        "xor.b32 %r12, %r0, {0}; shl.b32 %r13, %r0, 2; shl.b32 %r14, %r12, 2;\n"
        "add.u32 %r10, %r20, %r13; add.u32 %r11, %r20, %r14; add.u32 %r10, %r10, {1}; add.u32 %r11, "
        "%r11, {1};\n",
        distance, i * kEpisodeBytes);
  }
  static std::string order_of(bool read_first, const std::string& between) {
    const std::string write = "st.shared.u32 [%r10], %r0;\n", read = "ld.shared.u32 %r15, [%r11];\n";
    const std::string use = "st.global.u32 [%rd1], %r15;\n";
    return read_first ? read + between + write + use : write + between + read + use;
  }
  // As far as a race of partners goes: in one warp, it is one of lanes.
  static Races race_if(bool races, uint32_t distance) {
    return !races ? Races::No : distance < kWarpSize ? Races::InWarp : Races::Yes;
  }

  // Every thread writes its word and reads its partner's, with something in between that all threads do.
  Episode exchange(uint32_t i) {
    const uint32_t distance = 1u << below(7);
    const bool in_warp = distance < kWarpSize;
    struct Between {
      const char* code;
      bool orders;
    };
    const std::string masks =
        "shr.u32 %r16, %r0, 4; and.b32 %r16, %r16, 1; mul.lo.u32 %r16, %r16, 4294901760; "
        "setp.eq.u32 %p1, %r16, 0; selp.b32 %r16, 65535, %r16, %p1;\n";
    // Barriers 1 and 2 are for 64 threads each, 3 to 6 for a warp each: a warp that is ahead comes to none of others'.
    const Between all[] = {
        {"", false},
        {"bar.sync 0;\n", true},
        {"bar.sync 0, 128;\n", true},
        {"bar.red.popc.u32 %r17, 0, %p6;\n", true},
        {"bar.warp.sync -1;\n", in_warp},
        {"bar.warp.sync %r16;\n", distance < 16},
        {"shfl.sync.bfly.b32 %r17, %r0, 1, 31, -1;\n", false},
        {"shfl.sync.idx.b32 %r17, %r0, 0, 31, %r16;\n", false},
        {"vote.sync.ballot.b32 %r17, %p6, -1;\n", false},
        {"vote.sync.any.pred %p2, %p6, %r16;\n", false},
        {"match.any.sync.b32 %r17, %r0, -1;\n", false},
        {"redux.sync.add.u32 %r17, %r0, -1;\n", false},
        {"activemask.b32 %r17;\n", false},
        {"membar.gl;\n", false},
        {"fence.sc.sys;\n", false},
        {"shr.u32 %r17, %r0, 6; add.u32 %r17, %r17, 1; bar.sync %r17, 64;\n", distance < 64},
        {"shr.u32 %r17, %r0, 5; add.u32 %r17, %r17, 3; bar.sync %r17, 32;\n", in_warp},
        {"shr.u32 %r17, %r0, 5; add.u32 %r17, %r17, 3; barrier.sync %r17, 32;\n", in_warp},
        {"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n", cluster},
    };
    const Between& between = all[below(std::size(all) - (cluster ? 0 : 1))];
    const bool read_first = flip();
    return {masks + places(i, distance) + order_of(read_first, between.code),
            fmt::format("exchange at {}, {}, {}", distance, read_first ? "read first" : "write first", between.code),
            race_if(!between.orders, distance)};
  }

  // The same with a barrier object.
  Episode object(uint32_t i) {
    const uint32_t distance = 1u << below(7), how = below(4);
    const std::string at = fmt::format("[%r21+{}]", 8 * i);
    const std::string arrive = "mbarrier.arrive.shared.b64 %rd5, " + at + ";\n";
    const std::string wait =
        flip() ? fmt::format("W{0}: mbarrier.test_wait.shared.b64 %p3, {1}, %rd5; @!%p3 bra W{0};\n", i, at)
               : fmt::format("W{0}: mbarrier.try_wait.parity.shared.b64 %p3, {1}, 0; @!%p3 bra W{0};\n", i, at);
    const bool read_first = flip();
    std::string code = places(i, distance);
    if (how == 0)  // it arrives too early
      code += arrive + order_of(read_first, wait);
    else if (how == 1)  // nobody waits
      code += order_of(read_first, arrive) + wait;
    else
      code += order_of(read_first, arrive + wait);
    return {code, fmt::format("object at {}, {}", distance, how), race_if(how < 2, distance)};
  }

  // cp.async: in two groups, or told to a barrier object.
  Episode copies(uint32_t i) {
    const uint32_t distance = below(3) == 0 ? 0 : 1u << below(7);
    const std::string copy = "cp.async.ca.shared.global [%r10], [%rd12], 4;\n", commit = "cp.async.commit_group;\n";
    const std::string other = "cp.async.ca.shared.global [%r10+512], [%rd12], 4;\n";
    const std::string read = "ld.shared.u32 %r15, [%r11]; st.global.u32 [%rd1], %r15;\n";
    const std::string last = "cp.async.wait_all;\n";
    const std::string at = fmt::format("[%r21+{}]", 8 * i);
    if (below(3) == 0) {
      const bool tied = flip();
      const std::string arrive = tied ? "cp.async.mbarrier.arrive.noinc.shared.b64 " + at + ";\n"
                                      : "mbarrier.arrive.shared.b64 %rd5, " + at + ";\n";
      const std::string wait =
          fmt::format("W{0}: mbarrier.try_wait.parity.shared.b64 %p3, {1}, 0; @!%p3 bra W{0};\n", i, at);
      return {places(i, distance) + copy + arrive + wait + read + last,
              fmt::format("copies at {} and an object, {}", distance, tied ? "tied" : "not tied"),
              tied ? Races::No : Races::Yes};
    }
    // The group that is read is the first or the second of two.
    const bool second = flip();
    const uint32_t left = below(3);  // groups that may be under way behind the wait
    const bool waited = left == 0 || (left == 1 && !second);
    const uint32_t barrier = below(3);
    const bool met = distance == 0 || barrier == 0 || (barrier == 1 && distance < kWarpSize);
    const char* const barriers[] = {"bar.sync 0;\n", "bar.warp.sync -1;\n", ""};
    const std::string groups = second ? other + commit + copy + commit : copy + commit + other + commit;
    return {
        places(i, distance) + groups + fmt::format("cp.async.wait_group {};\n", left) + barriers[barrier] + read + last,
        fmt::format("copies at {}, {} of two, {} left, barrier {}", distance, second ? 2 : 1, left, barrier),
        waited && met ? Races::No : Races::Yes};
  }

  // Half of the warps arrive at a named barrier, and the others wait there and read what they wrote.
  Episode half_arrives(uint32_t i) {
    const bool early = flip();
    const std::string number = std::to_string(8 + i);
    const std::string write = "st.shared.u32 [%r10], %r0;\n", arrive = "bar.arrive " + number + ", 128;\n";
    return {places(i, 64) + "setp.ge.u32 %p1, %r0, 64;\n" + fmt::format("@%p1 bra R{};\n", i) +
                (early ? arrive + write : write + arrive) + fmt::format("bra.uni E{};\n", i) +
                fmt::format("R{}: bar.sync {}, 128;\nld.shared.u32 %r15, [%r11]; st.global.u32 [%rd1], %r15;\nE{}:\n",
                            i, number, i),
            early ? "arrive, then write" : "write, then arrive", early ? Races::Yes : Races::No};
  }

  // All threads of the grid at one word of global memory.
  Episode one_word(uint32_t i) {
    struct Access {
      const char* code;
      Races races;
    };
    const Access all[] = {
        {"st.global.u32 [%rd10], 7;\n", Races::Note},
        {"st.global.u32 [%rd10], %r1;\n", Races::Yes},
        {"red.global.add.u32 [%rd10], 1;\n", Races::No},
        {"atom.global.gpu.add.u32 %r15, [%rd10], 1; st.global.u32 [%rd1], %r15;\n", Races::No},
        {"atom.global.sys.exch.b32 %r15, [%rd10], %r1; st.global.u32 [%rd1], %r15;\n", Races::No},
        {"atom.global.cta.add.u32 %r15, [%rd10], 1; st.global.u32 [%rd1], %r15;\n", Races::Yes},
        {"st.relaxed.gpu.global.u32 [%rd10], %r1; ld.relaxed.sys.global.u32 %r15, [%rd10]; st.global.u32 [%rd1], "
         "%r15;\n",
         Races::No},
        {"st.volatile.global.u32 [%rd10], %r1;\n", Races::No},
        {"red.global.add.u32 [%rd10], 1; ld.global.u32 %r15, [%rd10]; st.global.u32 [%rd1], %r15;\n", Races::Yes},
        {"st.release.cta.global.u32 [%rd10], %r1;\n", Races::Yes},
        {"ld.global.u32 %r15, [%rd10]; st.global.u32 [%rd1], %r15;\n", Races::No},
    };
    const Access& access = all[below(std::size(all))];
    return {global(i) + access.code, access.code, access.races};
  }
  // The episode's words of global memory: none is a thread's own word of `out`.
  static std::string global(uint32_t i) {
    return fmt::format("add.u64 %rd10, %rd0, {}; add.u64 %rd11, %rd10, 256;\n", (i + 1) * kEpisodeBytes);
  }

  // How one thread tells another one by a flag. Both sides must be wide enough, release and acquire.
  struct Handed {
    std::string tell, hear;
    bool orders, flag_races;
  };
  Handed handed(uint32_t i, bool between_blocks, const std::string& flag, const std::string& space) {
    const bool cta_tells = below(4) == 0, cta_hears = below(4) == 0;
    const std::string tells = cta_tells ? "cta" : one_of({"gpu", "sys"}),
                      hears = cta_hears ? "cta" : one_of({"gpu", "sys"});
    bool releases = true, acquires = true;
    // A fence has a scope of its own.
    bool narrow_fence = false;
    const auto fence = [&] {
      const bool cta = below(6) == 0;
      narrow_fence |= cta;
      return fmt::format("fence.{}.{};\n", one_of({"sc", "acq_rel"}), cta ? "cta" : one_of({"gpu", "sys"}));
    };
    std::string tell, hear, poll;
    switch (below(6)) {
      case 0:
        tell = fmt::format("st.release.{}{}.u32 {}, 1;\n", tells, space, flag);
        break;
      case 1:
        tell = fence() + fmt::format("st.relaxed.{}{}.u32 {}, 1;\n", tells, space, flag);
        break;
      case 2:
        tell = fence() + fmt::format("red.relaxed.{}{}.add.u32 {}, 1;\n", tells, space, flag);
        break;
      case 3:
        tell = fmt::format("atom.acq_rel.{}{}.exch.b32 %r17, {}, 1;\n", tells, space, flag);
        break;
      case 4:
        tell = fmt::format("red.release.{}{}.or.b32 {}, 1;\n", tells, space, flag);
        break;
      default:
        tell = fmt::format("st.relaxed.{}{}.u32 {}, 1;\n", tells, space, flag);
        releases = false;
    }
    switch (below(5)) {
      case 0:
        poll = fmt::format("ld.acquire.{}{}.u32 %r18, {};", hears, space, flag);
        break;
      case 1:
        poll = fmt::format("ld.relaxed.{}{}.u32 %r18, {};", hears, space, flag);
        hear = fence();
        break;
      case 2:
        poll = fmt::format("atom.relaxed.{}{}.or.b32 %r18, {}, 0;", hears, space, flag);
        hear = fence();
        break;
      case 3:
        poll = fmt::format("atom.acquire.{}{}.cas.b32 %r18, {}, 1, 1;", hears, space, flag);
        break;
      default:
        poll = fmt::format("ld.relaxed.{}{}.u32 %r18, {};", hears, space, flag);
        acquires = false;
    }
    const bool narrow = between_blocks && (cta_tells || cta_hears);
    return {tell, fmt::format("P{0}: {1} setp.eq.u32 %p3, %r18, 0; @%p3 bra P{0};\n{2}", i, poll, hear),
            releases && acquires && !narrow && !(between_blocks && narrow_fence), narrow};
  }

  Episode flag_in_block(uint32_t i) {
    const bool shared = flip();
    const std::string data = shared ? "[%r10]" : "[%rd11]", space = shared ? ".shared" : ".global";
    // Each block has flags of its own, in global memory too.
    const Handed by = handed(i, false, shared ? "[%r10+4]" : "[%rd10]", space);
    const std::string own =
        "mov.u32 %r16, %ctaid.x; shl.b32 %r16, %r16, 3; cvt.u64.u32 %rd13, %r16;\n"
        "add.u64 %rd10, %rd10, %rd13; add.u64 %rd11, %rd11, %rd13;\n";
    return {global(i) + own + fmt::format("add.u32 %r10, %r20, {};\n", i * kEpisodeBytes) +
                // Shared memory is not zero by itself: the flag's first value comes before a barrier.
                (shared ? "@%p6 st.shared.u32 [%r10+4], 0;\nbar.sync 0;\n" : "") + fmt::format("@!%p6 bra N{};\n", i) +
                fmt::format("st{}.u32 {}, 5;\n", space, data) + by.tell + fmt::format("N{0}: @!%p7 bra E{0};\n", i) +
                by.hear + fmt::format("ld{}.u32 %r15, {}; st.global.u32 [%rd1], %r15;\nE{}:\n", space, data, i),
            "flag in a block: " + by.tell + by.hear, by.orders ? Races::No : Races::Yes};
  }

  // The first block tells the second one.
  Episode flag_between_blocks(uint32_t i) {
    const Handed by = handed(i, true, "[%rd10]", ".global");
    return {global(i) + "mov.u32 %r16, %ctaid.x; setp.eq.u32 %p4, %r16, 0;\n" +
                fmt::format("@!%p6 bra E{0};\n@!%p4 bra N{0};\n", i) + "st.global.u32 [%rd11], 5;\n" + by.tell +
                fmt::format("bra.uni E{0};\nN{0}:\n", i) + by.hear +
                fmt::format("ld.global.u32 %r15, [%rd11]; st.global.u32 [%rd1], %r15;\nE{}:\n", i),
            "flag between blocks: " + by.tell + by.hear, by.orders && !by.flag_races ? Races::No : Races::Yes};
  }

  // Both blocks are one cluster: each reads what the other one wrote.
  Episode cluster_barrier(uint32_t i) {
    const uint32_t how = below(4);
    const char* const between[] = {"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n",
                                   "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n",
                                   "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;\n",
                                   "bar.sync 0;\n"};
    return {global(i) +
                "mov.u32 %r16, %ctaid.x; xor.b32 %r17, %r16, 1; mul.wide.u32 %rd13, %r16, 4;\n"
                "mul.wide.u32 %rd14, %r17, 4; add.u64 %rd13, %rd10, %rd13; add.u64 %rd14, %rd10, %rd14;\n"
                "@%p6 st.global.u32 [%rd13], %r1;\n" +
                between[how] + "@%p6 ld.global.u32 %r15, [%rd14];\n@%p6 st.global.u32 [%rd1], %r15;\n",
            std::string("cluster: ") + between[how], how < 2 ? Races::No : Races::Yes};
  }

  std::mt19937_64 random_;
};

// By line: the episode before it.
std::vector<uint32_t> episodes_of_lines(const std::string& code) {
  std::vector<uint32_t> episodes(2, ~0u);
  uint32_t episode = ~0u;
  for (size_t at = 0; (at = code.find('\n', at)) != std::string::npos; ++at) {
    if (code.compare(at + 1, 6, "// op ") == 0) episode = static_cast<uint32_t>(std::atoi(&code[at + 7]));
    episodes.push_back(episode);
  }
  return episodes;
}

Judged judge_kernel(uint64_t seed, bool prints) {
  KernelGenerator generator(seed);
  const std::string code = generator.make();
  if (prints) fmt::print("{}\n", code);
  exec::Machine machine(code, options_of(seed));
  if (generator.cluster) machine.cluster = exec::Dim3{kBlocks, 1, 1};
  const uint64_t out = machine.words((kMostEpisodes + 1) * kEpisodeBytes / 4), in = machine.words(kBlocks * kThreads);
  const Checked checked = run_checked(CheckTool::Racecheck, machine, {kBlocks}, {kThreads}, {out, in});
  Judged judged;
  if (checked.ran.fault) judged.problems += checked.ran.fault->message + "\n";
  const std::vector<uint32_t> lines = episodes_of_lines(code);
  std::map<uint32_t, Races> found;
  for (const Finding& f : checked.findings) {
    const uint32_t at = f.where.ptx_line < lines.size() ? lines[f.where.ptx_line] : ~0u;
    const Races as = info(f.kind).severity == Severity::Note      ? Races::Note
                     : info(f.kind).severity == Severity::Warning ? Races::InWarp
                                                                  : Races::Yes;
    Races& worst = found[at];
    if (worst == Races::No || as == Races::Yes) worst = as;
  }
  const char* const names[] = {"no race", "race", "race in a warp", "note"};
  for (uint32_t i = 0; i < generator.episodes.size(); ++i) {
    const Episode& e = generator.episodes[i];
    judged.faulty |= e.races == Races::Yes || e.races == Races::InWarp;
    if (found[i] != e.races)
      judged.problems +=
          fmt::format("episode {}, {}: {}, found: {}\n", i, e.name, names[size_t(e.races)], names[size_t(found[i])]);
  }
  if (found.contains(~0u)) judged.problems += "a finding outside of all episodes\n";
  return judged;
}

TEST(RaceKernelGenerator, FindsWhatRaces) {
  const Seeds seeds = seeds_of("DRYWARP_RACE_KERNEL_SEED", "DRYWARP_RACE_KERNELS", 300);
  judge_all(seeds, [&](uint64_t seed) { return judge_kernel(seed, seeds.prints); }, FaultyShare{25, 95});
}

}  // namespace
}  // namespace drywarp::check
