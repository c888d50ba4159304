/** The pages of this machine: a first lookup, the reference, and the errors to which the `type` of a problem leads. */
import { errorSections, INTRODUCTION } from '../../openapi/error-list.ts';

/** Text as HTML. Code is between backticks, the only Markdown of the explanations. */
const toHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');

const LINKS = { '/': 'Try it', '/docs': 'Reference', '/docs/errors': 'Errors' };

/** A complete page. @param body HTML below the links */
const htmlPage = (path: string, title: string, body: string): string => `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
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

/** Looks registrations up with the test key: home.js sends them and shows the verdicts. */
export const homePage = (testKey: string): string =>
  htmlPage(
    '/',
    'Vehicle verification API',
    `<main class="text">
<h1>May this vehicle be on the road?</h1>
<p>This page shows the sandbox: 32 vehicles that do not exist. Its requests carry the test key of this machine, and see nothing else.</p>
<form id="lookup" data-key="${testKey}">
<label for="registrations">Registrations, one on each line</label>
<textarea id="registrations" rows="5" required autocapitalize="characters" autocomplete="off" spellcheck="false">
AB12 CDE
KR08 NIL
SB66 FIN
VE24 UNK
ZZ99 ZZZ</textarea>
<button>Look up</button>
</form>
<p id="outcome" role="status"></p>
<ul id="verdicts"></ul>
<section id="exchange" aria-labelledby="exchange-title" hidden>
<h2 id="exchange-title">What was sent and answered</h2>
<pre id="json" tabindex="0" aria-labelledby="exchange-title" role="region"></pre>
</section>
<p>The <a href="/docs">reference</a> has this request and every other one, the <a href="/docs/errors">list of errors</a> every <code>code</code>.</p>
</main>
<script src="/docs/home.js"></script>`,
  );

/** The reference, with the test key that its requests send. */
export const referencePage = (testKey: string): string =>
  htmlPage(
    '/docs',
    'Vehicle verification API',
    `<link rel="stylesheet" href="/docs/reference.css">
<main class="reference"><p class="sandbox">Requests from this page carry the test key of this machine: they see the sandbox vehicles, and content of their own.</p><div id="reference" data-url="/openapi.json" data-key="${testKey}"></div></main>
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
