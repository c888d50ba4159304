/** Plugins of markdown-it for texts that are written for the repository. */

/** Pages of the site, by the name of their file in the repository. */
const PAGES = {
  '../client/README.md': 'client.md',
  '../docs/nightly-check.md': 'nightly-check.md',
  'errors.md': 'errors.md',
  'nightly-check.md': 'nightly-check.md',
  'sample-data.md': 'sample-data.md',
};
/** Files that `prepare.ts` puts beside the pages. */
const FILES = ['openapi.json', 'api-types.ts'];

/** Where a link leads on the site; undefined for a file that is not there. */
const addressOf = (href) => {
  if (/^(https?:|#|\.\/|\/)/.test(href) || FILES.includes(href)) return href;
  const [file, fragment] = href.split('#');
  const page = PAGES[file];
  return page && (fragment === undefined ? page : `${page}#${fragment}`);
};

/** Leads links to the pages of the site. A link to another file of the repository stays as its text. */
export const keepLinksOfTheSite = (markdown) => {
  markdown.core.ruler.push('links_of_the_site', ({ tokens }) => {
    for (const inline of tokens.filter(({ children }) => children !== null)) {
      let isKept = true;
      inline.children = inline.children.filter((token) => {
        if (token.type === 'link_close') return isKept;
        if (token.type !== 'link_open') return true;
        const address = addressOf(token.attrGet('href'));
        isKept = address !== undefined;
        if (isKept) token.attrSet('href', address);
        return isKept;
      });
    }
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
