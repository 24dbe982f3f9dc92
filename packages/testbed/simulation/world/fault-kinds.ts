/** A kind of fault. Each seed has some kinds, each with its own rate. */
export type FaultKind = keyof typeof faultKinds

/** Possible rates of a kind, per 1,000 occasions. Rare faults reach other states than frequent ones. */
export const faultKinds = {
  // Between a program and a broker, per message.
  'request lost': [2, 10, 50],
  'answer lost': [2, 10, 50],
  'request held': [2, 10],
  'answer held': [2, 10],
  throttled: [20, 300],
  // Between all programs and brokers, per occasion of about ten seconds.
  'network slow': [100, 400],
  // In the cluster, per occasion of about ten seconds.
  'leader moved': [200, 700],
  'coordinator moved': [200, 700],
  'broker killed': [100, 500],
  'broker paused': [100, 500],
  'broker cut off': [100, 500],
  'epochs used up': [200],
  // In the cluster, once: when the faults end, one broker of three stays broken.
  'broker stays broken': [700],
  'markers late': [50, 300],
  'permission withdrawn': [100, 500],
  'log compacted': [300, 900],
  // In programs, per occasion of about ten seconds.
  'program killed': [100, 400],
  'program paused': [100, 400],
  'clock jumped': [100, 300],
  'second run': [100, 400],
  'run stopped': [100, 300],
  // In programs, per step of a transaction.
  'killed in a transaction': [20, 200],
  'paused in a transaction': [20, 200],
  'cut off in a transaction': [20, 200],
  // In an external system, per request and per unit.
  'source fails': [20, 200],
  'source slow': [20, 200],
  'source reverts': [200, 500],
  // In readers of a gateway, per message.
  'reader cut': [20, 200],
  'reader slow': [50, 300],
  // In a topic, per occasion of about ten seconds: retention, and changes by operators.
  'records removed': [100, 500],
  'topic recreated': [200, 700],
  'topic grown': [100, 300],
  // By an operator, per start of a run.
  'checkpoint reset': [100, 300],
  // In the chain and its nodes, per occasion of about ten seconds.
  'chain reorganised': [200, 700],
  'node lags': [100, 500],
  'node forks': [100, 500],
  'node away': [100, 500],
  // Between a program and a node of the chain, per request.
  'node omits': [5, 50],
  'node answers late': [5, 50],
  'node refuses': [10, 100],
  'node answers garbage': [5, 50],
} as const satisfies Record<string, readonly number[]>
