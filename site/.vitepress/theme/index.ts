import { useData } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { defineComponent, h, onMounted, watch } from 'vue';
import './style.css';

/** The theme has a main landmark on pages with a sidebar only. */
function markMain(): void {
  const content = document.querySelector('#VPContent');
  if (content?.querySelector('main')) content.removeAttribute('role');
  else content?.setAttribute('role', 'main');
}

const Layout = defineComponent({
  setup() {
    const { page } = useData();
    onMounted(() => watch(page, markMain, { immediate: true, flush: 'post' }));
    return () => h(theme.Layout);
  },
});

export default { extends: theme, Layout };
