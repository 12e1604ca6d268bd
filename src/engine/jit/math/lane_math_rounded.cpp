// libdevice's operations and conversions with a rounding mode in their names: __nv_fadd_rz, __nv_double2int_rn.
#include <cmath>

#include "engine/jit/math/lane_math_table.h"

namespace drywarp::jit {
namespace {

using F = float;
using D = double;
using I = int32_t;
using U = uint32_t;
using L = int64_t;
using UL = uint64_t;

#define DW_ROUNDED(r, m)                                                                           \
  directed_entry<m>("__nv_fadd_" r, [](F a, F b) { return a + b; }),                               \
      directed_entry<m>("__nv_fsub_" r, [](F a, F b) { return a - b; }),                           \
      directed_entry<m>("__nv_fmul_" r, [](F a, F b) { return a * b; }),                           \
      directed_entry<m>("__nv_fmaf_" r, [](F a, F b, F c) { return std::fma(a, b, c); }),          \
      directed_entry<m>("__nv_fmaf_ieee_" r, [](F a, F b, F c) { return std::fma(a, b, c); }),     \
      directed_entry<m>("__nv_fdiv_" r, [](F a, F b) { return a / b; }),                           \
      directed_entry<m>("__nv_frcp_" r, [](F a) { return 1.0f / a; }),                             \
      directed_entry<m>("__nv_fsqrt_" r, [](F a) { return std::sqrt(a); }),                        \
      directed_entry<m>("__nv_dadd_" r, [](D a, D b) { return a + b; }),                           \
      directed_entry<m>("__nv_dsub_" r, [](D a, D b) { return a - b; }),                           \
      directed_entry<m>("__nv_dmul_" r, [](D a, D b) { return a * b; }),                           \
      directed_entry<m>("__nv_fma_" r, [](D a, D b, D c) { return std::fma(a, b, c); }),           \
      directed_entry<m>("__nv_ddiv_" r, [](D a, D b) { return a / b; }),                           \
      directed_entry<m>("__nv_drcp_" r, [](D a) { return 1.0 / a; }),                              \
      directed_entry<m>("__nv_dsqrt_" r, [](D a) { return std::sqrt(a); }),                        \
      lane_entry("__nv_double2float_" r, [](D a) { return rounded<F>(static_cast<Quad>(a), m); }), \
      lane_entry("__nv_double2int_" r, [](D a) { return to_int<I>(a, m); }),                       \
      lane_entry("__nv_double2uint_" r, [](D a) { return to_int<U>(a, m); }),                      \
      lane_entry("__nv_double2ll_" r, [](D a) { return to_int<L>(a, m); }),                        \
      lane_entry("__nv_double2ull_" r, [](D a) { return to_int<UL>(a, m); }),                      \
      lane_entry("__nv_float2int_" r, [](F a) { return to_int<I>(a, m); }),                        \
      lane_entry("__nv_float2uint_" r, [](F a) { return to_int<U>(a, m); }),                       \
      lane_entry("__nv_float2ll_" r, [](F a) { return to_int<L>(a, m); }),                         \
      lane_entry("__nv_float2ull_" r, [](F a) { return to_int<UL>(a, m); }),                       \
      lane_entry("__nv_int2float_" r, [](I a) { return rounded<F>(static_cast<Quad>(a), m); }),    \
      lane_entry("__nv_uint2float_" r, [](U a) { return rounded<F>(static_cast<Quad>(a), m); }),   \
      lane_entry("__nv_ll2float_" r, [](L a) { return rounded<F>(static_cast<Quad>(a), m); }),     \
      lane_entry("__nv_ull2float_" r, [](UL a) { return rounded<F>(static_cast<Quad>(a), m); }),   \
      lane_entry("__nv_ll2double_" r, [](L a) { return rounded<D>(static_cast<Quad>(a), m); }),    \
      lane_entry("__nv_ull2double_" r, [](UL a) { return rounded<D>(static_cast<Quad>(a), m); })

constexpr LaneEntry kRoundedFunctions[] = {
    DW_ROUNDED("rn", Towards::Nearest),
    DW_ROUNDED("rz", Towards::Zero),
    DW_ROUNDED("rd", Towards::Down),
    DW_ROUNDED("ru", Towards::Up),
    lane_entry("__nv_int2double_rn", [](I a) { return static_cast<D>(a); }),
    lane_entry("__nv_uint2double_rn", [](U a) { return static_cast<D>(a); }),
    lane_entry("__nv_llrintf", [](F a) { return to_int<L>(a, Towards::Nearest); }),
    lane_entry("__nv_llrint", [](D a) { return to_int<L>(a, Towards::Nearest); }),
    lane_entry("__nv_llroundf", [](F a) { return to_int<L>(std::round(a), Towards::Zero); }),
    lane_entry("__nv_llround", [](D a) { return to_int<L>(std::round(a), Towards::Zero); }),
    lane_entry("__nv_frsqrt_rn", [](F a) { return static_cast<F>(1.0L / sqrtl(a)); }),
    lane_entry("__nv_rcp64h", [](D a) { return upper_half(1.0 / upper_half(a)); }),
};

}  // namespace

std::span<const LaneEntry> rounded_lane_functions() { return kRoundedFunctions; }

}  // namespace drywarp::jit
