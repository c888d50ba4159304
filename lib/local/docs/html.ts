const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for the content of an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** The links of every page: their texts by address. */
const LINKS: Readonly<Record<string, string>> = {
  '/docs': 'Reference',
  '/docs/guide': 'Guide',
  '/docs/errors': 'Errors',
  '/docs/changelog': 'Changelog',
};

const link = (path: string, name: string, current: string): string =>
  `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${name}</a>`;

interface Page {
  /** The address of the page, as in `LINKS`. */
  readonly path: string;
  readonly title: string;
  /** HTML of the body below the links. */
  readonly body: string;
}

/** A complete page with the links and the button for dark and light colours. */
export const htmlPage = ({ path, title, body }: Page): string => `<!doctype html>
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
  .map(([address, name]) => link(address, name, path))
  .join('\n')}
</nav>
<button type="button" id="colours">Dark</button>
</header>
${body}
</body>
</html>
`;
