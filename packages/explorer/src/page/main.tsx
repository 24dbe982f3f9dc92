import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/shell.css'
import 'uplot/dist/uPlot.min.css'
import './parts/chart.css'
import './parts/code-block.css'
import './parts/json-tree.css'
import './session/sign-in.css'
import './views/topics/topics-view.css'
import './views/topic/records/records-tab.css'
import './views/topic/topic-view.css'
import './views/topic/schema-tab.css'
import './views/topic/use-it-tab.css'
import './views/api/api-view.css'
import './views/connectors/connectors-view.css'
import './views/usage/usage-view.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { createExplorer, ExplorerContext } from './explorer.ts'
import { keepFocus } from './focus/keep-focus.ts'

const root = document.createElement('div')
root.id = 'app'
document.body.append(root)
keepFocus(document)
render(
  <ExplorerContext.Provider value={createExplorer(window)}>
    <App />
  </ExplorerContext.Provider>,
  root,
)
