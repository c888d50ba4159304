/** The two pages of this machine: the reference, and the errors to which the `type` of a problem leads. */
import { errorSections, INTRODUCTION } from '../../openapi/error-list.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for the content of an element or a quoted attribute. */
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** Text in which code is between backticks, the only Markdown of the explanations. */
const toHtml = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const LINKS = {
  '/docs': 'Reference',
  '/docs/errors': 'Errors',
  '/docs/integration.md': 'Guide',
  '/docs/changelog.md': 'Changelog',
};

/** A complete page. @param body HTML below the links */
const htmlPage = (path: string, title: string, body: string): string => `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/docs/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<nav class="site" aria-label="Documentation">
${Object.entries(LINKS)
  .map(([address, name]) => `<a href="${address}"${address === path ? ' aria-current="page"' : ''}>${name}</a>`)
  .join('\n')}
</nav>
${body}
</body>
</html>
`;

/** The reference, with the test key that its requests send. */
export const referencePage = (testKey: string): string =>
  htmlPage(
    '/docs',
    'Vehicle verification API',
    `<link rel="stylesheet" href="/docs/reference.css">
<main class="reference"><p class="sandbox">Requests from this page carry the test key of this machine: they see the sandbox vehicles, and content of their own.</p><div id="reference" data-url="/openapi.json" data-key="${escapeHtml(testKey)}"></div></main>
<script src="/docs/scalar.js"></script>
<script src="/docs/reference.js"></script>`,
  );

/** Every error code at the anchor of its `type`, with its meaning and its remedy. */
export const errorsPage = (): string => {
  const sections = errorSections();
  const contents = sections.map(({ code, anchor }) => `<li><a href="#${anchor}">${code}</a></li>`);
  const texts = sections.map(
    ({ code, anchor, answer, meaning, remedy }) => `<h2 id="${anchor}"><a href="#${anchor}">${code}</a></h2>
<p><strong>${answer}.</strong> ${toHtml(meaning)}</p>
<p>${toHtml(remedy)}</p>`,
  );
  return htmlPage(
    '/docs/errors',
    'Errors',
    `<main class="text">
<h1>Errors</h1>
<p>${toHtml(INTRODUCTION)}</p>
<nav class="contents" aria-label="On this page"><ul>${contents.join('')}</ul></nav>
${texts.join('\n')}
</main>`,
  );
};
