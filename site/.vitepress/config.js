/** The static site. Its pages include files of `docs/` and `client/`; `prepare.ts` writes the reference beside them. */
import { defineConfig } from 'vitepress';
import { keepLinksOfTheSite, removeAnchors } from './markdown.js';

/** The path below which the site is published. */
const base = process.env.SITE_BASE ?? '/';

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
      markdown.use(removeAnchors).use(keepLinksOfTheSite);
    },
  },
  themeConfig: {
    logo: { src: '/favicon.svg', alt: '' },
    nav: [
      { text: 'Guide', link: '/guide' },
      // No page of VitePress: its own scripts and styles need a fresh document.
      { text: 'Reference', link: '/reference.html', target: '_self' },
      { text: 'Errors', link: '/errors' },
      { text: 'Client', link: '/client' },
      { text: 'Changelog', link: '/changelog' },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
