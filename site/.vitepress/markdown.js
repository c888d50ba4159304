/** Plugins of markdown-it for texts that are written for the repository. */
import { DOCUMENTS } from '../pages.ts';

/** Pages of the site, by the name of their file in the repository, where that is another one. */
const PAGES = {
  '../client/README.md': 'client.md',
  'integration.md': 'guide.md',
  ...Object.fromEntries(Object.entries(DOCUMENTS).map(([page, { file }]) => [`../${file}`, `${page}.md`])),
};

/** Leads links to the pages of the site. VitePress fails on a link to another page. */
export const linkPages = (markdown) => {
  markdown.core.ruler.push('link_pages', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const [file, ...fragment] = token.attrGet('href')?.split('#') ?? [];
      // `prepare.ts` copies the programs beside the pages. VitePress takes links with a target as they are.
      if (file?.startsWith('../examples/')) {
        token.attrSet('href', file.slice('../'.length));
        token.attrSet('target', '_self');
      }
      if (PAGES[file]) token.attrSet('href', [PAGES[file], ...fragment].join('#'));
    }
  });
};

/** Writes the address of the service where the documents have that of an example. */
export const nameService = (markdown, origin) => {
  markdown.core.ruler.before('normalize', 'name_service', (state) => {
    state.src = state.src.replaceAll('https://api.example.com', origin);
  });
};

/** Removes paragraphs that are only an anchor: the headings of the site have the same. */
export const removeAnchors = (markdown) => {
  markdown.core.ruler.push('remove_anchors', (state) => {
    const isAnchor = (token) => /^<a id="[^"]*"><\/a>$/.test(token?.content ?? '');
    state.tokens = state.tokens.filter(
      (token, index) => ![token, state.tokens[index - 1], state.tokens[index + 1]].some(isAnchor),
    );
  });
};

/** Gives each cell of a table the name of its column, which a phone shows beside it. */
export const labelCells = (markdown) => {
  markdown.core.ruler.push('label_cells', ({ tokens }) => {
    let labels = [];
    let column = 0;
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'thead_open') labels = [];
      if (token.type === 'tr_open') column = 0;
      if (token.type === 'th_open') labels.push(tokens[index + 1].content);
      if (token.type === 'td_open') token.attrSet('data-label', labels[column++]);
    }
  });
};
