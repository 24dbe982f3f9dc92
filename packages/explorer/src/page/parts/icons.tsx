import type { ComponentChildren } from 'preact'

function icon(children: ComponentChildren) {
  return function Icon({ size = 16 }: { readonly size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
        aria-hidden="true"
      >
        {children}
      </svg>
    )
  }
}

export const Waves = icon(
  <path d="M1.5 5.5c2.2 0 2.2 1.8 4.3 1.8S8 5.5 10.2 5.5s2.2 1.8 4.3 1.8M1.5 10c2.2 0 2.2 1.8 4.3 1.8S8 10 10.2 10s2.2 1.8 4.3 1.8" />,
)
export const Copy = icon(
  <>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
  </>,
)
export const Check = icon(<path d="m3 8.5 3.2 3.2L13 4.8" />)
export const Sun = icon(
  <>
    <circle cx="8" cy="8" r="2.8" />
    <path d="M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7" />
  </>,
)
export const Moon = icon(<path d="M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z" />)
export const Leave = icon(<path d="M6 2.5H3.5a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1H6M10.5 11l3-3-3-3M13.5 8H6" />)
export const Pause = icon(<path d="M5.5 3.5v9M10.5 3.5v9" />)
export const Play = icon(<path d="M5 3.2v9.6l7.5-4.8Z" />)
export const Close = icon(<path d="m4 4 8 8M12 4l-8 8" />)
export const Search = icon(
  <>
    <circle cx="7" cy="7" r="4" />
    <path d="m10 10 3.5 3.5" />
  </>,
)
export const Up = icon(<path d="M8 12.5v-9M4 7.5l4-4 4 4" />)
export const Empty = icon(<path d="M2.5 9.5 4.5 3h7l2 6.5v3.5h-11ZM2.5 9.5h3.2l.8 1.5h3l.8-1.5h3.2" />)
export const Alert = icon(<path d="M8 2.5 14 13H2ZM8 6.5v3M8 11.3v.1" />)
export const Offline = icon(
  <path d="M2 2l12 12M4.5 6.8a5.5 5.5 0 0 1 1.8-1M11.5 6.8a5.5 5.5 0 0 0-2.7-1.4M2 4.6a9 9 0 0 1 1.8-1.1M14 4.6a9.2 9.2 0 0 0-7-2M6.5 9.3a2.5 2.5 0 0 1 2.6-.5M8 12v.1" />,
)
export const Lock = icon(
  <>
    <rect x="3" y="7" width="10" height="6.5" rx="1.5" />
    <path d="M5 7V5a3 3 0 0 1 6 0v2" />
  </>,
)
export const Download = icon(<path d="M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11" />)
