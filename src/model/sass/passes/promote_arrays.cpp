#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "model/sass/passes/alignment.h"
#include "model/sass/passes/merge_groups.h"
#include "model/sass/passes/passes.h"
#include "model/sass/passes/unroll.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr unsigned kWordBytes = 4;
constexpr uint64_t kLongestFrame = 80;  // words: 80 were in registers, 96 were not
// The costs that give ptxas's choices, in comparisons of an index; by the words of an access.
constexpr double kForCandidate[] = {1, 1.5, 1.65};  // of an access at an index, for each place that it may be at
constexpr double kSavedAtIndex[] = {5.5, 9.9, 12.8};
constexpr double kSavedAtPlace[] = {4.7, 6.7, 10.5};  // of an access at a known place
constexpr size_t kDeepest = 2;                        // loops around an access that make a difference
constexpr double kWeightAtIndex[] = {1, 7.3, 16}, kWeightAtPlace[] = {1, 2.1, 3};
// Code may grow in proportion: the loops that these were measured with had so many other instructions, and each further
// one in the loop pays for this part of a comparison.
constexpr double kOthers = 9, kForOther = 0.5;

unsigned size_class(unsigned words) { return words >= 3 ? 2 : words - 1; }

// One access of the frame, or loads of neighbours that are done as one.
struct Access {
  uint32_t block = 0;
  std::vector<size_t> at;           // instructions
  unsigned words = 1;               // in all
  unsigned step = 1;                // words from one place to the next that it may be at
  int64_t offset = 0;               // bytes
  std::optional<int64_t> place;     // where in the frame, if it is known
  std::vector<int64_t> candidates;  // else: the addresses that it is compared with
  unsigned iterations = 0;          // of a loop that becomes straight code, where the place is known, too
};

bool is_load(const Instruction& c) { return c.op == Ldl; }
unsigned words_of(const Instruction& c) { return c.bytes / kWordBytes; }
bool is_base(const Instruction& c) { return c.op == Iadd3 && c.form.window == AddressSpace::Local; }

class Promotion {
 public:
  Promotion(Kernel& kernel, const Flow& flow)
      : kernel_(kernel), flow_(flow), blocks_(kernel.blocks), is_address_(kernel.registers.size()) {}

  void run() {
    frame_ = kernel_.function->local_bytes / kWordBytes;
    if (frame_ == 0 || frame_ > kLongestFrame || !kernel_.parameters.empty() || !finds_addresses()) return;
    find_accesses();
    if (accesses_.empty() || !pays()) return;
    for (uint64_t w = 0; w < frame_; ++w) words_.push_back(kernel_.make());
    find_constants();
    for (const CodeBlock& block : blocks_)
      for (const Instruction& c : block.code)
        for (unsigned w = 0; is_access(c) && !is_load(c) && w < words_of(c); ++w)
          holds_values_ |= c.source[1 + w].is_register();
    for (uint32_t b = 0; b < blocks_.size(); ++b) kernel_.blocks[b].code = rewritten(b);
  }

 private:
  // Whether all that is done with addresses of the frame is known. Offsets in the frame take their place.
  bool finds_addresses() {
    for (CodeBlock& block : blocks_)
      for (Instruction& c : block.code) {
        if (is_call(c)) return false;
        if (!is_base(c)) continue;
        is_address_[c.destination[0]] = true;
        c.op = Mov, c.role = Role::Copy, c.form = {};
      }
    for (bool changed = true; changed;) {
      changed = false;
      for (const CodeBlock& block : blocks_)
        for (const Instruction& c : block.code) {
          const Register d = c.destination[0];
          if (!reads_address(c) || is_access(c) || d == kNone || is_address_[d]) continue;
          if (c.op != Isetp) is_address_[d] = changed = true;
        }
    }
    for (const CodeBlock& block : blocks_)
      for (const Instruction& c : block.code) {
        const bool local = c.space == AddressSpace::Local || c.space == AddressSpace::ParamFunc;
        if (is_access(c) ? !can_be_promoted(c) : local || (reads_address(c) && !keeps_to_addresses(c))) return false;
      }
    return true;
  }
  [[nodiscard]] bool is_address(const Source& s) const { return s.is_register() && is_address_[s.reg]; }
  [[nodiscard]] bool reads_address(const Instruction& c) const {
    return std::ranges::any_of(c.source, [&](const Source& s) { return is_address(s); });
  }
  [[nodiscard]] static bool is_access(const Instruction& c) {
    return c.space == AddressSpace::Local && !c.spill && (c.op == Ldl || c.op == Stl);
  }
  [[nodiscard]] bool keeps_to_addresses(const Instruction& c) const {
    if (c.guard || c.wide || c.form.window != AddressSpace::None) return false;
    if (c.op == Isetp) return is_comparison(c);
    const bool moves =
        c.role == Role::Copy || c.op == Iadd3 || c.op == Imad || c.op == Lea || c.op == Lop3 || c.op == Sel;
    return moves && kernel_.registers[c.destination[0]].words == 1 && c.destination[1] == kNone;
  }
  // Of 32-bit elements alone.
  [[nodiscard]] bool can_be_promoted(const Instruction& c) const {
    if (c.guard || c.bytes % kWordBytes != 0 || c.uniform_base || c.instruction == kNone) return false;
    if (c.source[0] && !is_address(c.source[0])) return false;
    const ir::Instruction& in = kernel_.function->instructions[c.instruction];
    if (in.mods.order != ir::Order::Weak || ir::bits(in.type) != 8 * kWordBytes) return false;
    for (unsigned w = 0; w < words_of(c); ++w)
      if (!is_load(c) && is_address(c.source[1 + w])) return false;
    return true;
  }

  void find_accesses() {
    definitions_ = only_definitions(blocks_, kernel_.registers.size());
    std::vector<Region> alone(blocks_.size());
    for (uint32_t b = 0; b < blocks_.size(); ++b) alone[b].path = {{b, false}}, alone[b].code = blocks_[b].code;
    const Alignment alignment(kernel_, alone);
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      const std::vector<Instruction>& code = blocks_[b].code;
      std::vector<bool> done(code.size());
      for (size_t i = 0; i < code.size(); ++i) {
        if (!is_access(code[i]) || done[i]) continue;
        Access a;
        a.block = b, a.at = {i}, a.words = a.step = words_of(code[i]), a.offset = code[i].offset;
        a.place = place_of(code[i].source[0]);
        if (a.place) *a.place += a.offset;
        if (!a.place) a.iterations = straight_iterations(code[i].source[0], b);
        if (!a.place && a.iterations == 0 && is_load(code[i])) join_neighbours(a, alignment);
        if (!a.place) a.candidates = candidates(a);
        for (const size_t k : a.at) done[k] = true;
        accesses_.push_back(std::move(a));
      }
    }
  }
  [[nodiscard]] std::optional<int64_t> place_of(const Source& address) const {
    if (!address) return 0;
    const Instruction* d = definitions_[address.reg].code;
    if (!d || d->guard) return {};
    if (d->role == Role::Copy) {
      if (d->source[0].is_immediate()) return static_cast<int32_t>(d->source[0].value);
      return is_address(d->source[0]) ? place_of(d->source[0]) : std::nullopt;
    }
    if (!is_plain_add(*d) || !d->source[1].is_immediate() || d->source[2] || !is_address(d->source[0])) return {};
    const auto before = place_of(d->source[0]);
    return before ? std::optional(*before + static_cast<int32_t>(d->source[1].value)) : std::nullopt;
  }
  // The bits that an address can have.
  [[nodiscard]] uint32_t bits_of(const Source& address, unsigned depth = 0) const {
    constexpr unsigned kDeepestChain = 4;
    if (address.is_immediate()) return static_cast<uint32_t>(address.value);
    const bool known = address.is_register() && address.modifiers == 0 && depth < kDeepestChain;
    const Instruction* d = known ? definitions_[address.reg].code : nullptr;
    if (!d || d->guard) return UINT32_MAX;
    const bool shifts = shift_of(*d) == Shift::Left && d->source[1].is_immediate();
    if (d->role == Role::Copy) return bits_of(d->source[0], depth + 1);
    if (is_logic(*d)) return bits_of_logic(*d, depth + 1);
    if (shifts) return bits_of(d->source[0], depth + 1) << (d->source[1].value & 31);
    if (const auto distance = shift_behind_start(*d)) return bits_of(d->source[0], depth + 1) << *distance;
    if (!is_plain_add(*d) || d->source[2]) return UINT32_MAX;
    for (unsigned i = 0; i < 2; ++i)
      if (starts_frame(d->source[i])) return bits_of(d->source[1 - i], depth + 1);
    return UINT32_MAX;
  }
  // What is zero where a literal is: x & literal, literal & ~x. (ptxas 13 learns nothing from x | literal.)
  [[nodiscard]] uint32_t bits_of_logic(const Instruction& c, unsigned depth) const {
    constexpr std::array<uint8_t, 2> kWhereClear = {0x05, 0x11};  // the rows for a first, a second operand of zero
    uint32_t bits = UINT32_MAX;
    for (unsigned i = 0; i < 2 && !c.source[2]; ++i)
      if ((c.form.table & kWhereClear[i]) == 0 && (c.form.table == kAnd || c.source[i].is_immediate()))
        bits &= bits_of(c.source[i], depth);
    return bits;
  }
  [[nodiscard]] bool starts_frame(const Source& s) const { return is_address(s) && place_of(s) == 0; }
  // How far an index is shifted that is added to the frame's start.
  [[nodiscard]] std::optional<unsigned> shift_behind_start(const Instruction& c) const {
    const auto is_zero = [&](const Source& s) { return s.modifiers == 0 && starts_frame(s); };
    if (c.op == Imad && is_plain(c) && is_zero(c.source[2]) && c.source[1].is_immediate() &&
        std::has_single_bit(c.source[1].value))
      return static_cast<unsigned>(std::countr_zero(c.source[1].value));
    if (c.op == Lea && c.form.shift == Shift::Left && is_zero(c.source[1]) && !c.source[2]) return c.form.distance;
    return {};
  }
  // The addresses that it compares with, for an access at an index.
  [[nodiscard]] std::vector<int64_t> candidates(const Access& a) const {
    const Source& address = blocks_[a.block].code[a.at[0]].source[0];
    const uint32_t bits = bits_of(address);
    std::vector<int64_t> found;
    for (unsigned w = 0; w + a.step <= frame_; w += a.step)
      if (const int64_t at = int64_t{w} * kWordBytes - a.offset; (static_cast<uint32_t>(at) & ~bits) == 0)
        found.push_back(at);
    return found;
  }
  // How often the block runs, where it is a loop that becomes straight code in which the address is known; else zero.
  [[nodiscard]] unsigned straight_iterations(const Source& address, uint32_t b) const {
    const auto& next = kernel_.function->blocks[b].successors;
    if (std::ranges::find(next, b) == next.end() || !step_of(blocks_[b], address.reg)) return 0;
    const Step body{b, false};
    const Unrolling unrolling = find_unrolling(kernel_, flow_, std::span(&body, 1));
    return unrolling.whole() ? unrolling.copies[0] : 0;
  }
  // Loads of neighbours in a vector's place are one. So are loads right behind each other: they share the comparisons.
  void join_neighbours(Access& a, const Alignment& alignment) const {
    constexpr unsigned kNear = 3;
    const std::vector<Instruction>& code = blocks_[a.block].code;
    const Instruction& first = code[a.at[0]];
    std::vector<size_t> all{a.at[0]}, near = all;
    for (size_t k = a.at[0] + 1; k < code.size() && !writes(code[k], first.source[0]); ++k) {
      const Instruction& c = code[k];
      if (is_access(c) && !is_load(c)) break;
      const auto has_offset = [&](size_t p) { return code[p].offset == c.offset; };
      if (!is_access(c) || !same_base(c, first) || c.bytes != first.bytes || std::ranges::any_of(all, has_offset))
        continue;
      if (k - all.back() <= kNear && near.size() == all.size()) near.push_back(k);
      all.push_back(k);
    }
    if (std::vector<size_t> parts = parts_of(code, all, a.at[0], first.bytes, alignment.of(first.source[0]));
        !parts.empty()) {
      a.offset = code[parts[0]].offset;
      a.words = a.step = static_cast<unsigned>(parts.size()) * words_of(first);
      a.at = std::move(parts);
      std::ranges::sort(a.at);
      return;
    }
    a.at = std::move(near);
    a.words *= static_cast<unsigned>(a.at.size());
  }

  [[nodiscard]] double others_in_loop(uint32_t header) const {
    double n = 0;
    for (uint32_t b = 0; b < blocks_.size(); ++b)
      if (flow_.in_loop(b, header)) n += double(std::ranges::count_if(blocks_[b].code, std::not_fn(is_access)));
    return n;
  }
  [[nodiscard]] bool pays() const {
    double saved = 0;
    std::set<uint32_t> around;  // the headers of loops with accesses at an index
    bool fills = false;         // at an index
    for (const Access& a : accesses_) {
      if (!a.candidates.empty()) {
        if (!flow_.loops[a.block].empty()) around.insert(flow_.loops[a.block].back());
        fills |= !is_load(blocks_[a.block].code[a.at[0]]);
      }
      const unsigned size = size_class(a.words);
      const size_t loops = std::min<size_t>(flow_.loops[a.block].size() - (a.iterations != 0 ? 1 : 0), kDeepest);
      if (a.place || a.iterations != 0)
        saved += kSavedAtPlace[size] * kWeightAtPlace[loops] * std::max(1u, a.iterations);
      else
        saved += kWeightAtIndex[loops] *
                 (kSavedAtIndex[size] - kForCandidate[size] * static_cast<double>(a.candidates.size()));
    }
    for (const uint32_t header : around)
      if (const double weight = kWeightAtIndex[std::min(flow_.loops[header].size(), kDeepest)]; !fills)
        saved += weight * kForOther * std::max(0.0, others_in_loop(header) - kOthers);
    return saved >= 0;
  }

  // Words that one store sets, to a constant: what reads them reads the constant. What is read before is undefined.
  void find_constants() {
    constants_.resize(frame_);
    std::vector<unsigned> stores(frame_);
    for (const Access& a : accesses_)
      for (const size_t k : a.at) {
        const Instruction& c = blocks_[a.block].code[k];
        if (is_load(c)) continue;
        if (!a.place) return constants_.assign(frame_, {});
        for (unsigned w = 0; w < words_of(c); ++w)
          if (const uint64_t at = static_cast<uint64_t>(*a.place) / kWordBytes + w; at < frame_)
            constants_[at] = ++stores[at] == 1 ? constant(c.source[1 + w]) : Source{};
      }
  }
  [[nodiscard]] Source constant(const Source& s) const {
    if (!s.is_register()) return s;
    const Instruction* d = s.modifiers == 0 ? definitions_[s.reg].code : nullptr;
    const bool copies = d && d->role == Role::Copy && !d->guard && !d->source[0].is_register();
    return copies && kernel_.registers[s.reg].words == 1 ? d->source[0] : Source{};
  }

  // What adds the frame's start, which is zero now.
  void drop_start(Instruction& c) const {
    const auto is_zero = [&](const Source& s) { return s.modifiers == 0 && starts_frame(s); };
    if (is_plain_add(c) && !c.source[2] && (is_zero(c.source[0]) || is_zero(c.source[1]))) {
      c.op = Mov, c.role = Role::Copy;
      c.source = {is_zero(c.source[0]) ? c.source[1] : c.source[0]};
      return;
    }
    const auto distance = shift_behind_start(c);
    if (!distance) return;
    c.op = Shf, c.form = {.shift = Shift::Left};
    c.source = {c.source[0], Source::immediate(*distance)};
  }
  std::vector<Instruction> rewritten(uint32_t b) {
    const std::vector<Instruction>& code = blocks_[b].code;
    std::vector<Instruction> out;
    std::vector<const Access*> first(code.size()), part(code.size());
    for (const Access& a : accesses_)
      if (a.block == b) {
        first[a.at[0]] = &a;
        for (const size_t k : a.at) part[k] = &a;
      }
    found_.clear(), behind_.clear();
    for (const Access& a : accesses_)
      if (a.block == b && !a.candidates.empty()) ++behind_[code[a.at[0]].source[0].reg];
    for (size_t i = 0; i < code.size(); ++i) {
      std::erase_if(found_, [&](const auto& one) { return writes_register(code[i], one.first.first); });
      if (first[i])
        write(*first[i], code, out);
      else if (!part[i])
        out.push_back(code[i]), drop_start(out.back());
    }
    return out;
  }
  void write(const Access& a, const std::vector<Instruction>& code, std::vector<Instruction>& out) {
    const Instruction& c = code[a.at[0]];
    if (a.place) {
      if (*a.place < 0 || static_cast<uint64_t>(*a.place) / kWordBytes + a.words > frame_)
        return;  // outside: undefined
      move_words(a, code, static_cast<unsigned>(*a.place) / kWordBytes, {}, out);
      return;
    }
    begun_.clear();
    const Register address = c.source[0].reg;
    if (!a.candidates.empty()) --behind_[address];
    for (const int64_t at : a.candidates)
      move_words(a, code, static_cast<unsigned>((at + a.offset) / kWordBytes), Source::of(compare(c, at, out)), out);
    if (behind_[address] == 0) std::erase_if(found_, [&](const auto& one) { return one.first.first == address; });
  }
  // What drop_start() leaves of an address: maybe a copy, which could hide that the index would have to be moved from
  // a uniform register. An index of constants stays in one. (Seen in one kernel each.)
  [[nodiscard]] Source index_of(const Source& address) const {
    const Instruction* d = holds_values_ ? definitions_[address.reg].code : nullptr;
    if (!d || d->guard || !is_plain_add(*d) || d->source[2]) return address;
    for (unsigned i = 0; i < 2; ++i)
      if (const Source& other = d->source[1 - i]; starts_frame(d->source[i]) && d->source[i].modifiers == 0 &&
                                                  is_plain_register(other) && definitions_[other.reg].code)
        return other;
    return address;
  }
  // Of the address with a number, for the access `c`. Other accesses of the block at the address take the predicates.
  Register compare(const Instruction& c, int64_t number, std::vector<Instruction>& out) {
    constexpr size_t kKept = 6;
    if (const auto known = found_.find({c.source[0].reg, number}); known != found_.end()) return known->second;
    Instruction compare;
    compare.op = Isetp;
    compare.form = {.type = ir::Type::S32, .compare = ir::Compare::Eq, .beside_slow_path = true};
    compare.destination.set(0, kernel_.make(1, RegisterFile::Predicate));
    compare.source = {index_of(c.source[0]), Source::immediate(static_cast<uint32_t>(number))};
    compare.instruction = c.instruction, compare.step = c.step;
    out.push_back(compare);
    if (behind_[c.source[0].reg] != 0 && found_.size() < kKept)
      found_.emplace(std::pair(c.source[0].reg, number), compare.destination[0]);
    return compare.destination[0];
  }
  void move_words(const Access& a, const std::vector<Instruction>& code, unsigned first, const Source& guard,
                  std::vector<Instruction>& out) {
    for (const size_t k : a.at) {
      const Instruction& c = code[k];
      const int64_t behind = (c.offset - a.offset) / kWordBytes;
      for (unsigned w = 0; w < words_of(c); ++w) {
        const int64_t place = int64_t{first} + behind + w;
        if (place < 0 || static_cast<uint64_t>(place) >= frame_) continue;
        const Register word = words_[static_cast<size_t>(place)];
        const bool load = is_load(c);
        const Source& known = constants_[static_cast<size_t>(place)];
        if (load ? c.destination[w] == kNone : bool(known)) continue;
        Instruction move = copy_of(word, load ? c.destination[w] : word, c.instruction);
        if (!load) move.source.set(0, c.source[1 + w]);
        if (load && known) move.source.set(0, known);
        move.step = c.step;
        if (guard) {
          move.role = Role::Pure;
          move.guard = guard;
          move.begins_value = load && begun_.insert(c.destination[w]).second;
        }
        out.push_back(move);
      }
    }
  }

  Kernel& kernel_;
  const Flow& flow_;
  std::vector<CodeBlock> blocks_;        // the kernel's, with offsets in the frame for its addresses
  std::vector<bool> is_address_;         // by register
  std::vector<Definition> definitions_;  // in `blocks_`
  std::vector<Access> accesses_;
  std::vector<Register> words_;    // the frame's
  std::vector<Source> constants_;  // that they are
  uint64_t frame_ = 0;             // words
  bool holds_values_ = false;      // not constants alone
  std::set<Register> begun_;       // results of the load that is being written
  // Of the block that is being written: the predicates that compare an address with a number.
  std::map<std::pair<Register, int64_t>, Register> found_;
  std::map<Register, unsigned> behind_;  // ... accesses at each address that are still to come
};

}  // namespace

void promote_arrays(Kernel& kernel, const Flow& flow) { Promotion(kernel, flow).run(); }

}  // namespace drywarp::sass
