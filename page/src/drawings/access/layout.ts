// A recorded access in its sectors and lines: which bytes each lane touches, and which move without being used.
import { hasLane, laneCount, maskOf, warpLanes } from '../shared/lanes';

/** As a document has it: a text beyond 2^53, null where the lane is not active. */
export type Address = number | string | null;

export const sectorBytes = 32;
export const lineBytes = 128;
const sectorsOfLine = lineBytes / sectorBytes;

/** Bytes that the same lanes touch, by their place in the line. */
export interface Piece {
  from: number;
  to: number;
  lanes: number;
}

export interface Sector {
  touched: boolean;
  usedBytes: number;
  pieces: Piece[];
}

export interface Line {
  /** Bytes from the first touched line. */
  offset: number;
  sectors: Sector[];
}

export interface AccessLayout {
  /** Of the first touched line. */
  base: bigint;
  lines: Line[];
  /** Each lane's first byte, from `base`; null: not active. */
  offsets: (number | null)[];
  bytes: number;
  active: number;
  sectors: number;
  usedBytes: number;
  movedBytes: number;
}

export function layOutAccess(lanes: number, addresses: readonly Address[], bytes: number): AccessLayout {
  const places = addresses.map((address) => BigInt(address ?? 0));
  let base: bigint | null = null;
  for (let lane = 0; lane < warpLanes; ++lane) {
    const place = places[lane];
    if (place !== undefined && hasLane(lanes, lane) && (base === null || place < base)) base = place;
  }
  const first = base === null ? 0n : base - (((base % BigInt(lineBytes)) + BigInt(lineBytes)) % BigInt(lineBytes));
  const offsets = Array.from({ length: warpLanes }, (_, lane) => (hasLane(lanes, lane) ? Number((places[lane] ?? 0n) - first) : null));

  // A sector's pieces by their first byte, and its used bytes as a mask.
  const sectors = new Map<number, { pieces: Map<string, Piece & { all: number[] }>; used: number }>();
  offsets.forEach((offset, lane) => {
    if (offset === null) return;
    for (let at = offset; at < offset + bytes; ) {
      const number = Math.floor(at / sectorBytes);
      const to = Math.min(offset + bytes, (number + 1) * sectorBytes);
      const sector = sectors.get(number) ?? { pieces: new Map(), used: 0 };
      sectors.set(number, sector);
      const key = `${at} ${to}`;
      const piece = sector.pieces.get(key) ?? { from: at % lineBytes, to: ((to - 1) % lineBytes) + 1, lanes: 0, all: [] };
      sector.pieces.set(key, piece);
      piece.all.push(lane);
      for (let byte = at; byte < to; ++byte) sector.used |= 1 << (byte % sectorBytes);
      at = to;
    }
  });

  const lines: Line[] = [];
  const numbers = [...new Set([...sectors.keys()].map((number) => Math.floor(number / sectorsOfLine)))].sort((a, b) => a - b);
  let usedBytes = 0;
  for (const number of numbers) {
    lines.push({
      offset: number * lineBytes,
      sectors: Array.from({ length: sectorsOfLine }, (_, i) => {
        const sector = sectors.get(number * sectorsOfLine + i);
        const used = laneCount((sector?.used ?? 0) >>> 0);
        usedBytes += used;
        return {
          touched: sector !== undefined,
          usedBytes: used,
          pieces: [...(sector?.pieces.values() ?? [])].map(({ from, to, all }) => ({ from, to, lanes: maskOf(all) })),
        };
      }),
    });
  }
  return { base: first, lines, offsets, bytes, active: lanes, sectors: sectors.size, usedBytes, movedBytes: sectors.size * sectorBytes };
}

/** The numbers of the lines and sectors that a lane touches, from the first touched line's. */
export function placeOf(layout: AccessLayout, lane: number): { line: number; sector: number; from: number; to: number } | null {
  const offset = layout.offsets[lane];
  if (offset === null || offset === undefined) return null;
  return { line: Math.floor(offset / lineBytes), sector: Math.floor(offset / sectorBytes), from: offset, to: offset + layout.bytes - 1 };
}
