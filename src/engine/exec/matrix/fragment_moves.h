// Moves the elements of fragments between registers and arrays by columns or lines: what matrix_place() says, without
// asking it for each element. Not for the m8n8k4 of halves.
#pragma once

#include <cstdint>

#include "language/ir/matrix_shapes.h"

namespace drywarp::exec {

inline constexpr unsigned kFragmentRows = 16;
// A position of all lines of a fragment. Of 8 lines, the upper half is not touched. The wide one is for f64.
using FragmentColumn = uint32_t[kFragmentRows];
using FragmentColumn64 = uint64_t[kFragmentRows];

// Element (line, position) to columns[position][line], as the bits of its format.
void read_columns(const ir::MatrixFragment& fragment, const void* registers, FragmentColumn* columns);
void read_columns(const ir::MatrixFragment& fragment, const void* registers, FragmentColumn64* columns);
void write_columns(const ir::MatrixFragment& fragment, const FragmentColumn* columns, void* registers);
void write_columns(const ir::MatrixFragment& fragment, const FragmentColumn64* columns, void* registers);
// Element (line, position) of 8 lines to lines[line * stride + position].
void read_lines(const ir::MatrixFragment& fragment, const void* registers, uint32_t* lines, unsigned stride);
void read_lines(const ir::MatrixFragment& fragment, const void* registers, uint64_t* lines, unsigned stride);

}  // namespace drywarp::exec
