/** The default theme, with what it leaves out or has wrong for assistive technology. */
import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';

/** What the search of VitePress 1.6.4 has wrong, by selector; `null` removes an attribute. */
const CORRECTIONS = {
  // A button and an option contain no controls: this is a dialog with a list of links.
  '.VPLocalSearchBox[role="button"]': {
    role: 'dialog',
    'aria-expanded': null,
    'aria-haspopup': null,
    'aria-owns': null,
  },
  '.VPLocalSearchBox [role="listbox"]': { role: null },
  '.VPLocalSearchBox [role="option"]': { role: null },
  '.VPLocalSearchBox li[aria-selected]': { 'aria-selected': null },
  '.VPLocalSearchBox a[aria-label]': { 'aria-label': null },
  '.VPLocalSearchBox kbd[aria-label]:not([role])': { role: 'img' },
};

const correct = () => {
  for (const [selector, attributes] of Object.entries(CORRECTIONS)) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
    }
  }
};

const isReference = (address) => /\/reference\.html([?#]|$)/.test(address);

export default {
  extends: DefaultTheme,
  enhanceApp: ({ router }) => {
    if (import.meta.env.SSR) return;
    // The reference stays in a document of its own: its scripts and styles cannot be unloaded.
    router.onBeforeRouteChange = (address) => {
      if (isReference(address) === isReference(location.href)) return true;
      location.assign(address);
      return false;
    };
    // Within the reference Scalar finds the way.
    router.onBeforePageLoad = (address) => !isReference(address) || !isReference(router.route.path);
    new MutationObserver(correct).observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: ['role', 'aria-expanded', 'aria-selected', 'aria-label'],
    });
  },
};
