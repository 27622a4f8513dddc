// One script and one style sheet with fixed names, so that the program can serve them and put them into a report.
import { defineConfig } from 'vite';

// A report holds the script inside a script element: it may not close it.
const closable = {
  name: 'no-closing-tags',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = file.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  },
};

export default defineConfig({
  base: './',
  plugins: [closable],
  build: {
    target: 'es2020',
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      output: { format: 'iife', entryFileNames: 'app.js', assetFileNames: 'app[extname]', inlineDynamicImports: true },
    },
  },
});
