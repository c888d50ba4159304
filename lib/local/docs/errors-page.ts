import { type ExplainedProblem, explainedProblems } from '../../openapi/error-list.ts';
import { htmlPage, textAsHtml } from './html.ts';

/** Text with `code` in backticks. */
const prose = (text: string): string => textAsHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const section = ({ code, anchor, status, title, meaning, remedy }: ExplainedProblem): string =>
  `<section id="${anchor}"><h2><a href="#${anchor}">${code}</a></h2>
<p><strong>${status} ${title}.</strong> ${prose(meaning)}</p><p>${prose(remedy)}</p></section>`;

/** The page that the `type` of every problem document names. */
export const errorsPage = (): string =>
  htmlPage({
    title: 'Errors',
    body: `<main class="errors"><h1>Errors</h1><p><a href="/docs">API reference</a></p>${explainedProblems.map(section).join('\n')}</main>`,
  });
