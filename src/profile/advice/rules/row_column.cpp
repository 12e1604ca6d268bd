// threadIdx.x walks down a column: neighbouring threads are a row apart, and each touches a line of its own.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

using metrics::AccessKind;

constexpr double kColumnExcess = 50;  // percent of a site's sectors

// A coalesced access of the other kind, as often: the kernel transposes.
std::optional<AccessSite> find_partner(const Facts& facts, const AccessSite& site) {
  const AccessKind other = site.kind == AccessKind::Load ? AccessKind::Store : AccessKind::Load;
  for (AccessSite& s : access_sites(facts, Memory::Global))
    if (s.kind == other && s.bytes() == site.bytes() && s.sums.requests == site.sums.requests &&
        layout_of(facts, s).pattern == LanePattern::Contiguous)
      return std::move(s);
  return std::nullopt;
}

// Corner turning: rows into a tile, columns out of it.
void transpose_through_tile(const Facts& facts, const AccessSite& site, const AccessSite& partner, Finding& out) {
  const bool loads = site.kind == AccessKind::Load;
  const AccessSite &load = loads ? site : partner, &store = loads ? partner : site;
  out.headline = fmt::format("transpose {} through a tile in shared memory", name_of(facts, site));
  out.cure = fmt::format(
      "Corner turning: {} and {} cannot both run along rows. Load a tile along the rows of {}, and store it along the "
      "rows of {}; the tile's columns are read in shared memory, where that costs nothing if its rows are padded.",
      name_of(facts, load), name_of(facts, store), name_of(facts, load), name_of(facts, store));
  const auto from = array_of(facts, load), to = array_of(facts, store);
  if (!from || !to) return;
  out.sketch = {fmt::format("__shared__ {} tile[{}][{} + 1];", element_type(site), facts.block.y, facts.block.x),
                fmt::format("tile[threadIdx.y][threadIdx.x] = {};", loads ? from->name + "[...]" : from->text()),
                "__syncthreads();",
                fmt::format("{} = tile[threadIdx.x][threadIdx.y];", loads ? to->text() : to->name + "[...]"),
                "// [...]: the block's row and column swapped, threadIdx.x along rows"};
}

// A tile between the rows of memory and threads that each walk along a row of their own.
void read_or_write_through_tile(const Facts& facts, const AccessSite& site, const std::string& names, Finding& out) {
  const bool loads = site.kind == AccessKind::Load;
  const char* const more =
      facts.block.y > 1 ? "" : " Or rearrange the threads: a warp for each row, and a reduction over its lanes.";
  if (loads) {
    out.headline = fmt::format("load {} along its rows into a tile in shared memory", names);
    out.cure = fmt::format(
        "Corner turning: let the block load a tile of {0} with threadIdx.x along its rows, and let each thread read "
        "its column of the tile in shared memory (rows padded by one element). Or rearrange the data: store {0} "
        "transposed.{1}",
        names, more);
  } else {
    out.headline = fmt::format("store {} along its rows, from a tile in shared memory", names);
    out.cure = fmt::format(
        "Corner turning: let each thread write its row of a tile in shared memory (rows padded by one element), and "
        "let the block store the tile to {0} with threadIdx.x along its rows. Or rearrange the data: keep {0} "
        "transposed.",
        names);
  }
  const auto array = array_of(facts, site);
  if (!array) return;
  out.sketch = {fmt::format("__shared__ {} tile[32][32 + 1];", element_type(site))};
  if (loads)
    out.sketch.insert(
        out.sketch.end(),
        {fmt::format("tile[threadIdx.y][threadIdx.x] = {}[...];  // threadIdx.x along the row", array->name),
         "__syncthreads();", "... tile[threadIdx.x][k] ..."});
  else
    out.sketch.insert(out.sketch.end(),
                      {"tile[threadIdx.x][k] = ...;", "__syncthreads();",
                       fmt::format("{}[...] = tile[row][threadIdx.x];  // threadIdx.x along the row", array->name)});
}

void advise_columns(const Facts& facts, const std::vector<AccessSite>& sites, Finding& out) {
  const AccessSite& site = sites.front();
  if (const auto partner = find_partner(facts, site); partner && facts.block.y > 1)
    return transpose_through_tile(facts, site, *partner, out);
  const std::vector<AccessSite> all = access_sites(facts, Memory::Global);
  const bool any_row = std::ranges::any_of(
      all, [&](const AccessSite& s) { return layout_of(facts, s).pattern == LanePattern::Contiguous; });
  if (!any_row && facts.block.y > 1) {
    out.headline = "let threadIdx.x run along the rows of " + names_of(facts, sites);
    out.cure =
        "Rearrange the threads: swap threadIdx.x and threadIdx.y where row and column are computed. Nothing that this "
        "kernel accesses runs along rows today.";
    out.sketch = {"int row    = blockIdx.y * blockDim.y + threadIdx.y;",
                  "int column = blockIdx.x * blockDim.x + threadIdx.x;"};
    return;
  }
  std::vector<AccessSite> alike = sites;  // loads, or stores
  std::erase_if(alike, [&](const AccessSite& s) { return s.kind != site.kind; });
  read_or_write_through_tile(facts, site, names_of(facts, alike), out);
}

}  // namespace

std::optional<Finding> row_column(const Facts& facts) {
  std::vector<AccessSite> sites = wasteful_sites(facts, Memory::Global);
  std::erase_if(sites, [&](const AccessSite& s) {
    return 100 * double(s.sums.excess) < kColumnExcess * double(s.sums.units) || !walks_columns(facts, s);
  });
  if (!matter(facts, sites)) return std::nullopt;
  const AccessSite& site = sites.front();
  Finding finding;
  finding.observation = fmt::format("threads that are neighbours along threadIdx.x are {} bytes apart in {}; {}",
                                    std::abs(layout_of(facts, site).step), name_of(facts, site), units_text(site));
  advise_columns(facts, sites, finding);
  for (const char* name :
       {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "l1tex__t_sector_hit_rate.pct"})
    add_evidence(finding, facts, name, "%");
  finding.lines = evidence_lines(facts, sites);
  finding.explain = "access";
  return finding;
}

}  // namespace drywarp::advice
