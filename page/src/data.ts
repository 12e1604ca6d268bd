// The document that the page shows: what `drywarp report --format json` prints. null: not known.

export type MetricClass = 'exact' | 'modelled' | 'not available';
export type Triple = [number, number, number];
export type Value = number | null;
/** Values by metric: the key is an index into ReportDocument.metrics. */
export type SparseValues = Record<string, number>;
/** Cycles by stall reason. */
export type StallCycles = Record<string, number>;

export interface MetricDefinition {
  name: string;
  ncu: string | null;
  unit: string;
  class: MetricClass;
  group: string;
  title: string;
  text: string;
}

export interface UnavailableMetric {
  name: string;
  ncu: string | null;
  class: MetricClass;
  group: string;
  text: string;
  reason: string;
}

export interface StallDefinition {
  name: string;
  text: string;
}

export interface ReportDocument {
  drywarp_report: number;
  drywarp_version: string;
  kind: 'report' | 'explain' | 'sweep';
  metrics: MetricDefinition[];
  unavailable_metrics?: UnavailableMetric[];
  stalls: StallDefinition[];
  profiles: Profile[];
  compare: Comparison | null;
  explain: Explanation[] | null;
  sweep?: Sweep | null;
}

/** What `drywarp sweep show --format json` prints, with the name of its file. */
export interface Sweep {
  title: string;
  drywarp_sweep: number;
  drywarp_version: string;
  program: string[];
  arguments: string[];
  device: string | null;
  search: string;
  per: string[];
  parameters: SweepParameter[];
  constraints: string[];
  rows: SweepRow[];
  best: { group: string; row: number; flags: string }[];
  /** Row numbers, each group's fastest first. */
  pareto_front: number[];
}

export interface SweepParameter {
  name: string;
  kind: string;
  values: SweepValue[];
  labels: string[];
  when: string | null;
}

export type SweepValue = number | string;

export interface SweepRow {
  row: number;
  /** Rows of a group compete: the same device, and the same values of `per`. */
  group: string;
  /** "timed", "dropped", "not finished", "not run", or the outcome of a failure. */
  state: string;
  configuration: Record<string, SweepValue>;
  dropped: string | null;
  measurement: Measurement | null;
}

export interface Measurement {
  outcome: string;
  reason: string | null;
  stage: string;
  seconds: Value;
  extrapolated: boolean;
  least_cycles: Value;
  occupancy: Value;
  registers: Value;
  kernels: { name: string; launches: number; registers: number; grid: string; block: string; seconds: Value; occupancy: Value; limiter: string | null }[];
  host_seconds: number;
}

export interface Explanation {
  topic: string;
  title: string;
  input: Record<string, unknown>;
  result: Record<string, unknown>;
  /** Whose rules apply. */
  device?: Device | null;
}

export interface Device {
  name: string;
  id: string;
  architecture: string;
  compute_capability: string;
  sms: number;
  schedulers_per_sm: number;
  warps_per_sm: number;
  blocks_per_sm: number;
  threads_per_sm: number;
  registers_per_sm: number;
  shared_per_sm: number;
  warp: number;
  shared_banks: { count: number; word_bytes: number };
  dram: { channels: number | null; banks_per_channel: number | null } | null;
  l1: Record<string, number | null> | null;
  l2: Record<string, number | null> | null;
  numbers: DeviceNumber[];
}

/** Whether the device has this level of memory. The first ones had no caches: their L2 has a size of 0. */
export const hasLevel = (device: Device, level: string): boolean => (level !== 'l1' && level !== 'l2') || device.l2?.['bytes'] !== 0;

export interface DeviceNumber {
  path: string;
  value: unknown;
  kind: string;
  source: string;
}

export interface Timing {
  class: 'modelled';
  caches: string;
  kernels: string;
  launch_overhead: string;
  launch_overhead_seconds: number;
  sm_clock_hz: number;
  multiprocessors: number;
  peaks: Record<string, number | null>;
}

export interface StandIn {
  number: string;
  by: string;
}

export interface Profile {
  title: string;
  program: string;
  command: string;
  created: string | null;
  exit_code: number | null;
  signal: string | number | null;
  complete: boolean;
  output: string | null;
  output_cut: boolean;
  device: Device;
  moves: string | null;
  timing: Timing | null;
  stand_ins: StandIn[];
  advice: Advice[];
  kernels: Kernel[];
  launches: Launch[];
  transfers: Transfer[];
  api: ApiFunction[];
  api_calls: [function_index: number, start_seconds: number, host_seconds: number][];
  api_calls_cut: boolean;
  timeline: Timeline;
  sources: Record<string, string[]>;
}

export type Span = [start_seconds: number, seconds: number, kind: 'launch' | 'transfer', index: number];

export interface Timeline {
  text?: string;
  untimed_launches?: number;
  streams: { stream: number; spans: Span[] }[];
  seconds: number;
}

export interface EvidenceValue {
  value: Value;
  unit: string;
}

export interface Advice {
  rule: string;
  headline: string;
  observation: string;
  cure: string;
  sketch: string[];
  gain: { factor: number; class: MetricClass; change: string | null; launches: number; of_launches: number } | null;
  not_estimated: string | null;
  at_most: number | null;
  item: { key: string; title: string; compute: string | null; memory: string | null } | null;
  threshold: string;
  evidence: Record<string, EvidenceValue>;
  lines: AdviceLine[];
  explain: string | null;
}

export interface AdviceLine {
  file: string;
  line: number;
  source: string;
  what: string;
  excess_share: number;
  total_share: number;
  of: string;
}

export interface Limiter {
  kind: 'memory' | 'compute' | 'balanced' | 'small_grid' | 'latency';
  unit: string;
  text: string;
  saturated?: boolean;
  class?: MetricClass;
  evidence?: Record<string, EvidenceValue>;
}

export interface KernelTime {
  seconds: number;
  min: number;
  max: number;
  avg: number;
  share: number;
  calls: number;
  simulated_calls: number;
  blocks: number;
  simulated_blocks: number;
  sms: number;
  simulated_sms: number;
  stand_ins: StandIn[];
  warp_cycles: number;
  stalls: StallCycles;
}

export interface PartTime {
  share: number;
  seconds: number;
  instructions: number;
  warp_cycles: number;
  stalls: StallCycles;
}

export interface Roofline {
  precision: 'hp' | 'sp' | 'dp';
  flops: number;
  flops_per_second: number;
  peak_flops_per_second: number;
  levels: RooflineLevel[];
}

export interface RooflineLevel {
  level: 'dram' | 'l2' | 'l1';
  bytes: number;
  flops_per_byte: number;
  peak_bytes_per_second: number;
  ridge_flops_per_byte: number;
  roof_flops_per_second: number;
}

export interface Barrier {
  file: string;
  line: number;
  ptx_line: number;
  kind: string;
  times: number;
  block: Triple | number;
  warp: number | null;
  waited: number;
  absent: number;
  text: string;
}

export interface KernelTotals {
  values: Value[];
  min: Value[];
  max: Value[];
  avg: Value[];
}

export interface SourceLine {
  file: string;
  line: number;
  source: string;
  cost: number;
  time: PartTime | null;
  metrics: SparseValues;
}

export interface Instruction {
  ptx_line: number;
  text: string;
  file: string;
  line: number;
  class?: string;
  code_block?: number;
  time: PartTime | null;
  metrics: SparseValues;
}

export interface Region {
  name: string;
  file: string;
  first_line: number;
  last_line: number;
  time: PartTime | null;
  metrics: SparseValues;
}

export interface MachineInstruction {
  text: string;
  operation: string;
  pipe: string;
  instruction: number | null;
  file: string;
  line: number;
  region: number;
  issued: number;
  stalls: StallCycles;
}

export interface OccupancyStudy {
  theoretical: number;
  achieved: number | null;
  warps: number;
  blocks: number;
  limiter: string;
  limiters?: string[];
  limits: Record<string, number | null>;
  point: { threads: number; registers: number; shared_bytes: number };
  by_threads: [number, number][];
  by_registers: [number, number][];
  by_shared: [number, number][];
  waves?: Waves | null;
}

export interface Waves {
  waves: number;
  blocks_a_wave: number;
  full: number;
  tail_blocks: number;
  idle_sms: number;
  slots_used: number;
}

export type MemoryPlace = 'sm' | 'l1' | 'shared' | 'l2' | 'dram';

export interface MemoryTraffic {
  counted_launches: number;
  timed_launches: number;
  flows: { from: MemoryPlace; to: MemoryPlace; what: string; bytes: number | null; class: MetricClass; metric: number | null }[];
  hit_rates: { level: string; percent: number | null; metric: number | null }[];
}

export interface Kernel {
  name: string;
  mangled: string;
  calls: number;
  counted: number;
  faults: number;
  registers: number | null;
  registers_from: string | null;
  static_shared_bytes: number;
  local_bytes: number;
  host_seconds: number;
  warp_instructions_share: number;
  time: KernelTime | null;
  untimed: Record<string, number>;
  limiter: Limiter | null;
  advice: Advice[];
  barriers: Barrier[];
  roofline: Roofline[];
  /** Indices of metrics that are exact in this kernel though their definition says modelled. */
  exact_metrics?: number[];
  totals: KernelTotals;
  regions: Region[];
  lines: SourceLine[];
  instructions: Instruction[];
  occupancy: OccupancyStudy | null;
  machine_code: MachineInstruction[] | null;
  memory: MemoryTraffic | null;
  drawn: Drawn | null;
}

export interface Launch {
  kernel: number;
  grid: Triple;
  block: Triple;
  registers: number | null;
  static_shared: number;
  dynamic_shared: number;
  stream: number;
  range: string | null;
  start_seconds: number;
  host_seconds: number;
  time: { seconds: number; simulated: boolean; blocks: number; simulated_blocks: number; sms: number; simulated_sms: number } | null;
  untimed: string | null;
  fault: string | null;
  limiter: Limiter | null;
  values: Value[];
}

export interface Transfer {
  kind: 'HtoD' | 'DtoH' | 'DtoD' | 'HtoH' | 'memset';
  bytes: number;
  stream: number;
  start_seconds: number;
  host_seconds: number;
  gpu_seconds: number | null;
  pinned: boolean;
}

export interface ApiFunction {
  name: string;
  calls: number;
  host_seconds: number;
  min: number;
  max: number;
  avg: number;
}

/** What was recorded of one launch of the kernel, for the drawings. */
export interface Drawn {
  launch: number;
  accesses: Access[];
  steps: Steps | null;
  timeline: CycleTimeline | null;
  /** One was recorded, but the document has those of the longest kernels only. */
  timeline_left_out?: boolean;
}

export interface Access {
  instruction: number;
  memory: 'global' | 'shared' | 'local';
  kind: 'load' | 'store' | 'atomic';
  bytes: number;
  block: Triple | number;
  warp: number;
  lanes: number;
  /** null: the lane is not active. */
  addresses: (number | string | null)[];
  sectors?: number | null;
  wavefronts?: number | null;
  ideal: number;
  banks: { count: number; word_bytes: number } | null;
  passes: { bank: number; word: number | string; lanes: number }[][] | null;
  /** Of shared memory: as `drywarp explain banks --op` names it. */
  op?: string | null;
}

export interface Steps {
  block: Triple | number;
  cut: boolean;
  /** The instructions of each basic block. */
  code_blocks: number[][];
  warps: {
    warp: number;
    /** It ran more steps. */
    cut?: boolean;
    steps: [code_block: number, lanes: number, repeats: number][];
    barriers: [step: number, barrier: number][];
  }[];
}

export interface CycleTimeline {
  sms: number;
  schedulers: number;
  cut: boolean;
  blocks: [sm: number, slot: number, block: number, start: number, end: number][];
  warps: {
    sm: number;
    scheduler: number;
    slot: number;
    block: number;
    warp: number;
    start: number;
    end: number;
    segments: [start: number, end: number, stall: number][];
  }[];
  issues: [scheduler: number, cycle: number, warp_index: number, machine_code_index: number, second?: number][];
  dram: [reached: number, data: number, end: number, channel: number, bank: number, row: number, kind: 'r' | 'w', row_hit: 0 | 1, opened?: number][];
  /** Whose warps these are. */
  sm: number;
  /** Of DRAM: those that are simulated. */
  channels: number;
  banks: number;
  /** Of the simulated part of the launch. */
  end: number;
  /** Each part is complete up to its own time. */
  blocks_until: number;
  warps_until: number;
  dram_until: number;
}

export type Judgement = 'same' | 'better' | 'worse' | 'different' | 'not available';

/** One quantity of every compared profile, the first one first. */
export interface Compared {
  values: Value[];
  judgements: Judgement[];
  unit?: string;
  class?: MetricClass;
}

export interface ComparedKernel {
  kernels: ({
    name: string;
    match: string;
    calls: number;
    limiter: string | null;
    limiter_moved: boolean;
    advice: string[];
  } | null)[];
  seconds: Compared | null;
  speedups: Value[];
  metrics: Record<string, Compared>;
  lines: ComparedLine[];
}

export interface ComparedLine {
  places: ({ file: string; line: number; source: string } | null)[];
  seconds: Compared | null;
  metrics: Record<string, Compared>;
}

export interface Comparison {
  drywarp_compare: number;
  profiles: { name: string; program: string; advice: string[]; device: string; complete: boolean }[];
  seconds: Compared | null;
  kernels: ComparedKernel[];
}
