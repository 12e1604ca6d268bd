// What `drywarp explain` answers, as far as the pictures use it (docs/explain.md).
import type { ExplainedAccess } from '../drawings/dram/layout';

export interface LaneAccess {
  lane: number;
  index: number;
  address: number;
}

export interface AccessAnswer {
  access: string;
  bytes: number;
  verdict: string;
  warp: { block: number; warp: number; sectors: number; ideal_sectors: number; packed_sectors: number; lines: number; unique_bytes: number; pieces: Record<string, number>; lanes: LaneAccess[] };
  all: { warps: number; requests: number; sectors: number; sectors_per_request: number; efficiency_percent: number };
  device: { name: string; filled_bytes: number | null; pieces: number | null };
}

export interface BanksAnswer {
  access: string;
  bytes: number;
  warp: { block: number; warp: number; wavefronts: number; ideal_wavefronts: number; ways: number; turns: { lanes: number[]; passes: { bank: number; word: number; lanes: number[] }[][] }[] };
  all: { warps: number; wavefronts: number; ideal_wavefronts: number; worst_ways: number; efficiency_percent: number };
  padding: { of: string; tried: { elements: number; wavefronts: number; ideal_wavefronts: number }[]; suggestion: { elements: number; wavefronts: number } | null };
  device: { name: string; banks: number | null };
}

export interface WarpsAnswer {
  block: [number, number, number];
  threads_per_block: number;
  warps_per_block: number;
  idle_lanes_per_block: number;
  warps_in_grid: number;
}

export interface DivergenceAnswer {
  branch: 'if' | 'switch' | 'loop';
  expression: string;
  all: { warps: number; working_warps: number; divergent_warps: number; branches: number; divergent_branches: number; branch_efficiency_percent: number; passes: number; active_lanes: number; efficiency_percent: number };
  warps: { block: number; warp: number; warps: number; divergent: boolean; passes: { value: number; lanes: number[] }[] }[];
}

export interface ReductionAnswer {
  reduction: string;
  condition: string;
  threads_per_block: number;
  additions_per_block: number;
  rounds: { stride: number; threads: number; working_warps: number; divergent_warps: number }[];
}

export interface DramAnswer {
  banks: number;
  channels: number;
  utilization_percent: number;
  bank_conflict_percent?: number;
  gb_per_second?: number;
  channel_gb_per_second?: number;
  banks_needed?: number | null;
  bursts?: number;
  row_hits?: number;
  closed_rows?: number;
  bank_conflicts?: number;
  accesses: ExplainedAccess[];
}

export interface CachesAnswer {
  device: string;
  levels: { name: string; of: string; bytes: number | null; line_bytes: number | null; latency_cycles: number | null; far_latency_cycles: number | null }[];
  size: number;
  pattern: string;
  multiprocessors: number;
  passes: { requests: number; l1_sectors: number; l1_hits: number; l2_sectors: number; l2_hits: number; dram_bytes: number; row_hits: number; row_misses: number; mean_latency_cycles: number }[];
  l1_data_bytes: number;
  past_l1: boolean;
  not_run: string | null;
}

export interface StreamAnswer {
  device: string;
  pattern: string;
  channels: number;
  banks: number;
  wanted_bytes: number;
  moved_bytes: number;
  row_hits: number;
  row_misses: number;
  bank_conflicts: number;
  row_hit_percent: number;
  bytes_by_channel: number[];
  bytes_by_bank: number[];
  channel_balance_percent: number;
  bank_balance_percent: number;
  bytes_per_second: number;
  peak_bytes_per_second: number;
}
