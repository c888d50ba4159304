const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for the content of an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** The pages of files, by the path of the file in the repository. */
export const FILE_PAGES: Readonly<Record<string, string>> = {
  'docs/integration.md': '/docs/guide',
  'docs/errors.md': '/docs/errors',
  'docs/changelog.md': '/docs/changelog',
  'docs/languages.md': '/docs/languages',
  'docs/nightly-check.md': '/docs/nightly-check',
  'docs/sample-data.md': '/docs/sample-data',
  'client/README.md': '/docs/client',
  'docs/openapi.json': '/openapi.json',
  'docs/api-types.ts': '/docs/api-types.ts',
};

const LINKS = {
  '/docs': 'Reference',
  '/docs/guide': 'Guide',
  '/docs/errors': 'Errors',
  '/docs/changelog': 'Changelog',
};

/** A complete page with the links and the button for dark and light colours. @param body HTML below the links */
export const htmlPage = (path: string, title: string, body: string): string => `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/docs/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<script src="/docs/colours.js"></script>
<header class="site">
<nav aria-label="Documentation">
${Object.entries(LINKS)
  .map(([address, name]) => `<a href="${address}"${address === path ? ' aria-current="page"' : ''}>${name}</a>`)
  .join('\n')}
</nav>
<button type="button" id="colours">Dark</button>
</header>
${body}
</body>
</html>
`;
