// Runs drywarp, and describes a device as a report's document does.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const drywarp = process.env['DRYWARP'] ?? join(import.meta.dirname, '../../../build/bin/drywarp');
/** Of tests that compare with the program: why they cannot run. */
export const needsDrywarp = { skip: existsSync(drywarp) ? false : 'there is no drywarp: name it with DRYWARP' };
export const run = (words: string[]): string => execFileSync(drywarp, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

interface PrintedDevice {
  id: string;
  name: string;
  compute_capability: string;
  numbers: Record<string, { value: unknown }>;
}
const devices = new Map<string, object>();
export function deviceOf(id: string): object {
  let device = devices.get(id);
  if (!device) {
    const printed = JSON.parse(run(['devices', id, '--format', 'json'])) as PrintedDevice;
    device = {
      id: printed.id,
      name: printed.name,
      compute_capability: printed.compute_capability,
      numbers: Object.entries(printed.numbers).map(([path, { value }]) => ({ path, value })),
    };
    devices.set(id, device);
  }
  return device;
}
