// How to read the numbers: what was simulated, on which device, with which stand-ins.
import { hasLevel } from '../../data';
import { bytes, count, rate, seconds } from '../../format/numbers';
import { Lazy } from '../lazy';
import { useReport } from '../report';

export function Conventions() {
  const { profile } = useReport();
  const { device, timing } = profile;
  const peaks: [string, number | null | undefined, string][] = [
    ['Single precision', timing?.peaks.sp_flops, 'flop/s'],
    ['Double precision', timing?.peaks.dp_flops, 'flop/s'],
    ['DRAM', timing?.peaks.dram_bytes_per_second, 'B/s'],
    ['L2', hasLevel(device, 'l2') ? timing?.peaks.l2_bytes_per_second : null, 'B/s'],
    ['L1', hasLevel(device, 'l1') ? timing?.peaks.l1_bytes_per_second : null, 'B/s'],
  ];
  const facts: [string, string][] = [
    ['Architecture', `${device.architecture}, compute capability ${device.compute_capability}`],
    ['SMs', `${count(device.sms)}${timing ? `, ${count(timing.sm_clock_hz / 1e6)} MHz` : ''}`],
    ['An SM', `${device.schedulers_per_sm} schedulers, ${device.warps_per_sm} warps, ${device.blocks_per_sm} blocks, ${count(device.registers_per_sm)} registers`],
    ['Shared memory an SM', bytes(device.shared_per_sm)],
    ...peaks.flatMap(([name, value, unit]): [string, string][] => (value ? [[`Peak, ${name}`, rate(value, unit)]] : [])),
  ];
  return (
    <section class="section" id="conventions" aria-labelledby="conventions-title">
      <h2 id="conventions-title">Device and conventions</h2>
      <div class="columns">
        <dl class="facts">
          <div><dt>Device</dt><dd>{device.name}</dd></div>
          {facts.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}
        </dl>
        <div>
          <p>drywarp ran the program without a GPU and counted as this device counts. <strong>Counts are exact</strong> and the same every time.</p>
          {timing && (
            <p>
              Numbers with a <strong>~</strong> are <strong>modelled</strong>: {count(timing.multiprocessors)} SMs at {count(timing.sm_clock_hz / 1e6)} MHz, kernels {timing.kernels}, caches {timing.caches}, the launch overhead of {seconds(timing.launch_overhead_seconds)} {timing.launch_overhead}.
            </p>
          )}
          {profile.moves && <p>{profile.moves}</p>}
          <p class="mono command">{profile.command}</p>
          {profile.created && <p class="muted small">{profile.created}</p>}
          {profile.stand_ins.length > 0 && (
            <details>
              <summary>{profile.stand_ins.length} numbers of this device that nobody published</summary>
              <ul class="small">{profile.stand_ins.map((s) => <li><code>{s.number}</code>: {s.by}</li>)}</ul>
            </details>
          )}
          {device.numbers.length > 0 && (
            <Lazy summary={`${device.numbers.length} numbers of the device, each with its source`}>
              {() => (
              <div class="scroll-x numbers" tabIndex={0} role="group" aria-label="Numbers of the device">
                <table class="plain">
                  <thead><tr><th scope="col">Number</th><th scope="col">Value</th><th scope="col">Kind</th><th scope="col">Source</th></tr></thead>
                  <tbody>{device.numbers.map((n) => <tr><th scope="row" class="mono">{n.path}</th><td class="number">{String(n.value)}</td><td>{n.kind}</td><td>{n.source}</td></tr>)}</tbody>
                </table>
              </div>
              )}
            </Lazy>
          )}
        </div>
      </div>
    </section>
  );
}
