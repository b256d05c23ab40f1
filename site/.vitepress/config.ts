import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type HeadConfig } from 'vitepress';
import { addTexts } from './texts.js';
import { pages } from './pages.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Where the site will be served, told by the workflow that publishes it; a preview has no address. */
const address = process.env['DOCS_URL']?.replace(/\/?$/, '/');
const base = address === undefined ? '/' : new URL(address).pathname;
const description =
  'Health and build identity for Node services in containers: heartbeat, version and liveness endpoints, checks, probes, draining and request logs.';

const sidebar = pages.map(({ text, pages: links }) => ({
  text,
  items: Object.entries(links).map(([name, page]) => ({ text: name, link: `/${page}` })),
}));

const social: HeadConfig[] =
  address === undefined
    ? []
    : [
        ['meta', { property: 'og:image', content: `${address}social.png` }],
        ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
      ];

export default defineConfig({
  title: 'lifesign',
  description,
  lang: 'en',
  base,
  srcDir: '../docs',
  outDir: './.vitepress/dist',
  ...(address === undefined ? {} : { sitemap: { hostname: address } }),
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }],
    ['meta', { property: 'og:title', content: 'lifesign' }],
    ['meta', { property: 'og:description', content: description }],
    ...social,
  ],
  markdown: {
    // As the repository's host has them, so that one link works in both places.
    anchor: {
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(/\s/g, '-'),
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      // A header cell without words is an ordinary cell.
      const { rules } = markdown.renderer;
      rules.th_open = (tokens, index) => (tokens[index + 1]?.content === '' ? '<td>' : '<th>');
      rules.th_close = (tokens, index) => (tokens[index - 1]?.content === '' ? '</td>' : '</th>');
      // Links out of docs/ lead to files of the repository: the site has a page for each.
      markdown.core.ruler.push('files', ({ env, tokens }) => {
        if (env.relativePath?.includes('/') !== false) return;
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const [path = '', anchor] = token.attrGet('href')?.split('#') ?? [];
          if (token.type !== 'link_open' || !path.startsWith('../')) continue;
          const name = path.slice(3).replace(/\/$/, '');
          const folder = statSync(`${root}${name}`, { throwIfNoEntry: false })?.isDirectory() === true;
          const page = name.endsWith('.md') ? name : `${name}${folder ? '/index' : ''}.md`;
          token.attrSet('href', `/files/${page}${anchor === undefined ? '' : `#${anchor}`}`);
        }
      });
    },
  },
  themeConfig: {
    siteTitle: 'lifesign',
    logo: '/icon.svg',
    nav: [
      { text: 'Get started', link: '/getting-started' },
      { text: 'Options', link: '/options' },
      { text: 'Message ids', link: '/messages' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    externalLinkIcon: true,
    notFound: {
      title: 'Page not found',
      quote: 'There is nothing at this address. Search, or start again from the first page.',
      linkText: 'Go to the first page',
      linkLabel: 'Go to the first page',
    },
  },
  buildEnd: ({ outDir, pages: built, srcDir }) =>
    addTexts({ outDir, srcDir, built, address: address ?? '/' }),
});
