/**
 * Runs in the browser: opens the API reference. Requests carry the key of the page. Without a key, as on the
 * documentation site, they cannot be sent: the service answers no browser of another origin, and keys do not belong
 * there.
 */
const { url, key } = document.getElementById('reference').dataset;

globalThis.Scalar.createApiReference('#reference', {
  url,
  hideTestRequestButton: key === undefined,
  // The documentation site has one for all its pages.
  hideSearch: key === undefined,
  authentication: {
    preferredSecurityScheme: 'apiKey',
    securitySchemes: { apiKey: { value: key }, bearer: { token: key } },
  },
  // On this machine the colours of the system apply; the site has a button of its own.
  hideDarkModeToggle: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  // Loads nothing from other origins.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
});

const hasTarget = (element) => document.getElementById(element.getAttribute('aria-controls')) !== null;

/** What Scalar 1.72.1 omits or gets wrong for assistive technology, by selector; `null` removes an attribute. */
const CORRECTIONS = {
  // A combobox without a list is a text field.
  '.code-input-lite__editor[role="combobox"]:not([aria-expanded])': (editor) => ({
    role: 'textbox',
    'aria-label': editor.dataset.placeholder || 'Value',
  }),
  '.cm-content:not([aria-label])': () => ({ 'aria-label': 'Body' }),
  'button[class*="copy-button"]:not([aria-label])': () => ({ 'aria-label': 'Copy' }),
  'button[class*="copy-button"][aria-controls]': (button) => (hasTarget(button) ? {} : { 'aria-controls': null }),
  'button[role="none"]': () => ({ role: null }),
  '.show-more[aria-label]': () => ({ 'aria-label': null }),
  '.cm-scroller[tabindex="-1"]': () => ({ tabindex: '0' }),
  'code.custom-scroll:not([tabindex])': () => ({ tabindex: '0' }),
  'ul.endpoints:not([tabindex])': () => ({ tabindex: '0' }),
};

const correctMarkup = () => {
  for (const [selector, attributesOf] of Object.entries(CORRECTIONS)) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributesOf(element))) {
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
    }
  }
};

new MutationObserver(correctMarkup).observe(document.body, {
  childList: true,
  subtree: true,
  attributeFilter: ['role', 'aria-label', 'aria-controls'],
});
