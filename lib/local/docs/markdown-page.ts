/** A Markdown file of `docs/` as a page, with a table of contents of its sections. */
import { marked } from 'marked';
import { FILE_PAGES, htmlPage } from './html.ts';

/** The anchor of a section, as in the `type` of problems: `vehicle-not-found` for `VEHICLE_NOT_FOUND`. */
const toAnchor = (heading: string): string =>
  heading
    .replace(/<[^>]*>/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** A link between files becomes one between their pages, or plain text where the file has none. */
const linkHtml = (href: string, html: string): string => {
  if (/^(https?:|#)/.test(href)) return `<a href="${href}">${html}</a>`;
  const [file = '', fragment] = href.split('#');
  const fromRoot = file.startsWith('../') ? file.slice('../'.length) : `docs/${file}`;
  const path = FILE_PAGES[fromRoot];
  return path ? `<a href="${path}${fragment === undefined ? '' : `#${fragment}`}">${html}</a>` : html;
};

/** The attributes of an element that may be wider than a phone: it scrolls by itself, also with the keyboard. */
const scrolling = (name: string): string => `role="region" aria-label="${name}" tabindex="0"`;

/** The page at `path` of a Markdown text. Anchors and comments in the text are left out. */
export const markdownPage = (path: string, markdown: string): string => {
  const sections: string[] = [];
  const heading = (depth: string, html: string): string => {
    const anchor = toAnchor(html);
    if (depth === '2') sections.push(`<li><a href="#${anchor}">${html}</a></li>`);
    return `<h${depth} id="${anchor}"><a href="#${anchor}">${html}</a></h${depth}>`;
  };
  const html = marked
    .parse(markdown.replace(/<!--.*?-->|<a id="[^"]*"><\/a>/gs, ''), { async: false })
    .replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (_link, href: string, inner: string) => linkHtml(href, inner))
    .replace(/<h([23])>(.*?)<\/h\1>/gs, (_heading, depth: string, inner: string) => heading(depth, inner))
    .replaceAll('<pre>', `<pre ${scrolling('Code')}>`)
    .replace(/<table>.*?<\/table>/gs, `<div ${scrolling('Table')}>$&</div>`);
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Documentation';
  const contents = `<nav class="contents" aria-label="On this page"><ul>${sections.join('')}</ul></nav>`;
  return htmlPage(path, title, `<main class="text">${html.replace('</h1>', `</h1>\n${contents}`)}</main>`);
};
