// Source, PTX and modelled machine code side by side, with counts and times as heat, linked three ways.
import { useMemo, useState } from 'preact/hooks';
import type { Kernel, PartTime, SourceLine } from '../../data';
import { fileName } from '../../format/names';
import { count } from '../../format/numbers';
import { useReport } from '../report';
import { kernelLink, replaceRoute } from '../route';
import { type Column, type Part, columnsOf } from './columns';
import { Details } from './details';
import { Code, highlight } from './highlight';
import { Pane, type PaneRow } from './pane';
import { type Selection, ofInstruction, onLine, placeOf, selectionOf } from './selection';
import './source.css';

type PaneName = 'source' | 'ptx' | 'machine';
const around = 40;
const instructionColumns = ['time', 'stalls', 'lanes', 'sectors', 'conflicts'];
// The machine code has the stalls where there is some.
const besideMachineCode = instructionColumns.filter((key) => key !== 'stalls');

export function SourcePage({ kernel, index, place }: { kernel: Kernel; index: number; place: string }) {
  const { report, profile, profileIndex } = useReport();
  const columns = useMemo(() => columnsOf(kernel, report), [kernel, report]);
  const useful = useMemo(() => columns.filter((column) => kernel.lines.some((line) => column.value(line) !== null) && (column.key !== 'lanes' || kernel.lines.some((line) => column.heat(line) > 0))), [columns, kernel]);
  const [shown, setShown] = useState(() => new Set(columns.filter((column) => column.preset && (innerWidth >= 900 || column.key === 'time')).map((column) => column.key)));
  const [panes, setPanes] = useState<Set<PaneName>>(() => new Set<PaneName>(innerWidth < 900 ? ['source'] : kernel.machine_code ? ['source', 'ptx', 'machine'] : ['source', 'ptx']));
  const selection = selectionOf(place, kernel);
  const choose = (to: Selection) => replaceRoute(kernelLink(profileIndex, index, 'source', placeOf(to)));
  const toggle = <T,>(set: Set<T>, value: T): Set<T> => {
    const next = new Set(set);
    if (!next.delete(value)) next.add(value);
    return next;
  };
  const files = [...new Set(kernel.lines.map((line) => line.file).filter(Boolean))];
  const file = selection?.file ?? files[0] ?? '';
  const visible = useful.filter((column) => shown.has(column.key));
  const paneNames: [PaneName, string][] = [['source', 'Source'], ['ptx', 'PTX'], ...(kernel.machine_code ? [['machine', 'Machine code'] as [PaneName, string]] : [])];
  if (!selection) return <p class="muted section">The kernel has no source lines: it was compiled without -lineinfo.</p>;
  return (
    <div class="source">
      <div class="source-controls">
        {files.length > 1 && (
          <label>File{' '}
            <select value={file} onChange={(event) => { const first = kernel.lines.find((line) => line.file === event.currentTarget.value); if (first) choose({ file: first.file, line: first.line, instruction: null }); }}>
              {files.map((f) => <option value={f}>{fileName(f)}</option>)}
            </select>
          </label>
        )}
        <div class="toggle" role="group" aria-label="Panes">
          {paneNames.map(([name, title]) => <button type="button" aria-pressed={panes.has(name)} onClick={() => setPanes(toggle(panes, name))}>{title}</button>)}
        </div>
        <details class="source-columns">
          <summary class="button">Columns</summary>
          <div class="source-menu">
            {useful.map((column) => (
              <label class="check" data-tip={column.tip}><input type="checkbox" checked={shown.has(column.key)} onChange={() => setShown(toggle(shown, column.key))} /> {column.title}</label>
            ))}
          </div>
        </details>
        <span class="muted source-hint">Choose a line: what belongs to it is marked in every pane.</span>
      </div>
      <div class={`panes panes-${Math.max(1, paneNames.filter(([name]) => panes.has(name)).length)}`}>
        {panes.has('source') && <SourcePane kernel={kernel} file={file} selection={selection} columns={visible} choose={choose} text={profile.sources[file] ?? null} />}
        {panes.has('ptx') && <PtxPane kernel={kernel} selection={selection} columns={visible.filter((column) => (panes.has('machine') && kernel.machine_code ? besideMachineCode : instructionColumns).includes(column.key) && kernel.instructions.some((i) => column.value(i) !== null))} choose={choose} />}
        {panes.has('machine') && kernel.machine_code && <MachinePane kernel={kernel} selection={selection} columns={columns.filter((column) => column.key === 'time' || column.key === 'stalls')} choose={choose} />}
      </div>
      <Details key={placeOf(selection)} kernel={kernel} selection={selection} />
    </div>
  );
}

interface PartProps {
  kernel: Kernel;
  selection: Selection;
  columns: Column[];
  choose: (selection: Selection) => void;
}

function SourcePane({ kernel, file, selection, columns, choose, text }: PartProps & { file: string; text: string[] | null }) {
  const byLine = useMemo(() => new Map(kernel.lines.filter((line) => line.file === file).map((line): [number, SourceLine] => [line.line, line])), [kernel, file]);
  const tokens = useMemo(() => (text ? highlight(text) : null), [text]);
  const numbers = [...byLine.keys()];
  const first = Math.max(1, Math.min(...numbers, selection.line) - around);
  const last = Math.min(text?.length ?? Infinity, Math.max(...numbers, selection.line) + around);
  const rows: PaneRow[] = [];
  if (tokens && text) {
    for (let n = first; n <= last; ++n) rows.push({ key: n, number: n, part: byLine.get(n) ?? null, text: <Code tokens={tokens[n - 1] ?? []} />, marked: selection.line === n ? 2 : 0 });
  } else {
    for (const n of numbers.sort((a, b) => a - b)) rows.push({ key: n, number: n, part: byLine.get(n) ?? null, text: byLine.get(n)?.source ?? '', marked: selection.line === n ? 2 : 0 });
  }
  return <Pane name="source" title={fileName(file)} note="CUDA C++" columns={columns} rows={rows} follow={placeOf(selection)} choose={(row) => choose({ file, line: row.key, instruction: null })} />;
}

function PtxPane({ kernel, selection, columns, choose }: PartProps) {
  const rows = kernel.instructions.map((instruction, i): PaneRow => ({
    key: i, number: instruction.ptx_line, part: instruction, text: <PtxText text={instruction.text} />,
    marked: i === selection.instruction ? 2 : onLine(instruction, selection) ? 1 : 0,
  }));
  return <Pane name="ptx" title="PTX" note={`${count(rows.length)} instructions, exact counts`} columns={columns} rows={rows} follow={placeOf(selection)} choose={(row) => { const instruction = kernel.instructions[row.key]; if (instruction) choose(ofInstruction(instruction, row.key)); }} />;
}

function MachinePane({ kernel, selection, columns, choose }: PartProps) {
  const rows = useMemo(() => {
    const code = kernel.machine_code ?? [];
    const total = code.reduce((sum, entry) => sum + cyclesOf(entry.stalls), 0);
    return code.map((entry, i) => {
      const cycles = cyclesOf(entry.stalls);
      const time: PartTime = { share: total > 0 ? cycles / total : 0, seconds: 0, instructions: entry.issued, warp_cycles: cycles, stalls: entry.stalls };
      const part: Part = { time, metrics: {} };
      return { key: i, number: i, part, entry };
    });
  }, [kernel]);
  return (
    <Pane name="machine" title="Machine code" note="modelled, of one launch" columns={columns} follow={placeOf(selection)}
      rows={rows.map(({ entry, ...row }): PaneRow => ({
        ...row, text: <PtxText text={entry.text} />,
        marked: selection.instruction !== null && entry.instruction === selection.instruction ? 2 : onLine(entry, selection) ? 1 : 0,
      }))}
      choose={(row) => {
        const entry = kernel.machine_code?.[row.key];
        const instruction = entry?.instruction === null || entry?.instruction === undefined ? undefined : kernel.instructions[entry.instruction];
        if (entry && instruction && entry.instruction !== null) choose(ofInstruction(instruction, entry.instruction));
        else if (entry) choose({ file: entry.file, line: entry.line, instruction: null });
      }} />
  );
}

const cyclesOf = (stalls: Record<string, number>): number => Object.values(stalls).reduce((sum, n) => sum + n, 0);

/** The operation in bold: what the eye looks for. */
function PtxText({ text }: { text: string }) {
  const match = /^(@!?%?\w+\s+)?(\S+)(.*)$/s.exec(text.replace(/\s+/g, ' ').trim());
  if (!match) return <>{text}</>;
  return <>{match[1] && <span class="code-number">{match[1]}</span>}<span class="code-keyword">{match[2]}</span>{match[3]}</>;
}
