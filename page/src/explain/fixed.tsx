// An answer whose inputs cannot be moved on the page: its figures as tables.
import { count } from '../format/numbers';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const words = (key: string): string => key.replaceAll('_', ' ');
const isRecord = (value: Json): value is { [key: string]: Json } => typeof value === 'object' && value !== null && !Array.isArray(value);
const cell = (value: Json | undefined): string => (value === null || value === undefined ? '-' : typeof value === 'number' ? count(value) : typeof value === 'string' || typeof value === 'boolean' ? String(value) : JSON.stringify(value));

export function FixedAnswer({ result }: { result: Record<string, unknown> }) {
  const entries = Object.entries(result as { [key: string]: Json }).filter(([key]) => key !== 'drywarp_explain' && key !== 'topic');
  const tables = entries.filter(([, value]) => Array.isArray(value) && value.length > 0 && value.every(isRecord)) as [string, { [key: string]: Json }[]][];
  const plain = entries.filter(([key, value]) => !tables.some(([own]) => own === key) && !(Array.isArray(value) && value.length > 16));
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Figures">
        <table class="plain"><tbody>{plain.map(([key, value]) => <tr><th scope="row">{words(key)}</th><td class="number">{cell(value)}</td></tr>)}</tbody></table>
      </div>
      {tables.map(([key, rows]) => {
        const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
        return (
          <div class="scroll-x" tabIndex={0} role="group" aria-label={words(key)}>
            <table class="plain">
              <caption>{words(key)}</caption>
              <thead><tr>{columns.map((column) => <th scope="col">{words(column)}</th>)}</tr></thead>
              <tbody>{rows.slice(0, 200).map((row) => <tr>{columns.map((column) => <td class={typeof row[column] === 'number' ? 'number' : ''}>{cell(row[column])}</td>)}</tr>)}</tbody>
            </table>
          </div>
        );
      })}
    </>
  );
}
