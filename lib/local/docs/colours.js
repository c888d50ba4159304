/** Runs in the browser, before the first paint: applies the colours of the system, or those that the reader chose. */
// Scalar stores the choice under the same name and uses the same classes.
const STORED_AS = 'colorMode';
/** The name under which VitePress, on the documentation site, stores it; `auto` for the colours of the system. */
const STORED_BY_SITE = 'vitepress-theme-appearance';
const system = matchMedia('(prefers-color-scheme: dark)');

const chosenOnSite = localStorage.getItem(STORED_BY_SITE);
if (chosenOnSite === 'auto') localStorage.removeItem(STORED_AS);
else if (chosenOnSite !== null) localStorage.setItem(STORED_AS, chosenOnSite);

const isDark = () => {
  const chosen = localStorage.getItem(STORED_AS);
  return chosen === 'dark' || chosen === 'light' ? chosen === 'dark' : system.matches;
};

const show = () => {
  document.body.classList.toggle('dark-mode', isDark());
  document.body.classList.toggle('light-mode', !isDark());
  const button = document.getElementById('colours');
  if (button) button.textContent = isDark() ? 'Light' : 'Dark';
};

show();
system.addEventListener('change', show);
document.addEventListener('DOMContentLoaded', () => {
  show();
  document.getElementById('colours').addEventListener('click', () => {
    const colours = isDark() ? 'light' : 'dark';
    for (const name of [STORED_AS, STORED_BY_SITE]) localStorage.setItem(name, colours);
    show();
  });
});
