// The document with its metrics findable by name. Components read it through useReport().
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Kernel, Launch, MetricDefinition, Profile, ReportDocument, SparseValues, Value } from '../data';
import { classed } from '../format/numbers';

export class Report {
  private readonly index = new Map<string, number>();

  constructor(readonly document: ReportDocument) {
    document.metrics.forEach((metric, i) => {
      for (const name of [metric.ncu, metric.name]) if (name && !this.index.has(name)) this.index.set(name, i);
    });
  }

  definition(name: string): MetricDefinition | null {
    const i = this.index.get(name);
    return i === undefined ? null : (this.document.metrics[i] ?? null);
  }

  /** Of all launches of a kernel together. */
  total(kernel: Kernel, name: string): Value {
    const i = this.index.get(name);
    return i === undefined ? null : (kernel.totals.values[i] ?? null);
  }

  ofLaunch(launch: Launch, name: string): Value {
    const i = this.index.get(name);
    return i === undefined ? null : (launch.values[i] ?? null);
  }

  /** Of a line or an instruction, where a metric that is 0 or has no value is left out. */
  ofPart(values: SparseValues, name: string): Value {
    const i = this.index.get(name);
    return i === undefined ? null : (values[String(i)] ?? null);
  }

  /** With unit and class: "~56.25 %". */
  text(name: string, value: Value): string {
    const metric = this.definition(name);
    return metric ? classed(value, metric.unit, metric.class) : '-';
  }

  totalText(kernel: Kernel, name: string): string {
    return this.text(name, this.total(kernel, name));
  }

  stallText(name: string): string {
    return this.document.stalls.find((stall) => stall.name === name)?.text ?? '';
  }
}

export interface Place {
  report: Report;
  profile: Profile;
  profileIndex: number;
}

export const PlaceContext = createContext<Place | null>(null);

export function useReport(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error('useReport() outside of a report');
  return place;
}
