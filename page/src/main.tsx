import './theme/tokens.css';
import './theme/base.css';
import { render } from 'preact';
import { App } from './app/app';
import type { ReportDocument } from './data';
import { ExplainPage } from './explain/index';
import { installTips } from './picture/tip';

const root = document.getElementById('page');
const data = document.getElementById('data')?.textContent;
if (root) {
  installTips();
  root.replaceChildren();
  if (!data) {
    render(<p class="loading">This page has no document. <code>drywarp report</code> writes one into it.</p>, root);
  } else {
    const report = JSON.parse(data) as ReportDocument;
    if (report.kind === 'explain') render(<ExplainPage document={report} />, root);
    else render(<App document={report} />, root);
  }
}
