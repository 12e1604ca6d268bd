#include "language/ir/build/expand_wmma.h"

#include <algorithm>

#include "language/ir/matrix_shapes.h"

namespace drywarp::ir {
namespace {

// A product of wmma, and the mma.sync that computes a part of it.
struct WmmaShape {
  Type element;  // of a and b; u8 as s8, u4 as s4
  uint16_t m, n, k;
  uint16_t mma_m, mma_n, mma_k;
};
constexpr WmmaShape kWmmaShapes[] = {
    {Type::F16, 16, 16, 16, 16, 8, 16},  {Type::F16, 32, 8, 16, 16, 8, 16},  {Type::F16, 8, 32, 16, 16, 8, 16},
    {Type::BF16, 16, 16, 16, 16, 8, 16}, {Type::BF16, 32, 8, 16, 16, 8, 16}, {Type::BF16, 8, 32, 16, 16, 8, 16},
    {Type::S8, 16, 16, 16, 16, 8, 16},   {Type::S8, 32, 8, 16, 16, 8, 16},   {Type::S8, 8, 32, 16, 16, 8, 16},
    {Type::TF32, 16, 16, 8, 16, 8, 4},   {Type::F64, 8, 8, 4, 8, 8, 4},      {Type::S4, 8, 8, 32, 8, 8, 32},
    {Type::B1, 8, 8, 128, 8, 8, 128},
};

Type canonical(Type type) { return type == Type::U8 ? Type::S8 : type == Type::U4 ? Type::S4 : type; }

const WmmaShape* find_shape(const MatrixModifiers& m, Type element) {
  const auto* found = std::ranges::find_if(kWmmaShapes, [&](const WmmaShape& s) {
    return s.element == canonical(element) && s.m == m.m && s.n == m.n && s.k == m.k;
  });
  return found == std::end(kWmmaShapes) ? nullptr : found;
}
// Of sums, the element type says too little; all shapes of a size have the same fragments of c.
const WmmaShape* find_sums(const MatrixModifiers& m, Type sum) {
  const auto fits = [&](Type element) {
    if (sum == Type::F64) return element == Type::F64;
    if (sum == Type::S32) return element == Type::S8 || element == Type::S4 || element == Type::B1;
    if (sum == Type::F16) return element == Type::F16;
    return sum == Type::F32 && (element == Type::F16 || element == Type::BF16 || element == Type::TF32);
  };
  const auto* found = std::ranges::find_if(
      kWmmaShapes, [&](const WmmaShape& s) { return s.m == m.m && s.n == m.n && s.k == m.k && fits(s.element); });
  return found == std::end(kWmmaShapes) ? nullptr : found;
}

// A matrix of a wmma: blocks of the fragment of one mma.
struct WmmaMatrix {
  MatrixFragment block;  // of 16 or 8 lines
  unsigned blocks = 0;
  bool lines_contiguous = false;  // a line is contiguous in memory
  unsigned leading = 0;           // elements from one line in memory to the next, if the instruction does not say it
  [[nodiscard]] unsigned registers() const { return block.registers() * blocks; }
};

// In m8n32, the rows of b's transpose are the 16 lines of an mma's a.
bool swaps(const WmmaShape& s) { return s.m == 8 && s.n == 32; }

WmmaMatrix describe(const WmmaShape& s, MatrixUse use, Type type, bool column_major) {
  WmmaMatrix out;
  const unsigned width = bits(type), word = std::max(1u, 32 / width);
  if (use == MatrixUse::A || use == MatrixUse::B) {
    const bool a = use == MatrixUse::A;
    const unsigned lines = a ? s.m : s.n, block = a != swaps(s) ? s.mma_m : s.mma_n;
    out.block = {block, s.k, width, word};
    out.blocks = lines / block;
    out.lines_contiguous = a != column_major;
    out.leading = out.lines_contiguous ? s.k : lines;
    return out;
  }
  out.block = {s.mma_m, s.mma_n, width, 2};
  out.blocks = unsigned(s.m) * s.n / (unsigned(s.mma_m) * s.mma_n);
  out.lines_contiguous = swaps(s) == column_major;
  out.leading = column_major ? s.m : s.n;
  return out;
}

// Where a block's first line and position lie in the matrix. Blocks of c go along its positions in 16 x 16, else along
// its lines.
MatrixPlace block_place(const WmmaShape& s, const WmmaMatrix& m, MatrixUse use, unsigned block) {
  const bool sums = use == MatrixUse::C || use == MatrixUse::D;
  if (sums && s.m == 16 && s.n == 16) return {0, block * m.block.length};
  return {block * m.block.lines, 0};
}

class Expansion {
 public:
  Expansion(const Instruction& in, const Module& module, Function& function)
      : in_(in), module_(module), function_(function) {}

  std::vector<Instruction> run() {
    Instruction marker = in_;
    marker.origin = Origin::Expanded;
    marker.dst.clear(), marker.src.clear();
    marker.address.reset();
    out_.push_back(std::move(marker));
    const bool known = in_.op == Opcode::WmmaMma ? multiply() : move();
    return known ? std::move(out_) : std::vector<Instruction>{};
  }

 private:
  // ---- parts

  Operand make_register(Type type) {
    function_.registers.push_back({"%wmma" + std::to_string(function_.registers.size()), type});
    Operand o;
    o.kind = Operand::Kind::Register;
    o.id = RegisterId(function_.registers.size() - 1);
    return o;
  }
  static Operand number(uint64_t value) {
    Operand o;
    o.kind = Operand::Kind::Immediate;
    o.bits = value;
    return o;
  }
  Instruction& add(Opcode op, Type type, std::vector<Operand> dst, std::vector<Operand> src) {
    Instruction& part = out_.emplace_back();
    part.op = op;
    part.origin = Origin::Part;
    part.type = type;
    part.guard = in_.guard;
    part.place = in_.place;
    part.text_begin = in_.text_begin, part.text_length = in_.text_length;
    part.dst = std::move(dst), part.src = std::move(src);
    return part;
  }
  Operand compute(Opcode op, Type type, std::vector<Operand> src) {
    const Operand result = make_register(type);
    add(op, type, {result}, std::move(src));
    return result;
  }

  // ---- loads and stores

  [[nodiscard]] bool wide() const { return bits(pointer_) == 64; }
  // base + factor * bytes
  Operand address_plus(const Operand& base, const Operand& factor, const Operand& bytes) {
    const Operand result = make_register(pointer_);
    Instruction& mad = add(Opcode::Mad, Type::U32, {result}, {factor, bytes, base});
    mad.mods.part = wide() ? Part::Wide : Part::Lo;
    return result;
  }

  bool find_base() {
    if (!in_.address) return false;
    const Address& at = *in_.address;
    offset_ = at.offset;
    if (at.reg != kNone) {
      pointer_ = bits(function_.registers[at.reg].type) == 64 ? Type::U64 : Type::U32;
      base_.kind = Operand::Kind::Register, base_.id = at.reg;
      return true;
    }
    pointer_ = in_.mods.space == AddressSpace::Shared ? Type::U32 : Type::U64;
    Operand symbol = number(0);
    if (at.symbol != kNone) symbol.kind = Operand::Kind::Symbol, symbol.id = at.symbol;
    if (at.symbol != kNone && in_.mods.space == AddressSpace::Generic &&
        module_.symbols[at.symbol].space == AddressSpace::Shared)
      return false;  // a shared variable's address is no generic one
    base_ = compute(Opcode::Mov, pointer_, {symbol});
    return true;
  }

  // Bytes from one line in memory to the next.
  void find_stride(const Operand* elements, unsigned otherwise) {
    const unsigned width = matrix_.block.bits;
    if (!elements) return void(stride_ = number(uint64_t{otherwise} * width / 8));
    if (elements->kind == Operand::Kind::Immediate) {
      stride_ = number(elements->bits * width / 8);
      if (elements->bits % 2 != 0) stride_ = compute(Opcode::Mov, Type::U32, {stride_});  // for count_pairs()
      return;
    }
    stride_ = width >= 8 ? compute(Opcode::Mul, Type::U32, {*elements, number(width / 8)})
                         : compute(Opcode::Shr, Type::U32, {*elements, number(width == 4 ? 1 : 3)});
    if (width >= 8) out_.back().mods.part = Part::Lo;
  }

  bool move() {
    const bool loads = in_.op == Opcode::WmmaLoad;
    const MatrixModifiers& m = in_.mods.matrix;
    const bool sums = m.use == MatrixUse::C || m.use == MatrixUse::D;
    if (m.use == MatrixUse::None || loads == (m.use == MatrixUse::D) || !in_.mods.extra.empty()) return false;
    shape_ = sums ? find_sums(m, in_.type) : find_shape(m, in_.type);
    if (!shape_) return false;
    matrix_ = describe(*shape_, m.use, in_.type, m.a_column);
    if (bits(in_.type) < 8 && !sums && !matrix_.lines_contiguous) return false;
    const std::vector<Operand>& registers = loads ? in_.dst : in_.src;
    const size_t strides = in_.src.size() - (loads ? 0 : std::min(in_.src.size(), size_t{matrix_.registers()}));
    // Of halves, PTX has eight registers for any a and b: they repeat.
    const size_t given = registers.size() - (loads ? 0 : strides);
    const bool repeats = in_.type == Type::F16 && !sums && given == 8;
    if (strides > 1 || (given != matrix_.registers() && !repeats) || !find_base()) return false;
    find_stride(strides == 1 ? &in_.src.back() : nullptr, matrix_.leading);
    lane_ = make_register(Type::U32);
    Operand id;
    id.kind = Operand::Kind::Special, id.special = SpecialRegister::LaneId;
    add(Opcode::Mov, Type::U32, {lane_}, {id});
    quad_ = compute(Opcode::Shr, Type::U32, {lane_, number(2)});
    in_quad_ = compute(Opcode::And, Type::B32, {lane_, number(3)});
    const unsigned tiles = matrix_.block.tiles() * matrix_.blocks, each = matrix_.registers() / tiles;
    const bool rows = loads && !sums && in_.mods.space == AddressSpace::Shared &&
                      (bits(in_.type) == 16 || (bits(in_.type) == 8 && matrix_.lines_contiguous));
    // As ptxas does: up to 4 tiles of halves at once, 2 of bytes.
    const unsigned at_once = rows ? std::min(tiles, 32u / (bits(in_.type) == 16 ? 8 : 16)) : 1;
    for (unsigned tile = 0; tile < tiles; tile += at_once) {
      const auto to = std::span(registers).subspan(size_t{tile} * each, size_t{at_once} * each);
      rows ? load_tiles(tile, to) : move_tile(tile, to, loads);
    }
    for (size_t r = matrix_.registers(); r < given; ++r)
      add(Opcode::Mov, Type::B32, {registers[r]}, {registers[r % matrix_.registers()]});
    return true;
  }

  // One access to memory.
  void access(const Operand& base, uint64_t offset, std::span<const Operand> values, Type type, bool loads) {
    Instruction& part = add(loads ? Opcode::Ld : Opcode::St, type, {}, {});
    (loads ? part.dst : part.src).assign(values.begin(), values.end());
    part.mods.vector = uint8_t(values.size());
    part.mods.space = in_.mods.space;
    part.address = Address{base.id, kNone, offset_ + int64_t(offset)};
  }

  // Where an H200 accesses pairs of elements, of 16 bits always and of 32 where they are neighbours, it finds a line by
  // how many pairs a line has: an odd element is left out. So the distance of lines in `part` is rounded down
  // (Operand::bits), by which nothing changes for distances that CUDA allows.
  void count_pairs(Instruction& part, size_t source) const {
    const MatrixFragment& f = matrix_.block;
    const bool pairs = f.word == 2 && (f.bits == 16 || (f.bits == 32 && matrix_.lines_contiguous));
    Operand& stride = part.src[source];
    if (pairs && stride.kind == Operand::Kind::Register) stride.bits = f.bits / 4;
  }

  // The pointer of each lane to the word (down, along) of a tile: line `down` in memory, `along` contiguous words of
  // `bytes`, `lines` lines below the matrix's first.
  Operand pointer(const Operand& down, const Operand& along, unsigned bytes, unsigned lines) {
    const Operand line = address_plus(base_, down, stride_);
    count_pairs(out_.back(), 1);
    Operand at = address_plus(line, along, number(bytes));
    if (lines == 0) return at;
    at = address_plus(at, number(lines), stride_);
    // Sums of 16 x 16 go on by pairs, all else by elements.
    const bool sums = in_.mods.matrix.use == MatrixUse::C || in_.mods.matrix.use == MatrixUse::D;
    if (sums && shape_->m == 16 && shape_->n == 16) count_pairs(out_.back(), 1);
    return at;
  }

  // The first line and position of a tile in the matrix.
  [[nodiscard]] MatrixPlace tile_place(unsigned tile) const {
    const MatrixFragment& f = matrix_.block;
    const MatrixPlace first = block_place(*shape_, matrix_, in_.mods.matrix.use, tile / f.tiles());
    const unsigned down = f.lines / 8, in_block = tile % f.tiles();
    return {first.line + in_block % down * 8, first.position + in_block / down * 4 * f.word};
  }

  // ldmatrix of one tile a register: lane l gives the address of row l % 8 of tile l / 8. The places of tiles in memory
  // are sums of a part for each bit of their number.
  void load_tiles(unsigned tile, std::span<const Operand> registers) {
    const bool direct = matrix_.lines_contiguous;
    const unsigned bytes = matrix_.block.bits / 8;
    const auto in_memory = [&](const MatrixPlace& p) {  // lines in memory, and elements along one
      return direct ? p : MatrixPlace{p.position, p.line};
    };
    const MatrixPlace first = in_memory(tile_place(tile));
    Operand row = compute(Opcode::And, Type::B32, {lane_, number(7)}), along = number(0);
    for (unsigned bit = 1; bit < registers.size(); bit *= 2) {
      const MatrixPlace next = in_memory(tile_place(tile + bit));
      const Operand number_bit = compute(
          Opcode::And, Type::B32, {compute(Opcode::Shr, Type::U32, {lane_, number(bit == 1 ? 3 : 4)}), number(1)});
      const auto add_to = [&](const Operand& sum, unsigned amount) {
        if (amount == 0) return sum;
        const Operand more = compute(Opcode::Mad, Type::U32, {number_bit, number(amount), sum});
        out_.back().mods.part = Part::Lo;
        return more;
      };
      row = add_to(row, next.line - first.line);
      along = add_to(along, (next.position - first.position) * bytes);
    }
    Operand at = address_plus(base_, row, stride_);
    if (along.kind == Operand::Kind::Register) at = address_plus(at, along, number(1));
    if (first.line != 0) at = address_plus(at, number(first.line), stride_);
    Instruction& load = add(Opcode::Ldmatrix, Type::B16, {registers.begin(), registers.end()}, {});
    load.mods.sync = load.mods.aligned = true;
    load.mods.space = in_.mods.space;
    load.mods.matrix.m = load.mods.matrix.n = 8;
    load.mods.matrix.count = uint8_t(registers.size());
    load.mods.matrix.transposed = !direct;
    load.address = Address{at.id, kNone, offset_ + int64_t{first.position} * bytes};
  }

  void move_tile(unsigned tile, std::span<const Operand> registers, bool loads) {
    const MatrixFragment& f = matrix_.block;
    const auto [line, position] = tile_place(tile);
    const unsigned bytes = f.bits * f.word / 8;
    const Type whole = f.bits == 64 ? Type::B64 : Type::B32;
    if (matrix_.lines_contiguous)
      return access(pointer(quad_, in_quad_, bytes, line), uint64_t{position} * f.bits / 8, registers, whole, loads);
    const uint64_t offset = uint64_t{line} * f.bits / 8;
    if (f.bits == 16) {  // the transpose
      const Operand at = pointer(quad_, in_quad_, 4, position);
      const Operand moved = loads ? make_register(Type::B32) : compute(Opcode::Movmatrix, Type::B16, {registers[0]});
      if (!loads) function_.registers[moved.id].type = Type::B32, transposes(out_.back());
      access(at, offset, {&moved, 1}, Type::B32, loads);
      if (loads) transposes(add(Opcode::Movmatrix, Type::B16, {registers[0]}, {moved}));
      return;
    }
    // One element after another, each a line in memory below the one before.
    const Operand words = f.word == 1 ? in_quad_ : compute(Opcode::Mul, Type::U32, {in_quad_, number(f.word)});
    if (f.word != 1) out_.back().mods.part = Part::Lo;
    const Operand at = pointer(words, quad_, f.bits / 8, position);
    if (f.bits == 8) return load_bytes(at, offset, registers[0]);
    for (unsigned e = 0; e < f.word; ++e)
      access(e == 0 ? at : address_plus(at, number(e), stride_), offset, registers.subspan(e, 1), whole, loads);
  }
  static void transposes(Instruction& part) {
    part.mods.sync = part.mods.aligned = true;
    part.mods.extra = ".m8n8.trans";
  }

  void load_bytes(const Operand& first, uint64_t offset, const Operand& to) {
    Operand all;
    for (unsigned e = 0; e < 4; ++e) {
      const Operand byte = make_register(Type::U32);
      access(e == 0 ? first : address_plus(first, number(e), stride_), offset, {&byte, 1}, Type::U8, true);
      if (e == 0) {
        all = byte;
        continue;
      }
      const Operand moved = compute(Opcode::Shl, Type::B32, {byte, number(8 * e)});
      if (e < 3)
        all = compute(Opcode::Or, Type::B32, {all, moved});
      else
        add(Opcode::Or, Type::B32, {to}, {all, moved});
    }
  }

  // ---- products

  // {low, high} of each register
  std::vector<Operand> unpacked(std::span<const Operand> halves) {
    std::vector<Operand> out;
    for (const Operand& pair : halves) {
      const Operand low = make_register(Type::B16), high = make_register(Type::B16);
      add(Opcode::Mov, Type::B32, {low, high}, {pair});
      for (const Operand& half : {low, high}) {
        const Operand single = make_register(Type::F32);
        add(Opcode::Cvt, Type::F32, {single}, {half}).type2 = Type::F16;
        out.push_back(single);
      }
    }
    return out;
  }
  void pack(const Operand& to, const Operand& low, const Operand& high) {
    Operand halves[2];
    for (unsigned i = 0; i < 2; ++i) {
      halves[i] = make_register(Type::B16);
      Instruction& cvt = add(Opcode::Cvt, Type::F16, {halves[i]}, {i == 0 ? low : high});
      cvt.type2 = Type::F32;
      cvt.mods.rounding = Rounding::Rn;
    }
    add(Opcode::Mov, Type::B32, {to}, {halves[0], halves[1]});
  }

  bool multiply() {
    const MatrixModifiers& m = in_.mods.matrix;
    // Of halves, the types of d and c alone are written.
    const bool halves = in_.type3 == Type::None;
    const Type a_type = halves ? Type::F16 : in_.type2, b_type = halves ? Type::F16 : in_.type3;
    const Type d_type = in_.type, c_type = halves ? in_.type2 : m.c_type;
    shape_ = find_shape(m, a_type);
    if (!shape_ || canonical(b_type) != shape_->element || !in_.mods.extra.empty()) return false;
    const WmmaMatrix a = describe(*shape_, MatrixUse::A, a_type, false),
                     b = describe(*shape_, MatrixUse::B, b_type, false);
    const WmmaMatrix c = describe(*shape_, MatrixUse::C, c_type, false),
                     d = describe(*shape_, MatrixUse::D, d_type, false);
    const size_t a_given = a_type == Type::F16 ? 8 : a.registers(), b_given = a_type == Type::F16 ? 8 : b.registers();
    if (in_.dst.size() != d.registers() || in_.src.size() != a_given + b_given + c.registers()) return false;
    const std::span<const Operand> all(in_.src), to(in_.dst);
    const auto of_a = all.first(a.registers()), of_b = all.subspan(a_given, b.registers());
    const auto of_c = all.subspan(a_given + b_given, c.registers());
    const bool mixed = c_type != d_type, swap = swaps(*shape_);
    if (mixed && !halves) return false;
    // Results go to new registers: d may be c.
    std::vector<std::vector<Operand>> results;
    const Type sum = mixed ? Type::F32 : d_type;
    for (unsigned block = 0; block < c.blocks; ++block) {
      // The blocks of the operand of 16 lines, and of that of 8, where a has as many as c, else the only one.
      const WmmaMatrix &x = swap ? b : a, &y = swap ? a : b;
      const auto x_all = swap ? of_b : of_a, y_all = swap ? of_a : of_b;
      const auto part = [&](const WmmaMatrix& w, std::span<const Operand> from, unsigned i) {
        return from.subspan(size_t{w.blocks == 1 ? 0 : i} * w.block.registers(), w.block.registers());
      };
      const std::span<const Operand> x_block = part(x, x_all, block), y_block = part(y, y_all, block);
      const auto before = part(c, of_c, block);
      std::vector<Operand> sums =
          mixed && c_type == Type::F16 ? unpacked(before) : std::vector<Operand>(before.begin(), before.end());
      const unsigned count = MatrixFragment{c.block.lines, c.block.length, bits(sum), 2}.registers();
      const unsigned steps = shape_->k / shape_->mma_k;
      for (unsigned step = 0; step < steps; ++step) {
        const size_t x_each = x_block.size() / steps, y_each = y_block.size() / steps;
        std::vector<Operand> sources;
        for (const auto list : {x_block.subspan(step * x_each, x_each), y_block.subspan(step * y_each, y_each)})
          sources.insert(sources.end(), list.begin(), list.end());
        sources.insert(sources.end(), sums.begin(), sums.end());
        sums.clear();
        for (unsigned i = 0; i < count; ++i) sums.push_back(make_register(sum == Type::F64 ? Type::B64 : Type::B32));
        Instruction& mma = add(Opcode::Mma, sum, sums, std::move(sources));
        mma.type2 = swap ? b_type : a_type, mma.type3 = swap ? a_type : b_type;
        mma.mods.sync = mma.mods.aligned = true;
        mma.mods.sat = in_.mods.sat, mma.mods.satfinite = in_.mods.satfinite;
        mma.mods.rounding = in_.mods.rounding;
        mma.mods.matrix = {shape_->mma_m, shape_->mma_n, shape_->mma_k, false, true};
        mma.mods.matrix.c_type = sum;
        mma.mods.matrix.bits = m.bits;
        if (!known_matrix(mma)) return false;
      }
      results.push_back(std::move(sums));
    }
    for (unsigned block = 0; block < c.blocks; ++block) {
      const auto target = to.subspan(size_t{block} * d.block.registers(), d.block.registers());
      for (size_t r = 0; r < target.size(); ++r) {
        if (mixed && d_type == Type::F16)
          pack(target[r], results[block][2 * r], results[block][2 * r + 1]);
        else
          add(Opcode::Mov, d_type == Type::F64 ? Type::B64 : Type::B32, {target[r]}, {results[block][r]});
      }
    }
    return true;
  }

  const Instruction& in_;
  const Module& module_;
  Function& function_;
  std::vector<Instruction> out_;
  const WmmaShape* shape_ = nullptr;
  WmmaMatrix matrix_;
  Type pointer_ = Type::U64;
  int64_t offset_ = 0;
  Operand base_, stride_, lane_, quad_, in_quad_;
};

}  // namespace

bool is_wmma(Opcode op) { return op == Opcode::WmmaLoad || op == Opcode::WmmaStore || op == Opcode::WmmaMma; }

std::vector<Instruction> expand_wmma(const Instruction& in, const Module& module, Function& function) {
  return Expansion(in, module, function).run();
}

}  // namespace drywarp::ir
