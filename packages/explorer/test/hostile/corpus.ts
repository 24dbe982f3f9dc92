/** Texts that do harm where they are used as HTML, as a URL, in a script or as a template. Each sets `executed`. */
export const scripts: readonly string[] = [
  '<script>executed=1</script>',
  '"><img src=x onerror=executed=1>',
  "'-executed=1-'",
  '<svg/onload=executed=1>',
  '<iframe srcdoc="<script>parent.executed=1</script>"></iframe>',
  'javascript:executed=1',
  '<a href="javascript:executed=1">x</a>',
  '</textarea></title></style></script><img src=x onerror=executed=1>',
  '<math><mi//xlink:href="data:x,<script>executed=1</script>">',
  '<details open ontoggle=executed=1>',
  '<style>@import "https://example.org/x.css"</style>',
  '<base href="https://example.org/">',
  '<form action=https://example.org/><button>x</button></form>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is one of the texts.
  '${executed=1}{{executed=1}}<%= executed=1 %>',
  '\u003cimg src=x onerror=executed=1\u003e',
  '&lt;img src=x onerror=executed=1&gt;',
  '__proto__',
  'constructor',
  '{"__html":"<img src=x onerror=executed=1>"}',
  '%3Cscript%3Eexecuted=1%3C/script%3E',
]

/** Texts that break lines, order or encoding. */
export const awkward: readonly string[] = [
  '\u202eright to left\u202c',
  'مرحبا بالعالم',
  'שלום (1,000) עולם',
  '\u0000\u0001\u001b[31m\u0085\u2028\u2029',
  'e\u0301'.repeat(5),
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034d'.repeat(
    20,
  ),
  '👨‍👩‍👧‍👦🏳️‍🌈',
  'w'.repeat(5000),
  '  \t\r\n  ',
  '',
]
