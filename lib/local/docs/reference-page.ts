import { htmlPage, textAsHtml } from './html.ts';

/** The reference with its forms, and one field for the key that they send, in which the demo key is filled in. */
export const referencePage = (demoKey: string): string =>
  htmlPage({
    title: 'Vehicle verification API',
    head: '<link rel="stylesheet" href="/docs/swagger-ui.css">',
    body: `<p class="key"><label for="api-key">API key</label>
<input id="api-key" value="${textAsHtml(demoKey)}" autocomplete="off" spellcheck="false">
A demo key of the standard plan; replace it with your own.</p>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>`,
  });
