// The engine's answer about a warp's banks, in the form of a document.
import { maskOf } from '../shared/lanes';
import type { BankCell } from './layout';

/** The key `warp` of the topics banks and recorded_banks. */
export interface WarpBanks {
  wavefronts: number;
  ideal_wavefronts: number;
  turns: { passes: { bank: number; word: number; lanes: number[] }[][] }[];
}

export const passesOf = (warp: WarpBanks): BankCell[][] =>
  warp.turns.flatMap((turn) => turn.passes.map((cells) => cells.map((cell) => ({ ...cell, lanes: maskOf(cell.lanes) }))));

/** For each of these passes the turn that it belongs to: wide accesses are served in turns of half or a quarter of the lanes. */
export const turnsOf = (warp: WarpBanks): number[] => warp.turns.flatMap((turn, i) => turn.passes.map(() => i));
