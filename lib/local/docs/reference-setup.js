/**
 * Runs in the browser before Scalar, which writes styles in three ways that the strict policy of the page blocks: `<style>` elements
 * get the nonce of the page, `style` attributes are set as properties, and those in the HTML of code, two counters, are left out.
 */
const { nonce } = document.querySelector('meta[property="csp-nonce"]');
const { createElement } = Document.prototype;
const { setAttribute } = Element.prototype;
const innerHtml = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');

Document.prototype.createElement = function createWithNonce(name, ...rest) {
  const element = createElement.call(this, name, ...rest);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};

Element.prototype.setAttribute = function setStyles(name, value) {
  if (name === 'style') this.style.cssText = value;
  else setAttribute.call(this, name, value);
};

Object.defineProperty(Element.prototype, 'innerHTML', {
  ...innerHtml,
  set(html) {
    innerHtml.set.call(this, this instanceof HTMLPreElement ? String(html).replace(/ style="--line-[^"]*"/, '') : html);
  },
});
