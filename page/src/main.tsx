import './theme/tokens.css';
import './theme/base.css';
import { type ComponentChild, render } from 'preact';
import { App } from './app/app';
import { readDocument } from './document';
import { ExplainPage } from './explain/index';
import { installTips } from './picture/tip';
import { SweepPage } from './sweep/page';

async function open(root: HTMLElement): Promise<void> {
  const show = (what: ComponentChild) => {
    root.replaceChildren();
    render(what, root);
  };
  try {
    const report = await readDocument();
    installTips();
    if (!report) show(<p class="loading">This page has no document. <code>drywarp report</code> writes one into it.</p>);
    else if (report.kind === 'explain') show(<ExplainPage document={report} />);
    else if (report.kind === 'sweep' && report.sweep) show(<SweepPage document={report} sweep={report.sweep} />);
    else show(<App document={report} />);
  } catch (error) {
    show(<p class="loading" role="alert">This page cannot be read: {error instanceof Error ? error.message : String(error)}</p>);
    throw error;
  }
}

const root = document.getElementById('page');
if (root) {
  root.textContent = 'Opening the report …';
  root.className = 'loading';
  void open(root).finally(() => root.removeAttribute('class'));
}
