interface SparklineProps {
  /** Oldest first. */
  readonly values: readonly number[]
  /** Number of places: fewer values leave the left side empty. */
  readonly places: number
  readonly label: string
}

const [width, height] = [120, 24]

export function Sparkline({ values, places, label }: SparklineProps) {
  const highest = Math.max(...values, 1)
  const step = width / Math.max(places - 1, 1)
  const first = places - values.length
  const points = values.map((value, index) => {
    return `${((first + index) * step).toFixed(1)},${(height - 2 - (value / highest) * (height - 4)).toFixed(1)}`
  })
  const line = `M${points.join('L')}`
  return (
    <svg
      class="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <path class="base" d={`M0,${height - 2}H${width}`} />
      {values.length > 1 && (
        <>
          <path class="area" d={`${line}V${height - 2}H${(first * step).toFixed(1)}Z`} />
          <path class="line" d={line} />
        </>
      )}
    </svg>
  )
}
