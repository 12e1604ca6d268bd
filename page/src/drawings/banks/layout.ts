// A warp's access to the banks of shared memory, pass by pass.
import { hasLane, laneCount, lanesIn, warpLanes } from '../shared/lanes';

export interface BankCell {
  bank: number;
  word: number | string;
  lanes: number;
}

export interface BankLayout {
  banks: number;
  passes: BankCell[][];
  /** Cells whose word several lanes read. */
  shared: number;
  /** The banks that each lane uses. */
  banksOf: number[][];
}

export function layOutBanks(banks: number, passes: BankCell[][]): BankLayout {
  const banksOf: number[][] = Array.from({ length: warpLanes }, () => []);
  let shared = 0;
  for (const cell of passes.flat()) {
    for (const lane of lanesIn(cell.lanes)) banksOf[lane]?.push(cell.bank);
    if (laneCount(cell.lanes) > 1) ++shared;
  }
  return { banks, passes, shared, banksOf };
}

/** The passes in which a lane is served. */
export const passesOf = (layout: BankLayout, lane: number): number[] =>
  layout.passes.flatMap((cells, pass) => (cells.some((cell) => hasLane(cell.lanes, lane)) ? [pass] : []));

/** Bytes from lane to lane, if it is the same for all. */
export function laneStep(lanes: number, addresses: readonly (number | string | null)[]): number | null {
  const active = lanesIn(lanes);
  const steps = new Set<string>();
  active.forEach((lane, i) => {
    const before = active[i - 1];
    if (before !== undefined) steps.add(String((BigInt(addresses[lane] ?? 0) - BigInt(addresses[before] ?? 0)) / BigInt(lane - before)));
  });
  const [only] = steps;
  return steps.size === 1 && only !== undefined ? Number(only) : null;
}

/** The row that padding lengthens, as far as the lanes tell: their step if they go down a column, else a round of the banks. */
export function rowBytes(step: number | null, banks: { count: number; word_bytes: number }): number {
  const round = banks.count * banks.word_bytes;
  return step !== null && Math.abs(step) > round && Math.abs(step) % 4 === 0 ? Math.abs(step) : round;
}
