// What a learner can move: the inputs of each topic are the options of `drywarp explain`. One table makes the fields, the
// question to the engine, the command to copy and the state in the address.
import type { Question } from './engine';

export type FieldKind = 'number' | 'text' | 'choice' | 'dims' | 'list';
/** Of a field: a number, a text, or x, y, z. */
export type FieldValue = number | string | number[] | string[];
export type Values = Record<string, FieldValue>;

export interface Field {
  /** The option, with _ for -. */
  key: string;
  label: string;
  kind: FieldKind;
  /** What the command has without the option. */
  initial: FieldValue;
  /** Of a slider; the box beside it takes any number. */
  range?: readonly [least: number, most: number, step?: number];
  choices?: readonly { value: string | number; label: string }[];
  placeholder?: string;
  help?: string;
  /** Only shown where this is true. */
  when?: (values: Values) => boolean;
  /** Part of the picture, not of the command. */
  own?: boolean;
  /** Shown on request. */
  rare?: boolean;
}

export interface Topic {
  id: string;
  /** The command's word. */
  command: string;
  /** In the list of topics. */
  short: string;
  title: string;
  lede: string;
  fields: readonly Field[];
  presets: readonly { label: string; values: Values }[];
  /** Its answers are of the document's device. */
  ofDevice?: boolean;
}

const number = (key: string, label: string, initial: number, range: readonly [number, number, number?], help?: string): Field => ({ key, label, kind: 'number', initial, range, help });
const choice = (key: string, label: string, initial: string | number, choices: readonly (string | number)[], help?: string): Field =>
  ({ key, label, kind: 'choice', initial, choices: choices.map((value) => ({ value, label: String(value) })), help });
const block = (initial: number[] = [32, 1, 1]): Field => ({ key: 'block', label: 'Block', kind: 'dims', initial, help: 'threads in x, y and z' });
const grid: Field = { key: 'grid', label: 'Grid', kind: 'dims', initial: [1, 1, 1], help: 'blocks in x, y and z' };
const rare = (field: Field): Field => ({ ...field, rare: true });
const lets: Field = { key: 'let', label: 'Names', kind: 'list', initial: [], placeholder: 'Width=1024, k=0', help: 'names that the expressions use' };
const bytes = choice('bytes', 'Bytes an element', 4, [1, 2, 4, 8, 16]);
const flat = (values: Values): boolean => !values['index'];
const stride: Field = { ...number('stride', 'Stride', 1, [0, 33], 'elements from thread to thread'), when: flat };
const offset: Field = { ...number('offset', 'Offset', 0, [0, 32], 'element of thread 0'), when: flat };
const index = (placeholder: string): Field => ({ key: 'index', label: 'Index', kind: 'text', initial: '', placeholder, help: 'C, over threadIdx, blockIdx, tx, ty, tid, gid, lane, Row, Col; instead of stride and offset' });
const condition: Field = { key: 'if', label: 'Only threads with', kind: 'text', initial: '', placeholder: 'gid < 1000' };
const warp: Field = number('warp', 'Warp', 0, [0, 31], 'the warp that is drawn');
const array: Field = { key: 'array', label: 'Array', kind: 'text', initial: '', placeholder: '32x32', help: 'dimensions, for an index with several subscripts' };
const patterns: Field = { key: 'pattern', label: 'Pattern', kind: 'text', initial: 'sequential', placeholder: 'sequential, stride 4 or random', help: 'sequential, stride N or random' };

/** As the command reads them and the page says them. */
const sizes = [16, 32, 64, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384].map((kb) => ({ value: kb * 1024, label: kb < 1024 ? `${kb} KB` : `${kb / 1024} MB` }));

export const topics: readonly Topic[] = [
  {
    id: 'access',
    command: 'access',
    short: 'Global memory',
    title: 'Global memory: sectors and lines',
    lede: 'A warp asks for 32 elements at once. Memory moves whole sectors of 32 bytes: the fewer of them hold the elements, the better the access is coalesced.',
    fields: [index('M[Row * Width + k]'), lets, stride, offset, bytes, block(), ...[array, condition, grid, warp, number('base', 'Base', 0, [0, 128, 4], 'byte address of the array')].map(rare)],
    presets: [
      { label: 'Neighbours', values: {} },
      { label: 'Shifted by one', values: { offset: 1 } },
      { label: 'Every second', values: { stride: 2 } },
      { label: 'A row each', values: { index: 'M[Row * Width + k]', let: ['Width=1024', 'k=0'], block: [1, 32, 1] } },
      { label: 'A column each', values: { index: 'N[k * Width + Col]', let: ['Width=1024', 'k=0'] } },
      { label: 'float4', values: { bytes: 16 } },
      { label: 'One for all', values: { index: 'a[0]' } },
    ],
  },
  {
    id: 'banks',
    command: 'banks',
    short: 'Shared memory',
    title: 'Shared memory: banks',
    lede: 'Successive words of 4 bytes are in successive banks. In one pass a bank gives one word, to every lane that wants it; lanes that want other words of the bank wait for the next pass.',
    fields: [
      index('tile[threadIdx.x][threadIdx.y]'), array,
      { key: 'pad', label: 'Padding', kind: 'number', initial: 0, range: [0, 32], help: 'elements added to each row of the array', own: true, when: (values) => /^\d+(x\d+)+$/.test(String(values['array'] ?? '')) },
      stride, offset, bytes, block(), ...[choice('op', 'Operation', 'load', ['load', 'store', 'atomic', 'cas', 'copy']), lets, condition, warp].map(rare),
    ],
    presets: [
      { label: 'Neighbours', values: {} },
      { label: 'Stride 2', values: { stride: 2 } },
      { label: 'Stride 32', values: { stride: 32 } },
      { label: 'A column', values: { index: 'tile[threadIdx.x][threadIdx.y]', array: '32x32', block: [32, 8, 1] } },
      { label: 'A padded column', values: { index: 'tile[threadIdx.x][threadIdx.y]', array: '32x32', pad: 1, block: [32, 8, 1] } },
      { label: 'One word for all', values: { index: 's[0]' } },
      { label: 'double', values: { bytes: 8 } },
    ],
  },
  {
    id: 'warps',
    command: 'warps',
    short: 'Warps',
    title: 'A block in warps',
    lede: 'Threads are numbered with x fastest, then y, then z; 32 in a row form a warp. A block whose threads are no multiple of 32 leaves lanes without a thread.',
    fields: [block([16, 16, 1]), grid],
    presets: [
      { label: '256', values: { block: [256, 1, 1] } },
      { label: '16 x 16', values: { block: [16, 16, 1] } },
      { label: '32 x 8', values: { block: [32, 8, 1] } },
      { label: '6 x 5 x 2', values: { block: [6, 5, 2] } },
      { label: '100', values: { block: [100, 1, 1] } },
    ],
  },
  {
    id: 'divergence',
    command: 'divergence',
    short: 'Divergence',
    title: 'Divergence',
    lede: 'Lanes of a warp that take different paths run one path after the other, while the other lanes wait.',
    fields: [
      { key: 'branch', label: 'Branch', kind: 'choice', initial: 'if', choices: [{ value: 'if', label: 'if' }, { value: 'switch', label: 'switch' }, { value: 'loop', label: 'loop, trips' }], own: true },
      { key: 'expression', label: 'Expression', kind: 'text', initial: 'threadIdx.x % 2 == 0', placeholder: 'threadIdx.x > 2', own: true, help: 'the condition, the value, or the number of trips' },
      lets, block([64, 1, 1]), grid,
    ],
    presets: [
      { label: 'Odd and even', values: { expression: 'threadIdx.x % 2 == 0' } },
      { label: 'By warp', values: { expression: 'threadIdx.x / 32 == 0' } },
      { label: 'First three', values: { expression: 'threadIdx.x > 2', block: [128, 1, 1] } },
      { label: 'A vector of 1000', values: { expression: 'gid < 1000', block: [256, 1, 1], grid: [4, 1, 1] } },
      { label: 'Six to eight trips', values: { branch: 'loop', expression: '6 + threadIdx.x % 3', block: [32, 1, 1] } },
      { label: 'Four cases', values: { branch: 'switch', expression: 'threadIdx.x % 4', block: [32, 1, 1] } },
    ],
  },
  {
    id: 'reduction',
    command: 'divergence',
    short: 'Reduction',
    title: "A reduction's rounds",
    lede: 'A block adds its elements in pairs, in log2 rounds. Which threads add decides whether warps diverge or retire as a whole.',
    fields: [
      { key: 'reduction', label: 'Pairs', kind: 'choice', initial: 'interleaved', choices: [{ value: 'neighbored', label: 'neighbored: tid % (2 * s) == 0' }, { value: 'rearranged', label: 'rearranged: 2 * s * tid < blockDim.x' }, { value: 'interleaved', label: 'interleaved: tid < s' }] },
      { key: 'block', label: 'Threads of a block', kind: 'choice', initial: 128, choices: [32, 64, 128, 256, 512, 1024].map((value) => ({ value, label: String(value) })) },
    ],
    presets: [
      { label: 'Neighbored', values: { reduction: 'neighbored' } },
      { label: 'Rearranged', values: { reduction: 'rearranged' } },
      { label: 'Interleaved', values: { reduction: 'interleaved' } },
    ],
  },
  {
    id: 'dram',
    command: 'dram',
    short: 'DRAM',
    title: 'DRAM: banks and channels',
    lede: 'A bank needs a long time to fetch data from its cells, and the bus a short time to move them. With a latency of R transfers, R + 1 banks keep the bus busy.',
    fields: [number('latency', 'Latency', 20, [1, 60], 'time until a bank has the data'), number('transfer', 'Transfer', 1, [1, 10], 'time of the burst on the bus'), number('banks', 'Banks', 1, [1, 32], 'of a channel'), number('channels', 'Channels', 1, [1, 8]), patterns],
    presets: [
      { label: 'One bank', values: {} },
      { label: 'Two banks', values: { banks: 2 } },
      { label: 'Enough banks', values: { banks: 21 } },
      { label: 'Two channels', values: { banks: 4, channels: 2 } },
      { label: 'All in one channel', values: { banks: 4, channels: 4, pattern: 'stride 4' } },
    ],
  },
  {
    id: 'rows',
    command: 'dram',
    short: 'Rows of DRAM',
    title: 'DRAM: open and closed rows',
    lede: 'A bank keeps one row open. A burst of the open row is only read; for another row the bank first closes the one (precharge) and opens the other (activate).',
    fields: [
      number('row_bursts', 'Bursts a row', 4, [1, 16]), number('banks', 'Banks', 4, [1, 16], 'of a channel'), number('channels', 'Channels', 1, [1, 4]), patterns,
      number('precharge', 'Precharge', 7, [1, 30], 'time to close a row'), number('activate', 'Activate', 7, [1, 30], 'time to open a row'), number('read', 'Read', 6, [1, 30], "time until an open row's data arrive"), number('transfer', 'Transfer', 1, [1, 8]),
    ],
    presets: [
      { label: 'In order', values: {} },
      { label: 'Random', values: { pattern: 'random' } },
      { label: 'One bank', values: { banks: 1 } },
      { label: 'Stride of a row', values: { pattern: 'stride 4' } },
      { label: 'Long rows', values: { row_bursts: 16 } },
    ],
  },
  {
    id: 'caches',
    command: 'caches',
    ofDevice: true,
    short: 'Caches',
    title: 'Caches: a working set, read again and again',
    lede: 'A working set that fits into L1 comes from DRAM once; after that L1 has it. A larger one comes from L2, or from DRAM each time.',
    fields: [
      { key: 'size', label: 'Working set', kind: 'choice', initial: 65536, choices: sizes },
      number('passes', 'Passes', 3, [1, 6], 'how often it is read'), patterns, bytes, number('sms', 'Multiprocessors', 1, [1, 8], 'that share the reads'),
    ],
    presets: [
      { label: 'Fits into L1', values: {} },
      { label: 'Fits into L2', values: { size: 1048576 } },
      { label: 'Strided', values: { pattern: 'stride 32' } },
      { label: 'Random', values: { pattern: 'random' } },
    ],
  },
  {
    id: 'stream',
    command: 'dram',
    ofDevice: true,
    short: 'DRAM of the device',
    title: "A stream through the device's DRAM",
    lede: 'Addresses are spread over channels and banks, so that all of them work at once. Accesses that open a row each cost bandwidth, and so does moving bytes that nobody wants.',
    fields: [
      { ...patterns, help: 'of elements: sequential, stride N or random' }, bytes,
      { key: 'size', label: 'Bytes to read', kind: 'choice', initial: 1048576, choices: sizes.filter(({ value }) => value >= 262144) },
    ],
    presets: [
      { label: 'In order', values: {} },
      { label: 'Stride 8', values: { pattern: 'stride 8' } },
      { label: 'Stride 1024', values: { pattern: 'stride 1024' } },
      { label: 'Random', values: { pattern: 'random' } },
    ],
  },
];

/** "128K" as the command reads it; null: not a size. */
export function readSize(text: string): number | null {
  const found = /^(\d+)\s*([KMG]?)B?$/i.exec(text);
  return found ? Number(found[1]) * 1024 ** ' KMG'.indexOf(found[2]?.toUpperCase() || ' ') : null;
}

export const initialOf = (topic: Topic): Values => Object.fromEntries(topic.fields.map((field) => [field.key, field.initial]));
const same = (a: FieldValue | undefined, b: FieldValue | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Dimensions of the padded array: "32x33". */
export function paddedArray(values: Values): string {
  const text = String(values['array'] ?? '');
  const pad = Number(values['pad'] ?? 0);
  if (pad === 0 || !/^\d+(x\d+)+$/.test(text)) return text;
  const sides = text.split('x').map(Number);
  const last = sides.pop() ?? 0;
  return [...sides, last + pad].join('x');
}

/** The engine's question; keys with the command's default are left out, except those that choose what is drawn. */
export function questionOf(topic: Topic, values: Values): Question {
  const question: Question = { topic: topic.command };
  const add = (key: string, value: FieldValue | undefined) => {
    if (value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)) question[key] = value;
  };
  for (const field of topic.fields) {
    if (field.own || (field.when && !field.when(values))) continue;
    add(field.key, field.key === 'array' ? paddedArray(values) : values[field.key]);
  }
  if (topic.id === 'divergence') add(String(values['branch']), values['expression']);
  if (topic.id === 'reduction') question['block'] = [Number(values['block'])];
  if (topic.id === 'stream') question['of_device'] = true;
  return question;
}

/** What the command has where a question says nothing. */
const commandDefaults: Record<string, FieldValue> = { block: [32, 1, 1], grid: [1, 1, 1] };

const quoted = (word: string): string => (/^[\w.,:=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The command that says the same in a terminal. */
export function commandOf(topic: Topic, values: Values, device: string | null): string {
  const words = ['drywarp', 'explain', topic.command];
  const question = questionOf(topic, values);
  for (const [key, value] of Object.entries(question)) {
    if (key === 'topic' || key === 'of_device') continue;
    const field = topic.fields.find((own) => own.key === key);
    const unsaid = topic.id === 'reduction' && key === 'block' ? [128] : (commandDefaults[key] ?? field?.initial);
    // What draws rows must be said at least once.
    if (same(value as FieldValue, unsaid) && key !== 'row_bursts' && key !== 'reduction' && !(topic.id === 'stream' && key === 'size')) continue;
    const option = `--${key.replaceAll('_', '-')}`;
    if (key === 'let') for (const one of value as string[]) words.push(option, quoted(one));
    else if (key === 'pattern') words.push(option, ...String(value).split(' ').map(quoted));
    else if (Array.isArray(value)) words.push(option, dimsText(value as number[]));
    else words.push(option, quoted(String(value)));
  }
  if (device && (topic.ofDevice || topic.id === 'access' || topic.id === 'banks')) words.push('--device', quoted(device));
  return words.join(' ');
}

export const dimsText = (dims: readonly number[]): string => {
  const used = dims.length > 2 && dims[2] !== 1 ? 3 : dims.length > 1 && dims[1] !== 1 ? 2 : 1;
  return dims.slice(0, used).join('x');
};

/** "#access?stride=2": what differs from the topic's initial values. */
export function hashOf(topic: Topic, values: Values): string {
  const query = new URLSearchParams();
  for (const field of topic.fields) {
    const value = values[field.key];
    if (value === undefined || same(value, field.initial)) continue;
    if (field.kind === 'dims') query.set(field.key, dimsText(value as number[]));
    else if (Array.isArray(value)) for (const one of value) query.append(field.key, String(one));
    else query.set(field.key, String(value));
  }
  const text = query.toString();
  return `#${topic.id}${text ? `?${text}` : ''}`;
}

/** null: the address names no topic. */
export function readHash(hash: string): { topic: Topic; values: Values } | null {
  const [id = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const topic = topics.find((own) => own.id === id);
  if (!topic) return null;
  const given = new URLSearchParams(query);
  const values = initialOf(topic);
  for (const field of topic.fields) {
    const texts = given.getAll(field.key);
    if (texts[0] !== undefined) values[field.key] = valueOf(field, texts);
  }
  return { topic, values };
}

function valueOf(field: Field, texts: string[]): FieldValue {
  const [text = ''] = texts;
  if (field.kind === 'list') return texts;
  if (field.kind === 'dims') return readDims(text) ?? field.initial;
  if (typeof field.initial === 'number') return Number.isFinite(Number(text)) ? Number(text) : field.initial;
  return text;
}

/** x, y, z of "16x16"; null: not dimensions. */
export function readDims(text: string): number[] | null {
  if (!/^\s*\d+(\s*x\s*\d+){0,2}\s*$/.test(text)) return null;
  const dims = text.split('x').map(Number);
  return [dims[0] ?? 1, dims[1] ?? 1, dims[2] ?? 1];
}

/** The topic and values of what a command asked for, of a device or of none; null: its inputs cannot be moved. */
export function fromInput(command: string, input: Record<string, unknown>, ofDevice: boolean): { topic: Topic; values: Values } | null {
  const rows = ['row_bursts', 'precharge', 'activate', 'read'].some((key) => key in input);
  const id = command === 'divergence' && 'reduction' in input ? 'reduction' : command === 'dram' && rows ? 'rows' : command === 'dram' && ofDevice ? 'stream' : command;
  const topic = topics.find((own) => own.id === id);
  if (!topic || (topic.ofDevice && !ofDevice)) return null;
  const values = initialOf(topic);
  // What the command has where it is not told; the page's own first values are other examples.
  if (topic.fields.some((field) => field.key === 'block' && field.kind === 'dims')) values['block'] = [32, 1, 1];
  if (topic.id === 'stream') values['size'] = 8 << 20;
  for (const field of topic.fields) {
    const given = input[field.key];
    if (given === undefined || given === null) continue;
    if (topic.id === 'reduction' && field.key === 'block') values['block'] = Array.isArray(given) ? Number(given[0]) : Number(given);
    else if (field.kind === 'dims' && Array.isArray(given)) values[field.key] = [0, 1, 2].map((axis) => Number(given[axis] ?? 1));
    else if (field.key === 'size') values['size'] = readSize(String(given)) ?? field.initial;
    else values[field.key] = given as FieldValue;
  }
  if (topic.id === 'divergence')
    for (const branch of ['if', 'switch', 'loop']) if (typeof input[branch] === 'string') Object.assign(values, { branch, expression: input[branch] });
  return { topic, values };
}
