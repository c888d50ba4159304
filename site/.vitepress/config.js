/** The static site. Its pages include files of `docs/` and `client/`; `prepare.ts` writes the files beside them. */
import { readFileSync } from 'node:fs';
import { defineConfig, postcssIsolateStyles } from 'vitepress';
import { DOCUMENTS } from '../pages.ts';
import { labelCells, linkPages, nameService, removeAnchors } from './markdown.js';

/** The path below which the site is published. */
const base = process.env.SITE_BASE ?? '/';
const { paths, servers } = JSON.parse(readFileSync(new URL('../public/openapi.json', import.meta.url), 'utf8'));

/** The operations, for the search: their page is rendered in the browser. Sections have the anchors of Scalar. */
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([name, { tags, summary, description }]) => {
    const method = name.toUpperCase();
    const anchor = `tag/${tags[0].toLowerCase()}/${method}${path}`;
    return `<h2>${summary}<a href="#${anchor}"></a></h2><p>${method} ${path} ${description}</p>`;
  }),
);

const linkTo = (page) => ({ text: DOCUMENTS[page].title, link: `/${page}` });

export default defineConfig({
  base,
  outDir: 'dist',
  lang: 'en-GB',
  title: 'Vehicle Verification API',
  description: 'Is this vehicle insured? May it be on the road? Guide, reference, errors and client.',
  head: [['link', { rel: 'icon', href: `${base}favicon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    // The colours of the default theme have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      markdown.use(removeAnchors).use(linkPages).use(labelCells).use(nameService, new URL(servers[0].url).origin);
    },
  },
  // Leaves the reference its own styles.
  vite: { css: { postcss: { plugins: [postcssIsolateStyles()] } } },
  themeConfig: {
    logo: { src: '/favicon.svg', alt: '' },
    nav: [
      linkTo('guide'),
      { text: 'Reference', link: '/reference' },
      linkTo('errors'),
      { text: 'Client', link: '/client' },
      {
        text: 'More',
        items: ['offices', 'sample-data', 'changelog'].map(linkTo),
      },
    ],
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // It would show the reference by starting it once more.
        detailedView: false,
        _render: (source, env, markdown) =>
          env.relativePath === 'reference.md'
            ? `<h1>Reference<a href="#"></a></h1><p>API</p>${operations.join('')}`
            : markdown.render(source, env),
      },
    },
  },
});
