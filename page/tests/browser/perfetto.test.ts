// The trace of `drywarp report --format perfetto` in Perfetto's user interface: it reads every event and complains of none.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PerfettoUi } from './perfetto_ui';

interface TraceEvent { ph: string; name: string; pid: number; tid: number; ts?: number; dur?: number; args?: { name?: string } }

const drywarp = process.env['DRYWARP'];
const examples = fileURLToPath(new URL('../../../examples', import.meta.url));

function traceOf(drywarp: string, example: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'drywarp-trace-'));
  try {
    const profile = join(folder, 'run.dwprof');
    const trace = join(folder, 'trace.json');
    execFileSync(drywarp, ['profile', '-o', profile, join(examples, `${example}.cu`)], { stdio: 'pipe' });
    execFileSync(drywarp, ['report', profile, '--format', 'perfetto', '-o', trace], { stdio: 'pipe' });
    return readFileSync(trace, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How often each thing is there. */
function counted(keys: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

// One kernel; several kernels, launches and copies.
for (const example of ['vector_add', 'divergence'])
  test(`${example}: Perfetto opens the trace and has every event`, { skip: drywarp ? false : 'needs DRYWARP' }, async () => {
    const trace = traceOf(drywarp ?? '', example);
    const events = (JSON.parse(trace) as { traceEvents: TraceEvent[] }).traceEvents;
    const slices = events.filter((event) => event.ph === 'X');
    const names = new Map(events.filter((event) => event.ph === 'M' && event.name === 'process_name').map((event) => [event.pid, event.args?.name ?? '']));
    const perfetto = await PerfettoUi.open(trace);
    try {
      assert.deepEqual(await perfetto.query(`select name, value from stats where value > 0 and severity in ('error', 'data_loss')`), []);
      const read = await perfetto.query(
        `select process.name as process, count(*) as slices, sum(slice.dur) as ns from slice
         join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid) group by process.name`);
      assert.deepEqual(Object.fromEntries(read.map((row) => [row['process'], Number(row['slices'])])), counted(slices.map((slice) => names.get(slice.pid) ?? '?')));
      // Perfetto keeps whole nanoseconds.
      for (const row of read) {
        const ours = slices.filter((slice) => names.get(slice.pid) === row['process']);
        const ns = ours.reduce((sum, slice) => sum + 1000 * (slice.dur ?? 0), 0);
        assert.ok(Math.abs(Number(row['ns']) - ns) <= ours.length, `${row['process']}: ${row['ns']} ns, the trace has ${ns}`);
      }
      const named = await perfetto.query(`select slice.name as name from slice`);
      assert.deepEqual(counted(named.map((row) => row['name'] ?? '')), counted(slices.map((slice) => slice.name)));
      await perfetto.page.waitForTimeout(1000);
      assert.ok((await perfetto.colours()) >= 4, 'the tracks are drawn in colours');
      assert.deepEqual(perfetto.errors, []);
    } finally {
      await perfetto.close();
    }
  });
