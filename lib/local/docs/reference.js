/** Runs in the browser: opens the reference with the demo key filled in. */
const reference = document.getElementById('reference');

const ui = globalThis.SwaggerUIBundle({
  domNode: reference,
  url: '/openapi.json',
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  onComplete: () => ui.preauthorizeApiKey('apiKey', reference.dataset.demoKey),
});
