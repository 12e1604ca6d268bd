#include <fmt/format.h>

#include <ostream>

#include "faces/profilers/nvprof/table.h"
#include "faces/profilers/nvprof/tables.h"

namespace drywarp::profilers::nvprof {
namespace {

using record::TransferKind;

// In the order of gpu_row().
std::vector<Column> gpu_columns() {
  using In = Column::In;
  std::vector<Column> all = {{.head = "Start", .width = 8, .kind = CellKind::Time},
                             {.head = "Duration", .width = 8, .kind = CellKind::Time},
                             {.head = "Grid Size", .width = 19, .in = In::Text, .optional = true},
                             {.head = "Block Size", .width = 14, .in = In::Text, .optional = true}};
  for (const char* head : {"Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z"})
    all.push_back({.head = head, .kind = CellKind::Count, .in = In::Csv, .optional = true});
  const std::vector<Column> rest = {
      {.head = "Regs*", .width = 8, .kind = CellKind::Count, .csv_head = "Registers Per Thread", .optional = true},
      {.head = "SSMem*", .width = 8, .kind = CellKind::Size, .csv_head = "Static SMem", .optional = true},
      {.head = "DSMem*", .width = 8, .kind = CellKind::Size, .csv_head = "Dynamic SMem", .optional = true},
      {.head = "Size", .width = 8, .kind = CellKind::Size, .optional = true},
      {.head = "Throughput", .width = 10, .kind = CellKind::Rate, .optional = true},
      {.head = "SrcMemType", .width = 10, .optional = true},
      {.head = "DstMemType", .width = 10, .with_previous = true},
      {.head = "Device", .width = 15, .optional = true},
      {.head = "Context", .width = 8, .optional = true},
      {.head = "Stream", .width = 8, .optional = true}};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}
constexpr size_t kFirstOfLaunch = 2, kFirstOfCopy = 13, kSourceType = 15, kFirstOfDevice = 17, kGpuColumns = 20;

// Both forms of a name: with the correlation in brackets in text, and in a column of its own in CSV.
void add_name_columns(std::vector<Column>& columns) {
  columns.push_back({.head = "Name", .in = Column::In::Text});
  columns.push_back({.head = "Name", .in = Column::In::Csv});
  columns.push_back({.head = "Correlation_ID", .kind = CellKind::Count, .in = Column::In::Csv});
}

void add_name(std::vector<Cell>& row, const std::string& text, const std::string& name,
              std::optional<uint64_t> correlation) {
  row.push_back(Cell::of(text));
  row.push_back(Cell::of(name));
  row.push_back(correlation ? Cell::of(double(*correlation)) : Cell{});
}

std::string extent(const record::Extent& e) { return fmt::format("({} {} {})", e.x, e.y, e.z); }

// The device's name is cut in text only, and the columns are of both: text is cut as nvprof does.
std::string device_cell(const Timeline& timeline, bool csv) {
  constexpr size_t kWidth = 15;
  return csv ? device_label(timeline) : device_label(timeline).substr(0, kWidth);
}

std::vector<Cell> gpu_row(const Activity& a, const Timeline& timeline, const record::Profile& profile, bool csv) {
  std::vector<Cell> row(kGpuColumns);
  row[0] = Cell::of(a.start), row[1] = Cell::of(a.seconds);
  if (const record::LaunchRecord* l = a.launch) {
    const KernelInfo& kernel = *profile.kernels[l->kernel];
    size_t at = kFirstOfLaunch;
    row[at++] = Cell::of(extent(l->grid)), row[at++] = Cell::of(extent(l->block));
    for (const uint32_t n : {l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z})
      row[at++] = Cell::of(double(n));
    row[at++] = Cell::of(kernel.registers ? std::optional<double>(kernel.registers) : std::nullopt);
    row[at++] = Cell::of(double(kernel.static_shared_bytes));
    row[at++] = Cell::of(double(l->dynamic_shared_bytes));
  }
  if (const record::TransferRecord* t = a.transfer) {
    row[kFirstOfCopy] = Cell::of(double(t->bytes));
    const bool timed = a.seconds.value_or(0) > 0;
    row[kFirstOfCopy + 1] = Cell::of(timed ? std::optional(double(t->bytes) / *a.seconds) : std::nullopt);
    const std::string host = t->pinned ? "Pinned" : "Pageable";
    const bool from_host = t->kind == TransferKind::HostToDevice || t->kind == TransferKind::HostToHost;
    const bool to_host = t->kind == TransferKind::DeviceToHost || t->kind == TransferKind::HostToHost;
    row[kSourceType] = Cell::of(from_host ? host : "Device");
    if (t->kind != TransferKind::Memset) row[kSourceType + 1] = Cell::of(to_host ? host : "Device");
  }
  row[kFirstOfDevice] = Cell::of(device_cell(timeline, csv));
  row[kFirstOfDevice + 1] = Cell::of(std::to_string(kContext));
  row[kFirstOfDevice + 2] = Cell::of(std::to_string(stream_number(a.launch ? a.launch->stream : a.transfer->stream)));
  const bool id = a.launch && a.correlation;
  add_name(row, id ? fmt::format("{} [{}]", a.name, *a.correlation) : a.name, a.name, a.correlation);
  return row;
}

void add_call(std::vector<Cell>& row, const Call& c) {
  row[0] = Cell::of(c.start), row[1] = Cell::of(c.seconds);
  add_name(row, c.kernel.empty() ? c.name : fmt::format("{} ({} [{}])", c.name, c.kernel, c.correlation), c.name,
           c.correlation);
}

void write(std::ostream& out, const Table& table, const Style& style) {
  style.csv ? table.write_csv(out, style.unit) : table.write_text(out, style.unit);
}

// What the starred columns mean.
void write_footnotes(std::ostream& out, const Table& table) {
  if (table.shows(kFirstOfLaunch))
    out << "\nRegs: Number of registers used per CUDA thread. This number includes registers used internally by the "
           "CUDA driver and/or tools and can be more than what the compiler shows.\n"
           "SSMem: Static shared memory allocated per CUDA block.\n"
           "DSMem: Dynamic shared memory allocated per CUDA block.\n";
  if (table.shows(kSourceType))
    out << (table.shows(kFirstOfLaunch) ? "" : "\n")
        << "SrcMemType: The type of source memory accessed by memory operation/copy\n"
           "DstMemType: The type of destination memory accessed by memory operation/copy\n";
}

}  // namespace

void write_gpu_trace(std::ostream& out, const Timeline& timeline, const record::Profile& profile, const Style& style) {
  if (timeline.activities.empty()) return void(out << "No kernels were profiled.\n");
  std::vector<Column> columns = gpu_columns();
  add_name_columns(columns);
  Table table(std::move(columns));
  for (const Activity& a : timeline.activities) table.row(gpu_row(a, timeline, profile, style.csv));
  write(out, table, style);
  if (!style.csv) write_footnotes(out, table);
}

void write_api_trace(std::ostream& out, const Timeline& timeline, const Style& style) {
  if (timeline.calls.empty()) return void(out << "No API activities were profiled.\n");
  std::vector<Column> columns = {{.head = "Start", .width = 8, .kind = CellKind::Time},
                                 {.head = "Duration", .width = 8, .kind = CellKind::Time}};
  add_name_columns(columns);
  Table table(std::move(columns));
  for (const Call& c : timeline.calls) {
    std::vector<Cell> row(2);
    add_call(row, c);
    table.row(std::move(row));
  }
  write(out, table, style);
}

void write_trace(std::ostream& out, const Timeline& timeline, const record::Profile& profile, const Style& style) {
  std::vector<Column> columns = gpu_columns();
  add_name_columns(columns);
  Table table(std::move(columns));
  auto call = timeline.calls.begin();
  const auto add_calls_until = [&](double start) {
    for (; call != timeline.calls.end() && call->start <= start; ++call) {
      std::vector<Cell> row(kGpuColumns);
      add_call(row, *call);
      table.row(std::move(row));
    }
  };
  for (const Activity& a : timeline.activities) {
    add_calls_until(a.start);
    table.row(gpu_row(a, timeline, profile, style.csv));
  }
  add_calls_until(1e300);
  if (table.empty()) return void(out << "No kernels were profiled.\n");
  write(out, table, style);
  if (!style.csv) write_footnotes(out, table);
}

}  // namespace drywarp::profilers::nvprof
