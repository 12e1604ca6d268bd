// Compiles drywarp's explain engine to wasm/explain.wasm.gz, which is checked in. Needs clang, lld, libc++ and the C
// library for WASI: Debian's clang-19 lld-19 libc++-19-dev-wasm32 libclang-rt-19-dev-wasm32 wasi-libc, and binaryen for a smaller file.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const src = join(here, '../../src');
const out = join(here, 'out');

// The files that an explanation needs; what none of them calls is left out by the linker.
const sources = [
  ...['access', 'banks', 'caches', 'divergence', 'dram_rows', 'dram_stream', 'dram_timeline', 'lanes', 'launch_configuration', 'names']
    .map((name) => `faces/explain/${name}.cpp`),
  ...['json', 'json_memory', 'json_parts'].map((name) => `faces/explain/draw/${name}.cpp`),
  ...readdirSync(join(src, 'base/access')).filter((name) => name.endsWith('.cpp')).sort().map((name) => `base/access/${name}`),
  ...['device_features', 'device_fields', 'device_spec', 'timing_numbers'].map((name) => `base/device/${name}.cpp`),
  'base/support/expression.cpp',
  'base/support/result.cpp',
  ...['cache', 'dram', 'l2', 'memory_system'].map((name) => `model/memory/${name}.cpp`),
  'model/machine/device_numbers.cpp',
  'model/machine/machine_code.cpp',
  'model/machine/machine_model.cpp',
  'model/machine/slice.cpp',
];

// fmt and nlohmann are headers only, and their folder also holds headers of the host's C library.
function linkHeaders() {
  const include = join(out, 'include');
  rmSync(include, { recursive: true, force: true });
  mkdirSync(include, { recursive: true });
  for (const name of ['fmt', 'nlohmann']) {
    const found = ['/usr/include', '/usr/local/include'].map((folder) => join(folder, name)).find(existsSync);
    if (!found) throw new Error(`the headers of ${name} are missing`);
    symlinkSync(found, join(include, name));
  }
  return include;
}

function buildEngine() {
  mkdirSync(out, { recursive: true });
  const include = linkHeaders();
  const flags = [
    '--target=wasm32-wasi', '-std=c++20', '-Oz', '-flto', '-fno-exceptions', '-fno-rtti', '-ffunction-sections',
    '-DNDEBUG', '-DFMT_HEADER_ONLY', '-DFMT_EXCEPTIONS=0', '-DJSON_NOEXCEPTION', '-DJSON_HAS_RANGES=0',
    // Without the C++ library's locales.
    "-DFMT_STATIC_THOUSANDS_SEPARATOR=','", '-DFMT_USE_LONG_DOUBLE=0', '-DFMT_USE_FLOAT128=0',
    '-Wall', '-Wextra', '-Werror',
    `-I${src}`, `-I${here}`, '-isystem', include,
  ];
  const link = ['-mexec-model=reactor', '-Wl,--gc-sections', '-Wl,--strip-all', '-Wl,-z,stack-size=262144'];
  const raw = join(out, 'raw.wasm'), wasm = join(out, 'explain.wasm');
  // One translation unit: the headers are most of the work.
  const unit = join(out, 'engine.cpp');
  const files = [...sources, join(here, 'device.cpp'), join(here, 'huge_pages.cpp'), join(here, 'explain.cpp')];
  writeFileSync(unit, files.map((name) => `#include "${name}"\n`).join(''));
  execFileSync('clang++-19', [...flags, ...link, unit, '-o', raw], { stdio: 'inherit' });
  execFileSync('wasm-opt', ['-Oz', '--enable-bulk-memory', '--enable-sign-ext', '--strip-producers', raw, '-o', wasm], { stdio: 'inherit' });
  const bytes = readFileSync(wasm), packed = gzipSync(bytes, { level: 9 });
  writeFileSync(join(here, 'explain.wasm.gz'), packed);
  console.log(`explain.wasm.gz: ${(packed.length / 1024).toFixed(0)} KB, ${(bytes.length / 1024).toFixed(0)} KB unpacked`);
}

buildEngine();
