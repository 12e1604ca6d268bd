// Every metric, searchable, with definition and class. Classes stay apart: filled, outlined, dashed.
import { useMemo, useState } from 'preact/hooks';
import type { Kernel, MetricClass, Value } from '../../data';
import { classed } from '../../format/numbers';
import { ClassMark } from '../parts';
import { useReport } from '../report';

interface Row {
  name: string;
  ncu: string | null;
  title: string;
  text: string;
  group: string;
  class: MetricClass;
  value: Value;
  shown: string;
  min: string;
  max: string;
  reason: string;
}

const classes: MetricClass[] = ['exact', 'modelled', 'not available'];

export function MetricTable({ kernel }: { kernel: Kernel }) {
  const { report } = useReport();
  const [query, setQuery] = useState('');
  const [only, setOnly] = useState<MetricClass | 'all'>('all');
  const [empty, setEmpty] = useState(false);
  const rows = useMemo((): Row[] => {
    const exact = new Set(kernel.exact_metrics ?? []);
    const known = report.document.metrics.map((metric, i): Row => {
      const klass = exact.has(i) ? 'exact' : metric.class;
      const text = (value: Value | undefined) => classed(value, metric.unit, klass);
      // A metric of a launch has no total; where all launches have the same value, that is the kernel's.
      const one = kernel.totals.min[i] === kernel.totals.max[i] ? kernel.totals.min[i] : null;
      const value = kernel.totals.values[i] ?? one ?? null;
      return { ...metric, class: klass, value, shown: text(value), min: text(kernel.totals.min[i]), max: text(kernel.totals.max[i]), reason: '' };
    });
    const missing = (report.document.unavailable_metrics ?? []).map((metric): Row => ({ ...metric, title: metric.text, value: null, shown: '-', min: '-', max: '-' }));
    return [...known, ...missing];
  }, [report, kernel]);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => {
    if (only !== 'all' && row.class !== only) return false;
    if (!empty && row.value === null && row.min === '-' && row.class !== 'not available' && words.length === 0) return false;
    if (row.class === 'not available' && only === 'all' && words.length === 0 && !empty) return false;
    const text = `${row.name} ${row.ncu ?? ''} ${row.title} ${row.text} ${row.group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const groups = [...new Set(found.map((row) => row.group))];
  const several = kernel.counted > 1;
  return (
    <section class="section" aria-labelledby="metrics-title">
      <h2 id="metrics-title">Metrics</h2>
      <div class="metrics-controls">
        <label>Search <input type="search" value={query} onInput={(event) => setQuery(event.currentTarget.value)} placeholder="name or words, nvprof's or ncu's" /></label>
        <label>Class{' '}
          <select value={only} onChange={(event) => setOnly(event.currentTarget.value as MetricClass | 'all')}>
            <option value="all">all</option>
            {classes.map((klass) => <option value={klass}>{klass}</option>)}
          </select>
        </label>
        <label class="check"><input type="checkbox" checked={empty} onChange={(event) => setEmpty(event.currentTarget.checked)} /> also those without a value</label>
        <span class="muted" role="status">{found.length} of {rows.length}</span>
      </div>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Metrics">
        <table class="plain wide metrics">
          <thead><tr><th scope="col">Metric</th><th scope="col">Class</th><th scope="col" class="number">Value</th>{several && <><th scope="col" class="number">Least</th><th scope="col" class="number">Most</th></>}<th scope="col">Name</th></tr></thead>
          {groups.map((group) => (
            <tbody>
              <tr class="metrics-group"><th scope="rowgroup" colSpan={several ? 6 : 4}>{group}</th></tr>
              {found.filter((row) => row.group === group).map((row) => (
                <tr class={`metric-${row.class.replace(' ', '-')}`}>
                  <th scope="row">{row.title}{row.text !== row.title && <span class="metrics-text muted">{row.text}</span>}{row.reason && <span class="metrics-text muted">{row.reason}</span>}</th>
                  <td><ClassMark of={row.class} /></td>
                  <td class="number metrics-value">{row.shown}</td>
                  {several && <><td class="number metrics-least">{row.min}</td><td class="number metrics-least">{row.max}</td></>}
                  <td class="mono metrics-name">{row.name}{row.ncu && <span class="metrics-text muted">{row.ncu}</span>}</td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </section>
  );
}
