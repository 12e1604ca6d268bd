// What the tables are: names, types and meanings.
#include "profile/tables/tables.h"

namespace drywarp::tables {
namespace {

constexpr Column kCommand[] = {
    {"command", "TEXT", "how drywarp was called"},
    {"folder", "TEXT", "where"},
    {"created", "TEXT", "when the run ended, UTC"},
    {"program", "TEXT", "the program that ran, with its arguments"},
    {"drywarp_version", "TEXT", ""},
    {"exit_code", "INTEGER", "of the program"},
    {"signal", "INTEGER", "that ended the program; 0: none"},
    {"complete", "INTEGER", "0: the program was interrupted or died, and the profile ends there"},
};
constexpr const char* kCommandView =
    "SELECT (SELECT value FROM kept WHERE key = 'command') AS command,"
    " (SELECT value FROM kept WHERE key = 'folder') AS folder,"
    " (SELECT value FROM kept WHERE key = 'created') AS created,"
    " program, drywarp_version, exit_code, signal, complete FROM run";

constexpr Column kOutput[] = {
    {"text", "TEXT", "the program's standard output"},
    {"cut", "INTEGER", "1: it was longer than 1 MiB; the rest is missing"},
};
constexpr const char* kOutputView =
    "SELECT value AS text, EXISTS(SELECT 1 FROM kept WHERE key = 'output_cut' AND value = '1') AS cut"
    " FROM kept WHERE key = 'output'";

constexpr Column kDevice[] = {
    {"name", "TEXT", "as CUDA reports it"},
    {"id", "TEXT", "as `--device` names it"},
    {"architecture", "TEXT", ""},
    {"compute_capability", "TEXT", ""},
};
constexpr const char* kDeviceView =
    "SELECT device AS name, (SELECT value FROM kept WHERE key = 'device_id') AS id,"
    " (SELECT value FROM kept WHERE key = 'architecture') AS architecture,"
    " (SELECT value FROM kept WHERE key = 'compute_capability') AS compute_capability FROM run";

constexpr Column kDeviceNumbers[] = {
    {"number", "TEXT", "its path in the device file"},
    {"value", "TEXT", "as TOML"},
    {"kind", "TEXT", "measured, published, tuned model, specification or assumed"},
    {"source", "TEXT", "where the number comes from"},
};

constexpr Column kConventions[] = {
    {"name", "TEXT", ""},
    {"text", "TEXT", "what counts and modelled times mean"},
};

constexpr Column kKernels[] = {
    {"kernel", "INTEGER", "0: the kernel with the most modelled time"},
    {"name", "TEXT", "demangled"},
    {"mangled", "TEXT", "as in the PTX"},
    {"calls", "INTEGER", "launches"},
    {"counted", "INTEGER", "launches with counters"},
    {"faults", "INTEGER", "launches that stopped on an error"},
    {"registers", "INTEGER", "a thread; NULL: not known"},
    {"registers_from", "TEXT", "estimate, launch-bounds, cubin or ptxas-info"},
    {"static_shared", "INTEGER", "bytes a block"},
    {"local", "INTEGER", "bytes a thread"},
    {"warp_instructions", "REAL", "of PTX, of its counted launches"},
    {"seconds", "REAL", "modelled time of its launches; NULL: no launch has one"},
    {"min_seconds", "REAL", ""},
    {"max_seconds", "REAL", ""},
    {"timed", "INTEGER", "launches with a modelled time"},
    {"time_share", "REAL", "of all kernels' modelled time, 0 to 1"},
    {"host_seconds", "REAL", "on the machine that drywarp ran on"},
    {"limiter", "TEXT", "memory, compute, balanced, latency or small_grid; NULL: no time"},
    {"limiter_unit", "TEXT", "the unit or the stall reason that decided it"},
    {"limiter_text", "TEXT", "a sentence with the numbers"},
};

constexpr Column kKernelMetrics[] = {
    {"kernel", "INTEGER", "`kernels.kernel`"},
    {"name", "TEXT", "`metric_definitions.name`"},
    {"total", "REAL", "of all counted launches together; NULL: the metric has no total"},
    {"min", "REAL", "over the launches with a value"},
    {"max", "REAL", ""},
    {"avg", "REAL", ""},
    {"launches", "INTEGER", "with a value"},
};

constexpr Column kLaunches[] = {
    {"launch", "INTEGER", "0, 1, ... in order of issue"},
    {"kernel", "INTEGER", "`kernels.kernel`"},
    {"name", "TEXT", "of the kernel, demangled"},
    {"grid_x", "INTEGER", "blocks"},
    {"grid_y", "INTEGER", ""},
    {"grid_z", "INTEGER", ""},
    {"block_x", "INTEGER", "threads"},
    {"block_y", "INTEGER", ""},
    {"block_z", "INTEGER", ""},
    {"dynamic_shared", "INTEGER", "bytes a block"},
    {"stream", "INTEGER", "0: the default stream"},
    {"range", "TEXT", "open NVTX ranges, outermost first: \"step/forward\""},
    {"start_seconds", "REAL", "since the program started"},
    {"host_seconds", "REAL", "on the machine that drywarp ran on"},
    {"counted", "INTEGER", "1: has counters"},
    {"seconds", "REAL", "modelled time; NULL: none"},
    {"simulated", "INTEGER", "1: the time was simulated; 0: an earlier launch did the same"},
    {"untimed", "TEXT", "why there is no time"},
    {"limiter", "TEXT", "as in `kernels`"},
    {"limiter_unit", "TEXT", ""},
    {"fault", "TEXT", "why it stopped early"},
    {"result", "INTEGER", "`metric_values.result`; launches with equal values share one"},
};

constexpr Column kMetricDefinitions[] = {
    {"metric", "INTEGER", ""},
    {"name", "TEXT", "nvprof's, or ours"},
    {"ncu_name", "TEXT", "Nsight Compute's; NULL: it has none"},
    {"section", "TEXT", ""},
    {"unit", "TEXT", ""},
    {"class", "TEXT", "exact or modelled"},
    {"from_compiler", "INTEGER", "1: exact where a compiler reported the kernel's registers"},
    {"meaning", "TEXT", ""},
};

constexpr Column kMetricValues[] = {
    {"result", "INTEGER", "`launches.result`"},
    {"metric", "INTEGER", "`metric_definitions.metric`"},
    {"value", "REAL", "NULL: no value"},
};

constexpr Column kMetrics[] = {
    {"launch", "INTEGER", "`launches.launch`"},
    {"kernel", "TEXT", "the kernel's name"},
    {"name", "TEXT", "nvprof's, or ours"},
    {"ncu_name", "TEXT", "Nsight Compute's; NULL: it has none"},
    {"value", "REAL", "NULL: not counted, or it does not apply"},
    {"unit", "TEXT", ""},
    {"class", "TEXT", "exact or modelled"},
};
constexpr const char* kMetricsView =
    "SELECT l.launch, l.name AS kernel, d.name, d.ncu_name, v.value, d.unit,"
    " CASE WHEN d.from_compiler = 1 AND k.registers_from IN ('cubin', 'ptxas-info') THEN 'exact' ELSE d.class END AS "
    "class"
    " FROM launches l JOIN metric_values v ON v.result = l.result JOIN metric_definitions d ON d.metric = v.metric"
    " JOIN kernels k ON k.kernel = l.kernel";

constexpr Column kAdvice[] = {
    {"kernel", "INTEGER", "`kernels.kernel`; NULL: the whole run"},
    {"rank", "INTEGER", "0: the largest gain"},
    {"rule", "TEXT", "its key"},
    {"headline", "TEXT", "what to change"},
    {"observation", "TEXT", "the numbers behind it"},
    {"cure", "TEXT", ""},
    {"sketch", "TEXT", "lines of code; NULL: none"},
    {"gain", "REAL", "modelled: the kernel's time / its time without this cost; NULL: not estimated"},
    {"not_estimated", "TEXT", "why there is no gain"},
    {"item", "TEXT", "of the checklist of optimisations"},
    {"file", "TEXT", "of the line that costs most; NULL: the whole kernel"},
    {"line", "INTEGER", ""},
};

constexpr Column kLines[] = {
    {"kernel", "INTEGER", "`kernels.kernel`"},
    {"file", "TEXT", "''; instructions without a source line"},
    {"line", "INTEGER", ""},
    {"text", "TEXT", "of the line; '' if the file could not be read"},
    {"cost", "REAL", "mean of the four shares that the kernel has, 0 to 1"},
    {"instruction_share", "REAL", "of the kernel's PTX warp instructions, 0 to 1"},
    {"sector_share", "REAL", "of its sectors of global and local memory"},
    {"wavefront_share", "REAL", "of its wavefronts of shared memory"},
    {"divergence_share", "REAL", "of its divergent branches"},
    {"time_share", "REAL", "of its modelled warp-cycles; NULL: no time"},
    {"seconds", "REAL", "that share of its modelled time"},
    {"issued", "INTEGER", "machine instructions of warps, modelled"},
    {"warp_cycles", "REAL", "modelled"},
};

constexpr Column kLineMetrics[] = {
    {"kernel", "INTEGER", "`kernels.kernel`"},
    {"file", "TEXT", ""},
    {"line", "INTEGER", ""},
    {"name", "TEXT", "`metric_definitions.name`"},
    {"value", "REAL", "other than 0"},
};

constexpr Column kStalls[] = {
    {"kernel", "INTEGER", "`kernels.kernel`"},
    {"file", "TEXT", ""},
    {"line", "INTEGER", ""},
    {"reason", "TEXT", "Nsight Compute's name; selected: the warp issued"},
    {"warp_cycles", "REAL", "modelled"},
};

constexpr Column kBarriers[] = {
    {"kernel", "INTEGER", "`kernels.kernel`"},
    {"file", "TEXT", "''; no source line is known"},
    {"line", "INTEGER", ""},
    {"ptx_line", "INTEGER", ""},
    {"kind", "TEXT", "divergent_warp, skipped_by_warps, warps_apart or, which is defined, threads_ended"},
    {"times", "INTEGER", "that it completed so, over all launches"},
    {"block_x", "INTEGER", "the first block in which it happened"},
    {"block_y", "INTEGER", ""},
    {"block_z", "INTEGER", ""},
    {"warp", "INTEGER", "of the block, for divergent_warp"},
    {"waited", "INTEGER", "lanes of that warp, warps or threads of that block, by kind"},
    {"absent", "INTEGER", "likewise: those that ended without it"},
};

constexpr Column kSource[] = {
    {"file", "TEXT", "as the compiler names it"},
    {"line", "INTEGER", "from 1"},
    {"text", "TEXT", ""},
};

constexpr Column kAccesses[] = {
    {"launch", "INTEGER", "`launches.launch`"},
    {"kernel", "TEXT", "the kernel's name"},
    {"file", "TEXT", ""},
    {"line", "INTEGER", ""},
    {"instruction", "TEXT", "PTX"},
    {"ptx_line", "INTEGER", ""},
    {"memory", "TEXT", "global, shared or local"},
    {"bytes", "INTEGER", "a lane"},
    {"block", "INTEGER", "linear index in the grid"},
    {"warp", "INTEGER", "of the block"},
    {"units", "INTEGER", "sectors; wavefronts of shared memory"},
    {"addresses", "TEXT", "JSON: 32 byte addresses, null for a lane that took no part"},
};

constexpr Column kTransfers[] = {
    {"kind", "TEXT", "HtoD, DtoH, DtoD, HtoH or memset"},
    {"bytes", "INTEGER", ""},
    {"stream", "INTEGER", ""},
    {"start_seconds", "REAL", "since the program started"},
    {"host_seconds", "REAL", "on the machine that drywarp ran on"},
    {"pinned", "INTEGER", "1: the host's end is page-locked memory"},
    {"gpu_seconds", "REAL", "modelled, as CUPTI would measure it; NULL: the device file does not say"},
};
constexpr const char* kTransfersView =
    "SELECT CASE kind WHEN 0 THEN 'HtoD' WHEN 1 THEN 'DtoH' WHEN 2 THEN 'DtoD' WHEN 3 THEN 'HtoH' ELSE 'memset' END"
    " AS kind, bytes, stream, start AS start_seconds, seconds AS host_seconds, pinned,"
    " nullif(gpu_seconds, 0) AS gpu_seconds FROM transfer ORDER BY id";

constexpr Column kApiCalls[] = {
    {"name", "TEXT", "of the function"},
    {"start_seconds", "REAL", "since the program started"},
    {"host_seconds", "REAL", "on the machine that drywarp ran on"},
};
constexpr const char* kApiCallsView =
    "SELECT n.name, a.start AS start_seconds, a.seconds AS host_seconds"
    " FROM api a JOIN api_name n ON n.id = a.name ORDER BY a.id";

constexpr Column kFindings[] = {
    {"kind", "TEXT", "out-of-bounds, read-write, ...: docs/check.md"},
    {"tool", "TEXT", "memcheck, racecheck, initcheck, synccheck or leakcheck"},
    {"severity", "TEXT", "error, warning or note"},
    {"kernel", "TEXT", ""},
    {"file", "TEXT", ""},
    {"line", "INTEGER", "0: not known"},
    {"times", "INTEGER", "how often"},
    {"text", "TEXT", "what happened"},
    {"suppressed", "TEXT", "the reason why it is accepted; NULL: it is not"},
};

constexpr Table kTables[] = {
    {"command", "One row: the command and how the program ended.", kCommand, kCommandView},
    {"output", "At most one row.", kOutput, kOutputView},
    {"device", "One row: the GPU that was modelled.", kDevice, kDeviceView},
    {"device_numbers", "The device file, number by number.", kDeviceNumbers, nullptr, "", true},
    {"conventions", "How to read the numbers.", kConventions, nullptr, "name"},
    {"kernels", "One row a kernel.", kKernels, nullptr, "kernel"},
    {"launches", "One row a launch.", kLaunches, nullptr, "launch"},
    {"metrics", "One row a launch and metric.", kMetrics, kMetricsView},
    {"kernel_metrics", "One row a kernel and metric.", kKernelMetrics, nullptr, "kernel, name"},
    {"metric_definitions", "The metrics: docs/metrics.md.", kMetricDefinitions, nullptr, "metric"},
    {"metric_values", "What `metrics` is made of.", kMetricValues, nullptr, "result, metric"},
    {"advice", "What to change in each kernel, and in the whole run.", kAdvice},
    {"lines", "One row a kernel and source line.", kLines, nullptr, "kernel, file, line"},
    {"line_metrics", "One row a kernel, source line and metric, over all launches.", kLineMetrics, nullptr,
     "kernel, file, line, name"},
    {"stalls", "Modelled warp-cycles by source line and stall reason.", kStalls, nullptr, "kernel, file, line, reason"},
    {"barriers", "Block-wide barriers that completed without all threads of a block.", kBarriers, nullptr,
     "kernel, file, line, ptx_line"},
    {"findings", "What the checks of `--check` found.", kFindings},
    {"source", "The source files of the kernels, as they were.", kSource, nullptr, "", true},
    {"accesses", "For each memory instruction its costliest access in the traced blocks, and its addresses.",
     kAccesses},
    {"transfers", "Copies and memsets, in order.", kTransfers, kTransfersView},
    {"api_calls", "Calls of the CUDA runtime and driver, in order.", kApiCalls, kApiCallsView},
};

}  // namespace

std::span<const Table> all_tables() { return kTables; }

}  // namespace drywarp::tables
