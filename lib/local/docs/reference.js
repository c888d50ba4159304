/** Runs in the browser: opens the reference. Its requests carry the key that is in the field at the top of the page. */
const keyField = document.getElementById('api-key');

/** Swagger UI has a field per security scheme, and would send a demo key in one and a typed key in the other. */
const withoutKeyFields = { components: { authorizeBtn: () => null, authorizeOperationBtn: () => null } };

globalThis.SwaggerUIBundle({
  domNode: document.getElementById('reference'),
  url: '/openapi.json',
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  plugins: [withoutKeyFields],
  requestInterceptor: (request) => {
    const key = keyField.value.trim();
    if (!request.loadSpec && key !== '') request.headers['X-API-Key'] = key;
    return request;
  },
});
