import { htmlPage, textAsHtml } from './html.ts';

/** The reference with its forms, in which the demo key is filled in. */
export const referencePage = (demoKey: string): string =>
  htmlPage({
    title: 'Vehicle verification API',
    head: '<link rel="stylesheet" href="/docs/swagger-ui.css">',
    body: `<div id="reference" data-demo-key="${textAsHtml(demoKey)}"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>`,
  });
