import type { ReportDocument } from '../data';

export function App({ document }: { document: ReportDocument }) {
  return <main>{document.profiles.map((profile) => <h1>{profile.title}</h1>)}</main>;
}
