/** A Markdown file of `docs/` as a page, with a table of contents of its sections. */
import { Marked, type Tokens } from 'marked';
import { escapeHtml, htmlPage } from './html.ts';

/** The files that are pages here, by the path of the page. Links from one file to another lead to its page. */
const PATHS: Readonly<Record<string, string>> = {
  'integration.md': '/docs/guide',
  'errors.md': '/docs/errors',
  'changelog.md': '/docs/changelog',
  'openapi.json': '/openapi.json',
};

/** As problems name their section: `VEHICLE_NOT_FOUND` is `vehicle-not-found`. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const addressOf = (href: string): string | undefined => {
  if (/^(https?:|#)/.test(href)) return href;
  const [file = '', fragment] = href.split('#');
  const path = PATHS[file];
  return path && (fragment === undefined ? path : `${path}#${fragment}`);
};

/** A part that may be wider than a phone scrolls by itself, also with the keyboard. */
const scrolling = (name: string, html: string): string =>
  `<div class="scrolling" role="region" aria-label="${name}" tabindex="0">${html}</div>`;

/** The page at `path` of a Markdown text. Raw HTML in the text is left out. */
export const markdownPage = (path: string, markdown: string): string => {
  const sections: string[] = [];
  const marked = new Marked();
  const original = new marked.Renderer();
  marked.use({
    renderer: {
      html: () => '',
      heading({ tokens, depth, text }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${html}</h1>\n`;
        const anchor = anchorOf(text);
        if (depth === 2) sections.push(`<li><a href="#${anchor}">${html}</a></li>`);
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${html}</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const html = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address ? `<a href="${escapeHtml(address)}">${html}</a>` : html;
      },
      code({ text, lang }: Tokens.Code) {
        return scrolling(`Code${lang ? `, ${escapeHtml(lang)}` : ''}`, `<pre><code>${escapeHtml(text)}</code></pre>`);
      },
      table(token: Tokens.Table) {
        original.parser = this.parser;
        return scrolling('Table', original.table(token));
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Documentation';
  const contents = `<nav class="contents" aria-label="On this page"><ul>${sections.join('')}</ul></nav>`;
  return htmlPage({ path, title, body: `<main class="text">${html.replace('</h1>\n', `</h1>\n${contents}`)}</main>` });
};
