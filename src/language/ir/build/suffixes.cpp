#include "language/ir/build/suffixes.h"

#include <string>
#include <unordered_map>

namespace drywarp::ir {
namespace {

using Apply = void (*)(Modifiers&);
struct Word {
  std::string_view word;
  Apply apply;
};
using WordMap = std::unordered_map<std::string_view, Apply>;

// Suffixes that mean the same in every opcode.
const WordMap& common_words() {
  static const WordMap map = {
      {"rn", [](Modifiers& m) { m.rounding = Rounding::Rn; }},
      {"rz", [](Modifiers& m) { m.rounding = Rounding::Rz; }},
      {"rm", [](Modifiers& m) { m.rounding = Rounding::Rm; }},
      {"rp", [](Modifiers& m) { m.rounding = Rounding::Rp; }},
      {"rna", [](Modifiers& m) { m.rounding = Rounding::Rna; }},
      {"rs", [](Modifiers& m) { m.rounding = Rounding::Rs; }},
      {"rni", [](Modifiers& m) { m.rounding = Rounding::Rni; }},
      {"rzi", [](Modifiers& m) { m.rounding = Rounding::Rzi; }},
      {"rmi", [](Modifiers& m) { m.rounding = Rounding::Rmi; }},
      {"rpi", [](Modifiers& m) { m.rounding = Rounding::Rpi; }},
      {"weak", [](Modifiers& m) { m.order = Order::Weak; }},
      {"volatile", [](Modifiers& m) { m.order = Order::Volatile; }},
      {"relaxed", [](Modifiers& m) { m.order = Order::Relaxed; }},
      {"acquire", [](Modifiers& m) { m.order = Order::Acquire; }},
      {"release", [](Modifiers& m) { m.order = Order::Release; }},
      {"acq_rel", [](Modifiers& m) { m.order = Order::AcqRel; }},
      {"sc", [](Modifiers& m) { m.order = Order::Sc; }},
      {"mmio", [](Modifiers& m) { m.order = Order::Mmio; }},
      {"cta", [](Modifiers& m) { m.scope = Scope::Cta; }},
      {"cluster", [](Modifiers& m) { m.scope = Scope::Cluster; }},
      {"gpu", [](Modifiers& m) { m.scope = Scope::Gpu; }},
      {"gl", [](Modifiers& m) { m.scope = Scope::Gpu; }},
      {"sys", [](Modifiers& m) { m.scope = Scope::Sys; }},
      {"ca", [](Modifiers& m) { m.cache = CacheOperator::Ca; }},
      {"cg", [](Modifiers& m) { m.cache = CacheOperator::Cg; }},
      {"cs", [](Modifiers& m) { m.cache = CacheOperator::Cs; }},
      {"lu", [](Modifiers& m) { m.cache = CacheOperator::Lu; }},
      {"cv", [](Modifiers& m) { m.cache = CacheOperator::Cv; }},
      {"wb", [](Modifiers& m) { m.cache = CacheOperator::Wb; }},
      {"wt", [](Modifiers& m) { m.cache = CacheOperator::Wt; }},
      {"v2", [](Modifiers& m) { m.vector = 2; }},
      {"v4", [](Modifiers& m) { m.vector = 4; }},
      {"v8", [](Modifiers& m) { m.vector = 8; }},
      {"po", [](Modifiers& m) { m.plus_one = true; }},
      {"shr7", [](Modifiers& m) { m.shift_right = 7; }},
      {"shr15", [](Modifiers& m) { m.shift_right = 15; }},
      {"oob", [](Modifiers& m) { m.outside_is_zero = true; }},
      {"noComplete", [](Modifiers& m) { m.no_complete = true; }},
      {"parity", [](Modifiers& m) { m.parity = true; }},
      {"expect_tx", [](Modifiers& m) { m.expect_tx = true; }},
      {"noinc", [](Modifiers& m) { m.no_increment = true; }},
      {"ftz", [](Modifiers& m) { m.ftz = true; }},
      {"sat", [](Modifiers& m) { m.sat = true; }},
      {"satfinite", [](Modifiers& m) { m.sat = m.satfinite = true; }},
      {"relu", [](Modifiers& m) { m.relu = true; }},
      {"approx", [](Modifiers& m) { m.approx = true; }},
      {"full", [](Modifiers& m) { m.full = true; }},
      {"NaN", [](Modifiers& m) { m.nan = true; }},
      {"xorsign", [](Modifiers& m) { m.xorsign_abs = true; }},
      {"abs", [](Modifiers& m) { m.abs = !m.xorsign_abs; }},
      {"noftz", [](Modifiers& m) { m.noftz = true; }},
      {"cc", [](Modifiers& m) { m.carry_out = true; }},
      {"wrap", [](Modifiers& m) { m.wrap = true; }},
      {"clamp", [](Modifiers& m) { m.wrap = false; }},
      {"shiftamt", [](Modifiers& m) { m.shiftamt = true; }},
      {"uni", [](Modifiers& m) { m.uni = true; }},
      {"to", [](Modifiers& m) { m.to = true; }},
      {"sync", [](Modifiers& m) { m.sync = true; }},
      {"aligned", [](Modifiers& m) { m.aligned = true; }},
  };
  return map;
}

const WordMap& compare_words() {
  static const WordMap map = {
      {"eq", [](Modifiers& m) { m.compare = Compare::Eq; }},   {"ne", [](Modifiers& m) { m.compare = Compare::Ne; }},
      {"lt", [](Modifiers& m) { m.compare = Compare::Lt; }},   {"le", [](Modifiers& m) { m.compare = Compare::Le; }},
      {"gt", [](Modifiers& m) { m.compare = Compare::Gt; }},   {"ge", [](Modifiers& m) { m.compare = Compare::Ge; }},
      {"lo", [](Modifiers& m) { m.compare = Compare::Lo; }},   {"ls", [](Modifiers& m) { m.compare = Compare::Ls; }},
      {"hi", [](Modifiers& m) { m.compare = Compare::Hi; }},   {"hs", [](Modifiers& m) { m.compare = Compare::Hs; }},
      {"equ", [](Modifiers& m) { m.compare = Compare::Equ; }}, {"neu", [](Modifiers& m) { m.compare = Compare::Neu; }},
      {"ltu", [](Modifiers& m) { m.compare = Compare::Ltu; }}, {"leu", [](Modifiers& m) { m.compare = Compare::Leu; }},
      {"gtu", [](Modifiers& m) { m.compare = Compare::Gtu; }}, {"geu", [](Modifiers& m) { m.compare = Compare::Geu; }},
      {"num", [](Modifiers& m) { m.compare = Compare::Num; }}, {"nan", [](Modifiers& m) { m.compare = Compare::Nan; }},
      {"and", [](Modifiers& m) { m.combine = BoolOp::And; }},  {"or", [](Modifiers& m) { m.combine = BoolOp::Or; }},
      {"xor", [](Modifiers& m) { m.combine = BoolOp::Xor; }},
  };
  return map;
}

const WordMap& part_words() {
  static const WordMap map = {
      {"lo", [](Modifiers& m) { m.part = Part::Lo; }},
      {"hi", [](Modifiers& m) { m.part = Part::Hi; }},
      {"wide", [](Modifiers& m) { m.part = Part::Wide; }},
  };
  return map;
}

const WordMap& atom_words() {
  static const WordMap map = {
      {"and", [](Modifiers& m) { m.atom = AtomOp::And; }},   {"or", [](Modifiers& m) { m.atom = AtomOp::Or; }},
      {"xor", [](Modifiers& m) { m.atom = AtomOp::Xor; }},   {"cas", [](Modifiers& m) { m.atom = AtomOp::Cas; }},
      {"exch", [](Modifiers& m) { m.atom = AtomOp::Exch; }}, {"add", [](Modifiers& m) { m.atom = AtomOp::Add; }},
      {"inc", [](Modifiers& m) { m.atom = AtomOp::Inc; }},   {"dec", [](Modifiers& m) { m.atom = AtomOp::Dec; }},
      {"min", [](Modifiers& m) { m.atom = AtomOp::Min; }},   {"max", [](Modifiers& m) { m.atom = AtomOp::Max; }},
  };
  return map;
}

const WordMap& bar_words() {
  static const WordMap map = {
      {"sync", [](Modifiers& m) { m.mode = Mode::BarSync, m.sync = true; }},
      {"arrive", [](Modifiers& m) { m.mode = Mode::BarArrive; }},
      {"red", [](Modifiers&) {}},
      {"popc", [](Modifiers& m) { m.mode = Mode::BarRedPopc; }},
      {"and", [](Modifiers& m) { m.mode = Mode::BarRedAnd; }},
      {"or", [](Modifiers& m) { m.mode = Mode::BarRedOr; }},
  };
  return map;
}

const WordMap& texture_words() {
  static const WordMap map = {
      {"1d", [](Modifiers& m) { m.texture.geometry = Geometry::D1; }},
      {"2d", [](Modifiers& m) { m.texture.geometry = Geometry::D2; }},
      {"3d", [](Modifiers& m) { m.texture.geometry = Geometry::D3; }},
      {"a1d", [](Modifiers& m) { m.texture.geometry = Geometry::A1d; }},
      {"a2d", [](Modifiers& m) { m.texture.geometry = Geometry::A2d; }},
      {"cube", [](Modifiers& m) { m.texture.geometry = Geometry::Cube; }},
      {"acube", [](Modifiers& m) { m.texture.geometry = Geometry::Acube; }},
      {"base", [](Modifiers& m) { m.texture.level = MipLevel::Base; }},
      {"level", [](Modifiers& m) { m.texture.level = MipLevel::Level; }},
      {"grad", [](Modifiers& m) { m.texture.level = MipLevel::Grad; }},
      {"trap", [](Modifiers& m) { m.texture.boundary = Boundary::Trap; }},
      {"clamp", [](Modifiers& m) { m.texture.boundary = Boundary::Clamp; }},
      {"zero", [](Modifiers& m) { m.texture.boundary = Boundary::Zero; }},
      {"r", [](Modifiers& m) { m.texture.component = 0; }},
      {"g", [](Modifiers& m) { m.texture.component = 1; }},
      {"b", [](Modifiers& m) { m.texture.component = 2; }},  // of suld and sust: no format conversion
      {"a", [](Modifiers& m) { m.texture.component = 3; }},
      {"and", [](Modifiers& m) { m.atom = AtomOp::And; }},
      {"or", [](Modifiers& m) { m.atom = AtomOp::Or; }},
      {"add", [](Modifiers& m) { m.atom = AtomOp::Add; }},
      {"min", [](Modifiers& m) { m.atom = AtomOp::Min; }},
      {"max", [](Modifiers& m) { m.atom = AtomOp::Max; }},
  };
  return map;
}

const WordMap& query_words() {
  static const WordMap map = {
      {"width", [](Modifiers& m) { m.texture.query = TextureQuery::Width; }},
      {"height", [](Modifiers& m) { m.texture.query = TextureQuery::Height; }},
      {"depth", [](Modifiers& m) { m.texture.query = TextureQuery::Depth; }},
      {"normalized_coords", [](Modifiers& m) { m.texture.query = TextureQuery::NormalizedCoordinates; }},
      {"array_size", [](Modifiers& m) { m.texture.query = TextureQuery::ArraySize; }},
      {"num_mipmap_levels", [](Modifiers& m) { m.texture.query = TextureQuery::MipmapLevels; }},
  };
  return map;
}

const WordMap& mode_words(Opcode op) {
  static const WordMap shfl = {
      {"up", [](Modifiers& m) { m.mode = Mode::ShflUp; }},
      {"down", [](Modifiers& m) { m.mode = Mode::ShflDown; }},
      {"bfly", [](Modifiers& m) { m.mode = Mode::ShflBfly; }},
      {"idx", [](Modifiers& m) { m.mode = Mode::ShflIdx; }},
  };
  static const WordMap vote = {
      {"all", [](Modifiers& m) { m.mode = Mode::VoteAll; }},
      {"any", [](Modifiers& m) { m.mode = Mode::VoteAny; }},
      {"uni", [](Modifiers& m) { m.mode = Mode::VoteUni; }},
      {"ballot", [](Modifiers& m) { m.mode = Mode::VoteBallot; }},
  };
  static const WordMap match = {
      {"any", [](Modifiers& m) { m.mode = Mode::MatchAny; }},
      {"all", [](Modifiers& m) { m.mode = Mode::MatchAll; }},
  };
  static const WordMap prmt = {
      {"f4e", [](Modifiers& m) { m.mode = Mode::PrmtF4e; }}, {"b4e", [](Modifiers& m) { m.mode = Mode::PrmtB4e; }},
      {"rc8", [](Modifiers& m) { m.mode = Mode::PrmtRc8; }}, {"ecl", [](Modifiers& m) { m.mode = Mode::PrmtEcl; }},
      {"ecr", [](Modifiers& m) { m.mode = Mode::PrmtEcr; }}, {"rc16", [](Modifiers& m) { m.mode = Mode::PrmtRc16; }},
  };
  static const WordMap testp = {
      {"finite", [](Modifiers& m) { m.mode = Mode::TestpFinite; }},
      {"infinite", [](Modifiers& m) { m.mode = Mode::TestpInfinite; }},
      {"number", [](Modifiers& m) { m.mode = Mode::TestpNumber; }},
      {"notanumber", [](Modifiers& m) { m.mode = Mode::TestpNotanumber; }},
      {"normal", [](Modifiers& m) { m.mode = Mode::TestpNormal; }},
      {"subnormal", [](Modifiers& m) { m.mode = Mode::TestpSubnormal; }},
  };
  static const WordMap redux = {
      {"add", [](Modifiers& m) { m.mode = Mode::ReduxAdd; }}, {"min", [](Modifiers& m) { m.mode = Mode::ReduxMin; }},
      {"max", [](Modifiers& m) { m.mode = Mode::ReduxMax; }}, {"and", [](Modifiers& m) { m.mode = Mode::ReduxAnd; }},
      {"or", [](Modifiers& m) { m.mode = Mode::ReduxOr; }},   {"xor", [](Modifiers& m) { m.mode = Mode::ReduxXor; }},
  };
  static const WordMap shf = {
      {"l", [](Modifiers& m) { m.left = true; }},
      {"r", [](Modifiers& m) { m.left = false; }},
  };
  static const WordMap lop3 = {
      {"and", [](Modifiers& m) { m.combine = BoolOp::And; }},
      {"or", [](Modifiers& m) { m.combine = BoolOp::Or; }},
  };
  static const std::unordered_map<Opcode, const WordMap*> by_opcode = {
      {Opcode::Tex, &texture_words()},
      {Opcode::Tld4, &texture_words()},
      {Opcode::Txq, &query_words()},
      {Opcode::Suq, &query_words()},
      {Opcode::Suld, &texture_words()},
      {Opcode::Sust, &texture_words()},
      {Opcode::Sured, &texture_words()},
      {Opcode::Shfl, &shfl},
      {Opcode::Vote, &vote},
      {Opcode::Match, &match},
      {Opcode::Prmt, &prmt},
      {Opcode::Testp, &testp},
      {Opcode::Redux, &redux},
      {Opcode::Shf, &shf},
      {Opcode::Lop3, &lop3},
      {Opcode::Bar, &bar_words()},
      {Opcode::Barrier, &bar_words()},
      {Opcode::Setp, &compare_words()},
      {Opcode::Set, &compare_words()},
      {Opcode::Vset, &compare_words()},
      {Opcode::Vset2, &compare_words()},
      {Opcode::Vset4, &compare_words()},
      {Opcode::Mul, &part_words()},
      {Opcode::Mad, &part_words()},
      {Opcode::Mul24, &part_words()},
      {Opcode::Mad24, &part_words()},
      {Opcode::Madc, &part_words()},
      {Opcode::Dp2a, &part_words()},
      {Opcode::Atom, &atom_words()},
      {Opcode::Red, &atom_words()},
      {Opcode::RedAsync, &atom_words()},
      {Opcode::CpReduceAsyncBulk, &atom_words()},
      {Opcode::CpReduceAsyncBulkTensor, &atom_words()},
  };
  static const WordMap none;
  const auto found = by_opcode.find(op);
  return found == by_opcode.end() ? none : *found->second;
}

const std::unordered_map<std::string_view, AddressSpace>& spaces() {
  static const std::unordered_map<std::string_view, AddressSpace> map = {
      {"global", AddressSpace::Global},         {"shared", AddressSpace::Shared},
      {"shared::cta", AddressSpace::Shared},    {"shared::cluster", AddressSpace::SharedCluster},
      {"local", AddressSpace::Local},           {"const", AddressSpace::Const},
      {"param", AddressSpace::Param},           {"param::entry", AddressSpace::Param},
      {"param::func", AddressSpace::ParamFunc},
  };
  return map;
}

const std::unordered_map<std::string_view, Opcode>& mnemonics() {
  static const auto map = [] {
    std::unordered_map<std::string_view, Opcode> result;
    for (unsigned i = 0; i <= unsigned(Opcode::Unknown); ++i) {
      if (Opcode(i) != Opcode::Unknown) result.emplace(info(Opcode(i)).mnemonic, Opcode(i));
    }
    return result;
  }();
  return map;
}

// Words of matrix instructions. The first .row or .col is of a, the second of b. `space`: of memory, which follows.
class MatrixWords {
 public:
  explicit MatrixWords(MatrixModifiers& to) : to_(to) {}
  // False: it is none.
  bool take(std::string_view word) {
    if (word == "row" || word == "col") {
      if (layouts_ == 2) return false;
      (layouts_++ == 0 ? to_.a_column : to_.b_column) = word == "col";
    } else if (word == "a" || word == "b" || word == "c" || word == "d") {
      to_.use = MatrixUse(1 + word[0] - 'a');
    } else if (word == "x1" || word == "x2" || word == "x4") {
      to_.count = uint8_t(word[1] - '0');
    } else if (word == "trans") {
      to_.transposed = true;
    } else if (word == "xor" || word == "and") {
      to_.bits = word == "xor" ? BoolOp::Xor : BoolOp::And;
    } else if (word != "popc") {
      return shape(word);
    }
    return true;
  }

 private:
  // m16n8k16; ldmatrix has no k.
  bool shape(std::string_view word) {
    uint16_t* const sizes[] = {&to_.m, &to_.n, &to_.k};
    size_t at = 0;
    for (size_t i = 0; i < 3 && at < word.size(); ++i) {
      if (word[at] != "mnk"[i]) return false;
      unsigned value = 0;
      size_t digits = 0;
      for (++at; at < word.size() && word[at] >= '0' && word[at] <= '9' && digits < 4; ++at, ++digits)
        value = value * 10 + unsigned(word[at] - '0');
      if (digits == 0) return false;
      *sizes[i] = uint16_t(value);
    }
    return at == word.size() && to_.n != 0;
  }

  MatrixModifiers& to_;
  unsigned layouts_ = 0;
};

// Words of copies of many bytes. The first space is where the data go, the second where they come from. Those without
// effect are left out: hints, and what the form says anyway.
class BulkWords {
 public:
  explicit BulkWords(Modifiers& to) : to_(to) {}
  // False: it is none.
  bool take(std::string_view word) {
    if (const auto space = spaces().find(word); space != spaces().end()) {
      if (spaces_ == 2) return false;
      (spaces_++ == 0 ? to_.space : to_.bulk.source) = space->second;
    } else if (word.size() == 2 && word[1] == 'd' && word[0] >= '1' && word[0] <= '5') {
      to_.bulk.rank = uint8_t(word[0] - '0');
    } else if (word == "mbarrier::complete_tx::bytes") {
      to_.bulk.completes_barrier = true;
    } else if (word == "multicast::cluster") {
      to_.bulk.multicast = true;
    } else if (word == "cp_mask") {
      to_.bulk.byte_mask = true;
    } else if (word == "read") {
      to_.bulk.reads_alone = true;
    } else {
      return word == "tile" || word == "bulk_group" || word == "L2" || word == "L2::cache_hint";
    }
    return true;
  }

 private:
  Modifiers& to_;
  unsigned spaces_ = 0;
};

// The longest mnemonic that the words spell; `used` is how many of the words belong to it.
Opcode find_mnemonic(std::string_view opcode, std::span<const std::string_view> words, size_t& used) {
  constexpr size_t kMostWords = 5;  // multimem.cp.reduce.async.bulk has four
  Opcode best = Opcode::Unknown;
  std::string text(opcode);
  for (size_t count = 0;; ++count) {
    if (const auto found = mnemonics().find(text); found != mnemonics().end()) best = found->second, used = count;
    if (count == words.size() || count == kMostWords) return best;
    text += '.';
    // The order of metadata changes nothing that is computed.
    text += words[count] == "sp::ordered_metadata" ? "sp" : words[count];
  }
}

// The element types of cvt.pack that are smaller than a byte.
void set_packed_element(std::span<const std::string_view> words, Modifiers& mods) {
  for (std::string_view word : words)
    if (word == "u2" || word == "s2" || word == "u4" || word == "s4")
      mods.packed_bits = static_cast<uint8_t>(word[1] - '0'), mods.packed_signed = word[0] == 's';
}

}  // namespace

Type type_from_name(std::string_view name) {
  static const auto map = [] {
    std::unordered_map<std::string_view, Type> result;
    for (unsigned i = unsigned(Type::Pred); i < unsigned(Type::Other); ++i) result.emplace(ir::name(Type(i)), Type(i));
    for (std::string_view other :
         {"b4",      "e2m1",  "e2m1x4", "e2m3",   "e2m3x4",     "e3m2",   "e3m2x4",    "e4m3x4",
          "e5m2x4",  "ue8m0", "ue4m3",  "u8x4",   "s8x4",       "b4x16",  "b4x16_p64", "b6x16_p32",
          "b6p2x16", "b1024", "f8x4",   "texref", "samplerref", "surfref"}) {
      result.emplace(other, Type::Other);
    }
    return result;
  }();
  const auto found = map.find(name);
  return found == map.end() ? Type::None : found->second;
}

DecodedOpcode decode_opcode(std::string_view opcode, std::span<const std::string_view> words, bool in_kernel) {
  DecodedOpcode result;
  size_t used = 0;
  result.op = find_mnemonic(opcode, words, used);
  Modifiers& mods = result.mods;
  if (result.op == Opcode::Unknown) {
    mods.extra = opcode;
    for (std::string_view word : words) (mods.extra += '.') += word;
    return result;
  }
  const WordMap& own = mode_words(result.op);
  const WordMap& common = common_words();
  const Family family = info(result.op).family;
  const bool matrix = family == Family::Matrix || family == Family::WarpGroup, bulk = family == Family::BulkCopy;
  MatrixWords matrix_words(mods.matrix);
  const bool video = family == Family::Video;
  BulkWords bulk_words(mods);
  const bool async_store = result.op == Opcode::StAsync || result.op == Opcode::RedAsync;
  bool has_space = false;
  for (std::string_view word : words.subspan(used)) {
    if (async_store && word == "mbarrier::complete_tx::bytes") {
      mods.bulk.completes_barrier = true;
      continue;
    }
    if ((matrix && matrix_words.take(word)) || (bulk && bulk_words.take(word))) continue;
    if (const auto found = own.find(word); found != own.end()) {
      found->second(mods);
    } else if (const auto second = atom_words().find(word); video && second != atom_words().end()) {
      second->second(mods);  // vadd.min: a second operation
    } else if (const Type type = type_from_name(word); type != Type::None) {
      Type* const slots[] = {&result.type, &result.type2, &result.type3, &mods.matrix.c_type};
      bool placed = false;
      for (Type* slot : std::span(slots, matrix ? 4 : 3)) {
        if (placed || *slot != Type::None) continue;
        *slot = type;
        placed = true;
      }
      if (!placed || type == Type::Other) (mods.extra += '.') += word;
    } else if (const auto space = spaces().find(word); space != spaces().end() && !has_space) {
      has_space = true;
      mods.space = space->second;
      if (word == "param" && !in_kernel) mods.space = AddressSpace::ParamFunc;
    } else if (const auto shared = common.find(word); shared != common.end()) {
      shared->second(mods);
    } else {
      (mods.extra += '.') += word;
    }
  }
  if (family == Family::WarpExchange || family == Family::WarpSync) {
    const std::string_view mnemonic = info(result.op).mnemonic;
    mods.sync |= mnemonic.ends_with(".sync");
  }
  if (result.op == Opcode::CvtPack) set_packed_element(words, mods);
  if (result.op == Opcode::Bar) mods.aligned = true;  // bar.sync is barrier.sync.aligned
  if (result.op == Opcode::Membar) mods.order = Order::Sc;
  return result;
}

}  // namespace drywarp::ir
