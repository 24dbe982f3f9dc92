import DefaultTheme from 'vitepress/theme'
import LandingPage from './landing/landing-page.vue'
import './tokens.css'
import './pages.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }: { app: { component(name: string, component: unknown): void } }) {
    app.component('LandingPage', LandingPage)
  },
}
