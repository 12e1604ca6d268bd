// The documents that the tests show: of the drywarp that DRYWARP names, or those that are kept in tests/data.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { ReportDocument } from '../../src/data';

export interface Sample {
  name: string;
  document: ReportDocument;
  /** The whole page that drywarp wrote, if it wrote one. */
  html: string | null;
}

// A folder of other documents can be shown too: DOCUMENTS=folder.
const data = process.env['DOCUMENTS'] ?? fileURLToPath(new URL('../data', import.meta.url));
const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const profiled = readdirSync(examples).filter((file) => file.endsWith('.cu')).map((file) => basename(file, '.cu'));

let all: Sample[] | undefined;

/** A sweep of four GPUs with names and a constraint; one whose rows fail and are dropped is kept. */
export function sweeps(): Sample[] {
  const folder = join(data, 'sweeps');
  const old = readdirSync(folder).filter((file) => file.endsWith('.json.gz')).sort().map((file) => ({ name: basename(file, '.json.gz'), document: JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString('utf8')) as ReportDocument, html: null }));
  const drywarp = process.env['DRYWARP'];
  return drywarp ? [sweptBy(drywarp), ...old] : old;
}

function sweptBy(drywarp: string): Sample {
  const folder = mkdtempSync(join(tmpdir(), 'drywarp-sweep-'));
  const file = join(folder, 'reduction.dwsweep');
  const html = join(folder, 'reduction.html');
  try {
    execFileSync(drywarp, ['sweep', join(examples, 'sweeps/reduction.cu'), '-D', 'BLOCK=128,256', '-D', 'ITEMS=4,8', '--device', 'h200,a100', '-o', file], { stdio: 'pipe' });
    execFileSync(drywarp, ['sweep', 'plot', '--html', html, file], { stdio: 'pipe' });
    const page = readFileSync(html, 'utf8');
    const packed = /id="data">([^<]*)</.exec(page)?.[1] ?? '';
    return { name: 'a new sweep', document: JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8')) as ReportDocument, html: page };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Made once: a profile of every example takes half a minute. */
export function samples(): Sample[] {
  const drywarp = process.env['DRYWARP'];
  return (all ??= drywarp ? made(drywarp) : kept());
}

function kept(): Sample[] {
  return readdirSync(data).filter((file) => file.endsWith('.json.gz')).sort().map((file) => {
    const document = JSON.parse(gunzipSync(readFileSync(join(data, file))).toString('utf8')) as ReportDocument;
    return { name: basename(file, '.json.gz'), document, html: null };
  });
}

function made(drywarp: string): Sample[] {
  const folder = mkdtempSync(join(tmpdir(), 'drywarp-samples-'));
  // A program that makes a mistake ends with an error, and its profile is still kept.
  const run = (...args: string[]) => {
    try {
      execFileSync(drywarp, args, { stdio: 'pipe', maxBuffer: 1 << 28 });
    } catch (error) {
      if (args[0] !== 'profile') throw error;
    }
  };
  const report = (name: string, ...profiles: string[]): Sample => {
    const json = join(folder, `${name}.json`);
    const html = join(folder, `${name}.html`);
    run('report', ...profiles, '--format', 'json', '-o', json);
    run('report', ...profiles, '-o', html);
    return { name, document: JSON.parse(readFileSync(json, 'utf8')) as ReportDocument, html: readFileSync(html, 'utf8') };
  };
  try {
    const all = profiled.map((name) => {
      const profile = join(folder, `${name}.dwprof`);
      run('profile', '-o', profile, join(examples, `${name}.cu`));
      return report(name, profile);
    });
    const other = join(folder, 'vector_add_v100.dwprof');
    run('profile', '--device', 'v100', '-o', other, join(examples, 'vector_add.cu'));
    return [...all, report('compared', join(folder, 'vector_add.dwprof'), other)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
