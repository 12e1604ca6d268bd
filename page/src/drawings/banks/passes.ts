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
