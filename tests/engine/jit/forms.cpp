#include "form.h"

namespace drywarp::jit::test {
namespace {

using Words = std::vector<std::string>;

const Words kIntegers = {"u16", "s16", "u32", "s32", "u64", "s64"};
const Words kRoundings = {"", ".rn", ".rz", ".rm", ".rp"};

std::string kind_of(const std::string& type) {
  if (type == "pred") return "p";
  if (type == "f32") return "f";
  if (type == "f64") return "d";
  if (type.ends_with("x2")) return type.starts_with("f32") ? "l" : type.starts_with("e") ? "h" : "r";
  if (type.ends_with("64")) return "l";
  if (type.ends_with("32")) return "r";
  if (type.ends_with("16")) return "h";
  return "h";  // 8 bits live in 16
}

// `count` operands of one kind.
std::string operands(const std::string& kind, unsigned count) {
  std::string text = kind + " =";
  for (unsigned i = 0; i < count; ++i) text += " " + kind;
  return text;
}

void each(std::vector<Form>& forms, const Words& opcodes, const Words& types, unsigned sources) {
  for (const auto& opcode : opcodes)
    for (const auto& type : types) forms.push_back({opcode + "." + type, operands(kind_of(type), sources)});
}

}  // namespace

std::vector<Form> integer_forms() {
  std::vector<Form> f;
  each(f, {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"}, kIntegers, 2);
  each(f, {"add.sat", "sub.sat"}, {"s32"}, 2);
  each(f, {"mad.lo", "mad.hi", "sad"}, kIntegers, 3);
  each(f, {"mad.hi.sat"}, {"s32"}, 3);
  each(f, {"abs", "neg"}, {"s16", "s32", "s64"}, 1);
  each(f, {"add", "sub", "min", "max"}, {"u16x2", "s16x2"}, 2);
  each(f, {"min.relu", "max.relu"}, {"s16x2", "s32"}, 2);
  each(f, {"add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc"}, {"u32", "s32", "u64", "s64"}, 2);
  each(f, {"mad.lo.cc", "mad.hi.cc", "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc"}, {"u32", "s32", "u64", "s64"},
       3);
  each(f, {"mul24.lo", "mul24.hi"}, {"u32", "s32"}, 2);
  each(f, {"mad24.lo", "mad24.hi"}, {"u32", "s32"}, 3);
  each(f, {"mad24.hi.sat"}, {"s32"}, 3);
  for (const Words& w : {Words{"u16", "r", "h"}, {"s16", "r", "h"}, {"u32", "l", "r"}, {"s32", "l", "r"}}) {
    f.push_back({"mul.wide." + w[0], w[1] + " = " + w[2] + " " + w[2]});
    f.push_back({"mad.wide." + w[0], w[1] + " = " + w[2] + " " + w[2] + " " + w[1]});
  }
  for (const char* a : {"u32", "s32"})
    for (const char* b : {"u32", "s32"}) {
      f.push_back({std::string("dp4a.") + a + "." + b, "r = r r r"});
      for (const char* part : {"lo", "hi"}) f.push_back({std::string("dp2a.") + part + "." + a + "." + b, "r = r r r"});
    }
  for (const char* divisor : {"3", "7", "1", "16", "1000"})
    for (const char* type : {"u32", "s32", "u64", "s64", "u16", "s16"})
      for (const char* opcode : {"div.", "rem."})
        f.push_back({std::string(opcode) + type, kind_of(type) + " = " + kind_of(type) + " " + divisor});

  each(f, {"and", "or", "xor"}, {"pred", "b16", "b32", "b64"}, 2);
  each(f, {"not"}, {"pred", "b16", "b32", "b64"}, 1);
  each(f, {"cnot"}, {"b16", "b32", "b64"}, 1);
  for (unsigned table = 0; table < 256; ++table) f.push_back({"lop3.b32", "r = r r r " + std::to_string(table)});
  for (const char* op : {"or", "and"}) f.push_back({std::string("lop3.") + op + ".b32", "r p = r r r 150 p"});
  for (const char* type : {"b16", "b32", "b64"})
    f.push_back({std::string("shl.") + type, kind_of(type) + " = " + kind_of(type) + " r"});
  for (const char* type : {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"}) {
    f.push_back({std::string("shr.") + type, kind_of(type) + " = " + kind_of(type) + " r"});
    f.push_back({std::string("shr.") + type, kind_of(type) + " = " + kind_of(type) + " 40"});
  }
  for (const char* side : {"l", "r"})
    for (const char* mode : {"clamp", "wrap"})
      f.push_back({std::string("shf.") + side + "." + mode + ".b32", "r = r r r"});

  for (const char* opcode : {"popc", "clz"}) {
    f.push_back({std::string(opcode) + ".b32", "r = r"});
    f.push_back({std::string(opcode) + ".b64", "r = l"});
  }
  for (const char* type : {"u32", "s32", "u64", "s64"}) {
    std::string k = kind_of(type);
    f.push_back({std::string("bfind.") + type, "r = " + k});
    f.push_back({std::string("bfind.shiftamt.") + type, "r = " + k});
    f.push_back({std::string("bfe.") + type, k + " = " + k + " r r"});
    f.push_back({std::string("bfe.") + type, k + " = " + k + " 5 9"});
  }
  for (const char* type : {"b32", "b64"}) {
    std::string k = kind_of(type);
    f.push_back({std::string("brev.") + type, k + " = " + k});
    f.push_back({std::string("bfi.") + type, k + " = " + k + " " + k + " r r"});
    f.push_back({std::string("bfi.") + type, k + " = " + k + " " + k + " 12 20"});
  }
  f.push_back({"fns.b32", "r = r r r"});
  for (const char* mode : {"clamp", "wrap"}) {
    f.push_back({std::string("bmsk.") + mode + ".b32", "r = r r"});
    for (const char* type : {"u32", "s32"}) f.push_back({std::string("szext.") + mode + "." + type, "r = r r"});
  }
  for (const char* mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"}) {
    f.push_back({std::string("prmt.b32") + mode, "r = r r r"});
    for (const char* selector : {"0", "1", "2", "3"})
      f.push_back({std::string("prmt.b32") + mode, "r = r r " + std::string(selector)});
  }
  for (const char* selector : {"0x3210", "0x0123", "0x7654", "0xba98", "0x5410", "0xf4d2"})
    f.push_back({"prmt.b32", "r = r r " + std::string(selector)});
  return f;
}

std::vector<Form> float_forms() {
  std::vector<Form> f;
  for (const auto& r : kRoundings) {
    for (const char* tail : {"", ".ftz", ".sat", ".ftz.sat"}) {
      for (const char* op : {"add", "sub", "mul"}) f.push_back({op + r + tail + ".f32", "f = f f"});
      if (!r.empty()) f.push_back({"fma" + r + tail + ".f32", "f = f f f"});
      if (!r.empty()) f.push_back({"mad" + r + tail + ".f32", "f = f f f"});
    }
    for (const char* op : {"add", "sub", "mul"}) f.push_back({op + r + ".f64", "d = d d"});
    if (r.empty()) continue;
    f.push_back({"fma" + r + ".f64", "d = d d d"});
    for (const char* tail : {"", ".ftz"}) {
      f.push_back({"div" + r + tail + ".f32", "f = f f"});
      f.push_back({"rcp" + r + tail + ".f32", "f = f"});
      f.push_back({"sqrt" + r + tail + ".f32", "f = f"});
      for (const char* op : {"add", "sub", "mul"}) f.push_back({op + r + tail + ".f32x2", "l = l l"});
      f.push_back({"fma" + r + tail + ".f32x2", "l = l l l"});
    }
    f.push_back({"div" + r + ".f64", "d = d d"});
    f.push_back({"rcp" + r + ".f64", "d = d"});
    f.push_back({"sqrt" + r + ".f64", "d = d"});
    for (const char* half : {"f16", "bf16"}) {
      for (const char* sat : {"", ".sat"}) {
        f.push_back({"add" + r + sat + ".f32." + half, "f = h f"});
        f.push_back({"sub" + r + sat + ".f32." + half, "f = h f"});
        f.push_back({"fma" + r + sat + ".f32." + half, "f = h h f"});
      }
    }
  }
  for (const char* tail : {"", ".ftz"}) {
    for (const char* op : {"abs", "neg"}) f.push_back({std::string(op) + tail + ".f32", "f = f"});
    for (const char* op : {"min", "max"}) {
      for (const char* nan : {"", ".NaN"}) {
        f.push_back({std::string(op) + tail + nan + ".f32", "f = f f"});
        f.push_back({std::string(op) + tail + nan + ".f32", "f = f f f"});
        f.push_back({std::string(op) + tail + nan + ".xorsign.abs.f32", "f = f f"});
        f.push_back({std::string(op) + tail + nan + ".abs.f32", "f = f f f"});
        for (const char* constant : {"0f00000000", "0f80000000", "0f3f800000"})
          f.push_back({std::string(op) + tail + nan + ".f32", std::string("f = f ") + constant});
      }
    }
  }
  for (const char* op : {"abs", "neg"}) f.push_back({std::string(op) + ".f64", "d = d"});
  for (const char* op : {"min", "max"}) f.push_back({std::string(op) + ".f64", "d = d d"});
  f.push_back({"copysign.f32", "f = f f"});
  f.push_back({"copysign.f64", "d = d d"});
  return f;
}

std::vector<Form> half_forms() {
  std::vector<Form> f;
  for (const char* type : {"f16", "f16x2", "bf16", "bf16x2"}) {
    std::string k = kind_of(type), t = std::string(".") + type;
    bool bf16 = t.starts_with(".bf");
    Words tails = bf16 ? Words{""} : Words{"", ".ftz", ".sat", ".ftz.sat"};
    for (const auto& tail : tails) {
      for (const char* op : {"add", "sub", "mul"})
        for (const char* r : {"", ".rn"}) f.push_back({op + std::string(r) + tail + t, operands(k, 2)});
      f.push_back({"fma.rn" + tail + t, operands(k, 3)});
    }
    f.push_back({"fma.rn.relu" + t, operands(k, 3)});
    if (!bf16) f.push_back({"fma.rn.ftz.relu" + t, operands(k, 3)});
    for (const auto& tail : bf16 ? Words{""} : Words{"", ".ftz"}) {
      for (const char* op : {"abs", "neg"}) f.push_back({op + tail + t, operands(k, 1)});
      for (const char* op : {"min", "max"})
        for (const char* more : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
          f.push_back({op + tail + more + t, operands(k, 2)});
    }
  }
  return f;
}

std::vector<Form> compare_forms() {
  std::vector<Form> f;
  const Words of_int = {"eq", "ne", "lt", "le", "gt", "ge"}, of_unsigned = {"lo", "ls", "hi", "hs"},
              of_float = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  auto set_forms = [&](const std::string& how, const std::string& type, const Words& destinations) {
    std::string k = kind_of(type);
    f.push_back({"setp." + how + "." + type, "p = " + k + " " + k});
    f.push_back({"setp." + how + "." + type, "p p = " + k + " " + k});
    for (const char* op : {"and", "or", "xor"})
      f.push_back({"setp." + how + "." + op + "." + type, "p p = " + k + " " + k + " p"});
    f.push_back({"setp." + how + ".and." + type, "p = " + k + " " + k + " !p"});
    for (const auto& d : destinations) {
      f.push_back({"set." + how + "." + d + "." + type, kind_of(d) + " = " + k + " " + k});
      f.push_back({"set." + how + ".xor." + d + "." + type, kind_of(d) + " = " + k + " " + k + " !p"});
    }
  };
  for (const auto& type : kIntegers) {
    for (const auto& how : of_int) set_forms(how, type, {"u32", "s32", "f32"});
    if (type[0] == 'u')
      for (const auto& how : of_unsigned) set_forms(how, type, {"u32"});
  }
  for (const char* type : {"b16", "b32", "b64"})
    for (const char* how : {"eq", "ne"}) set_forms(how, type, {"u32"});
  for (const auto& how : of_float) {
    set_forms(how, "f32", {"u32", "s32", "f32"});
    set_forms(how + ".ftz", "f32", {});
    set_forms(how, "f64", {"u32", "f32"});
    set_forms(how, "f16", {"f16", "bf16", "u16", "s16", "u32"});
    set_forms(how, "bf16", {"u32", "bf16"});
    set_forms(how, "f16x2", {"f16x2", "u32"});
    set_forms(how, "bf16x2", {"bf16x2", "s32"});
  }
  for (const char* type : {"b16", "b32", "b64", "u16", "s32", "u64", "f32", "f64"}) {
    std::string k = kind_of(type);
    f.push_back({std::string("selp.") + type, k + " = " + k + " " + k + " p"});
    f.push_back({std::string("slct.") + type + ".s32", k + " = " + k + " " + k + " r"});
    f.push_back({std::string("slct.") + type + ".f32", k + " = " + k + " " + k + " f"});
    f.push_back({std::string("slct.ftz.") + type + ".f32", k + " = " + k + " " + k + " f"});
  }
  for (const char* what : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
    f.push_back({std::string("testp.") + what + ".f32", "p = f"});
    f.push_back({std::string("testp.") + what + ".f64", "p = d"});
  }
  return f;
}

std::vector<Form> convert_forms() {
  std::vector<Form> f;
  const Words ints = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}, floats = {"f16", "bf16", "f32", "f64"};
  auto cvt = [&](const std::string& mods, const std::string& to, const std::string& from) {
    f.push_back({"cvt" + mods + "." + to + "." + from, kind_of(to) + " = " + kind_of(from)});
  };
  for (const auto& to : ints) {
    for (const auto& from : ints)
      for (const char* sat : {"", ".sat"}) cvt(sat, to, from);
    for (const auto& from : floats)
      for (const char* r : {".rni", ".rzi", ".rmi", ".rpi"}) {
        cvt(r, to, from);
        if (from == "f32") cvt(std::string(r) + ".ftz", to, from), cvt(std::string(r) + ".sat", to, from);
      }
    // A narrow result in a wide register is extended.
    if (to == "u8" || to == "s8" || to == "s16") f.push_back({"cvt." + to + ".s32", "r = r"});
  }
  for (const auto& to : floats)
    for (const auto& from : ints)
      for (const char* r : {".rn", ".rz", ".rm", ".rp"}) {
        cvt(r, to, from);
        if (to == "f32") cvt(std::string(r) + ".sat", to, from);
      }
  for (const char* r : {".rn", ".rz", ".rm", ".rp"}) {
    for (const char* tail : {"", ".ftz", ".sat", ".ftz.sat"}) cvt(std::string(r) + tail, "f32", "f64");
    cvt(r, "f16", "f32");
    cvt(r, "f16", "f64");
    cvt(r, "bf16", "f64");
    cvt(r, "bf16", "f32");
    cvt(r, "bf16", "f16");
    cvt(r, "f16", "bf16");
  }
  for (const char* from : {"f16", "bf16"})
    for (const char* to : {"f32", "f64"}) cvt("", to, from);
  cvt("", "f64", "f32");
  cvt(".ftz", "f64", "f32");
  cvt(".sat", "f64", "f32");
  for (const char* r : {"", ".rni", ".rzi", ".rmi", ".rpi"}) {
    for (const char* tail : {"", ".ftz", ".sat", ".ftz.sat"}) cvt(std::string(r) + tail, "f32", "f32");
    cvt(r, "f64", "f64");
    if (*r) cvt(r, "f16", "f16"), cvt(r, "bf16", "bf16");
  }
  for (const char* r : {".rn", ".rz"})
    for (const char* more : {"", ".relu", ".satfinite", ".relu.satfinite"})
      for (const char* type : {"f16", "bf16"}) {
        cvt(std::string(r) + more, type, "f32");
        f.push_back({"cvt" + std::string(r) + more + "." + type + "x2.f32", "r = f f"});
        f.push_back({"cvt" + std::string(r) + more + ".tf32.f32", "r = f"});
      }
  f.push_back({"cvt.rna.tf32.f32", "r = f"});
  f.push_back({"cvt.rna.satfinite.tf32.f32", "r = f"});
  for (const char* type : {"e4m3x2", "e5m2x2"})
    for (const char* relu : {"", ".relu"}) {
      f.push_back({std::string("cvt.rn.satfinite") + relu + "." + type + ".f32", "h = f f"});
      f.push_back({std::string("cvt.rn.satfinite") + relu + "." + type + ".f16x2", "h = r"});
      f.push_back({std::string("cvt.rn") + relu + ".f16x2." + type, "r = h"});
    }
  for (const char* to : {"u16", "s16"}) f.push_back({std::string("cvt.pack.sat.") + to + ".s32", "r = r r"});
  for (const char* to : {"u8", "s8", "u4", "s4", "u2", "s2"})
    f.push_back({std::string("cvt.pack.sat.") + to + ".s32.b32", "r = r r r"});
  return f;
}

std::vector<Form> video_forms() {
  std::vector<Form> f;
  const Words types = {"u32", "s32"};
  for (const char* op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
    for (const auto& d : types)
      for (const auto& a : types)
        for (const auto& b : types)
          for (const char* sat : {"", ".sat"}) {
            std::string name = std::string(op) + "." + d + "." + a + "." + b + sat;
            f.push_back({name, "r = r r"});
            f.push_back({name, "r = r.b3 r.h1"});
            f.push_back({name, "r.b2 = r.b0 r.b1 r"});
            f.push_back({name, "r.h1 = r r.h0 r"});
            for (const char* second : {".add", ".min", ".max"}) f.push_back({name + second, "r = r.h1 r.b2 r"});
            for (const char* lanes : {"2", "4"}) {
              std::string packed = std::string(op) + lanes + "." + d + "." + a + "." + b;
              f.push_back({packed + sat, "r = r r r"});
              // Some lanes of the result, from chosen lanes of both sources: 4 and up are the second's.
              if (*lanes == '2') f.push_back({packed + sat, "r.h0 = r.h32 r.h10 r"});
              if (*lanes == '2') f.push_back({packed + sat, "r.h1 = r.h03 r.h21 r"});
              if (*lanes == '4') f.push_back({packed + sat, "r.b31 = r.b4567 r.b0246 r"});
              if (*lanes == '4') f.push_back({packed + sat, "r.b0 = r.b7700 r.b1357 r"});
              if (!*sat) f.push_back({packed + ".add", "r = r r r"});
              if (!*sat && *lanes == '4') f.push_back({packed + ".add", "r.b21 = r.b3210 r.b7654 r"});
            }
          }
  for (const auto& a : types)
    for (const auto& b : types) {
      f.push_back({"vavrg2.s32." + a + "." + b, "r = r r r"});
      f.push_back({"vavrg4.u32." + a + "." + b + ".add", "r = r r r"});
      f.push_back({"vavrg4.s32." + a + "." + b, "r = r r r"});
      for (const auto& d : types) {
        f.push_back({"vavrg2." + d + "." + a + "." + b + ".sat", "r.h1 = r.h12 r.h30 r"});
        f.push_back({"vavrg4." + d + "." + a + "." + b + ".sat", "r.b20 = r.b0472 r.b6531 r"});
        f.push_back({"vavrg2." + d + "." + a + "." + b + ".add", "r = r r r"});
      }
      f.push_back({"vabsdiff4.u32." + a + "." + b, "r.b320 = r.b7610 r.b0123 r"});
      f.push_back({"vadd2.s32." + a + "." + b + ".sat", "r.h1 = r.h31 r.h02 r"});
      for (const char* how : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        f.push_back({"vset." + a + "." + b + "." + how, "r = r r"});
        f.push_back({"vset." + a + "." + b + "." + how, "r.h1 = r.b0 r.h1 r"});
        for (const char* second : {".add", ".min", ".max"})
          f.push_back({"vset." + a + "." + b + "." + how + second, "r = r r.b3 r"});
        f.push_back({"vset2." + a + "." + b + "." + how, "r.h1 = r.h20 r.h13 r"});
        f.push_back({"vset2." + a + "." + b + "." + how + ".add", "r.h0 = r r r"});
        f.push_back({"vset4." + a + "." + b + "." + how, "r.b302 = r.b7531 r.b6420 r"});
        f.push_back({"vset2." + a + "." + b + "." + how, "r = r r r"});
        f.push_back({"vset4." + a + "." + b + "." + how + ".add", "r = r r r"});
      }
      for (const char* scale : {"", ".shr7", ".shr15"})
        for (const char* sat : {"", ".sat"}) {
          std::string tail = "." + a + "." + b + sat + scale;
          f.push_back({"vmad.s32" + tail, "r = r r r"});
          f.push_back({"vmad.u32" + tail, "r = -r r.h1 r"});
          f.push_back({"vmad.s32" + tail, "r = r.b3 r -r"});
          f.push_back({"vmad.u32.u32.u32.po" + std::string(sat) + scale, "r = r r r"});
        }
    }
  for (const char* op : {"vshl", "vshr"})
    for (const auto& d : types)
      for (const auto& a : types)
        for (const char* sat : {"", ".sat"})
          for (const char* mode : {".clamp", ".wrap"}) {
            f.push_back({std::string(op) + "." + d + "." + a + ".u32" + sat + mode, "r = r r"});
            f.push_back({std::string(op) + "." + d + "." + a + ".u32" + sat + mode, "r.b1 = r.h1 r.b2 r"});
            for (const char* second : {".add", ".min", ".max"})
              f.push_back({std::string(op) + "." + d + "." + a + ".u32" + sat + mode + second, "r = r.h0 r.b3 r"});
          }
  return f;
}

std::vector<Form> exchange_forms() {
  std::vector<Form> f;
  for (const char* mode : {"up", "down", "bfly", "idx"}) {
    f.push_back({std::string("shfl.sync.") + mode + ".b32", "r p = r r r 0xffffffff"});
    for (const char* clamp : {"0", "0x1f", "0x181f", "0x1c1f", "0x1e03"})
      for (const char* by : {"0", "1", "5", "16", "31"})
        f.push_back(
            {std::string("shfl.sync.") + mode + ".b32", std::string("r p = r ") + by + " " + clamp + " 0xffffffff"});
    f.push_back({std::string("shfl.") + mode + ".b32", "r = r 1 0x1f"});
  }
  f.push_back({"movmatrix.sync.aligned.m8n8.trans.b16", "r = r"});
  for (const char* mode : {"all", "any", "uni"}) {
    f.push_back({std::string("vote.sync.") + mode + ".pred", "p = p 0xffffffff"});
    f.push_back({std::string("vote.sync.") + mode + ".pred", "p = !p 0x0ffffff0"});
    f.push_back({std::string("vote.") + mode + ".pred", "p = p"});
  }
  f.push_back({"vote.sync.ballot.b32", "r = p 0xffffffff"});
  f.push_back({"vote.sync.ballot.b32", "r = !p 0xff00ff00"});
  for (const char* type : {"b32", "b64"}) {
    std::string k = kind_of(type);
    f.push_back({std::string("match.any.sync.") + type, "r = " + k + " 0xffffffff"});
    f.push_back({std::string("match.all.sync.") + type, "r p = " + k + " 0xffffffff"});
  }
  for (const char* mask : {"0xffffffff", "0xff000000", "0x00f0f0f0"})
    f.push_back({"elect.sync", std::string("r p = ") + mask});
  for (const char* op : {"add", "min", "max"})
    for (const char* type : {"u32", "s32"})
      f.push_back({std::string("redux.sync.") + op + "." + type, "r = r 0xffffffff"});
  for (const char* op : {"and", "or", "xor"})
    f.push_back({std::string("redux.sync.") + op + ".b32", "r = r 0xffffffff"});
  for (const char* op : {"min", "max"})
    for (const char* more : {"", ".abs", ".NaN", ".abs.NaN"})
      f.push_back({std::string("redux.sync.") + op + more + ".f32", "f = f 0xffffffff"});
  return f;
}

}  // namespace drywarp::jit::test
