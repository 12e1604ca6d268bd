import type { ReportDocument } from '../data';

/** The page of `drywarp explain ... --html`. */
export function ExplainPage({ document }: { document: ReportDocument }) {
  return <main>{document.explain?.map((explanation) => <h1>{explanation.title}</h1>)}</main>;
}
