// Builds dist/page.html: one file with its style, its program and a strict content security policy.
// drywarp replaces the mark <!--DATA--> by the document.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(root, 'dist/page.html');

const result = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.tsx'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.gz': 'base64' },
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  write: false,
  outdir: 'dist',
});

const bundled = (extension) => result.outputFiles.find((file) => file.path.endsWith(extension))?.text.trim() ?? '';
const script = bundled('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = bundled('.css');
const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policy = [
  "default-src 'none'",
  `script-src ${digest(script)} 'wasm-unsafe-eval'`,
  `style-src ${digest(style)}`,
  'img-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

// The licences of the libraries in the bundle ask to travel with it.
function licences() {
  const packages = new Set();
  for (const input of Object.keys(result.metafile.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (name) packages.add(name);
  }
  const texts = new Map();
  for (const name of [...packages].sort()) {
    const path = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((file) => join(root, 'node_modules', name, file)).find(existsSync);
    if (!path) throw new Error(`${name} has no licence file`);
    const text = readFileSync(path, 'utf8').trim().replaceAll('--', '- -');
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
  return [...texts].map(([text, names]) => `${names.join(', ')}:\n\n${text}`).join('\n\n');
}

const icon = 'data:image/svg+xml,' + encodeURIComponent(readFileSync(join(root, 'src/theme/icon.svg'), 'utf8').trim());

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="drywarp">
<title>drywarp</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<div id="page"><p class="loading">The page needs JavaScript. Its numbers are also in <code>drywarp report --format json</code>, and those of a sweep in <code>drywarp sweep show</code>.</p></div>
<!--DATA-->
<script>${script}</script>
<!--
This page contains these libraries.

${licences()}
-->
</body>
</html>
`;

if (page.split('<!--DATA-->').length !== 2) throw new Error('the page must hold <!--DATA--> once');
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${(page.length / 1024).toFixed(0)} KB, program ${(script.length / 1024).toFixed(0)} KB, style ${(style.length / 1024).toFixed(0)} KB`);
