import fc from 'fast-check'

/** A message `EveryType` as generated code accepts it. A field is often at its default or at an end of its range. */
export interface EveryType {
  readonly [field: string]: unknown
}

/** Any `EveryType`, with others inside it down to `depth` levels. */
export function arbitraryMessage(depth: number): fc.Arbitrary<EveryType> {
  const inner = depth > 0 ? arbitraryMessage(depth - 1) : undefined
  return fc.record({ ...scalars, ...optionals, ...lists, ...choices(inner), ...maps(inner) })
}

const int32 = fc.oneof(
  fc.constantFrom(0, -1, 127, 128, 2 ** 31 - 1, -(2 ** 31)),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
)
const uint32 = int32.map((value) => value >>> 0)
const uint64 = fc.oneof(
  fc.constantFrom(0n, 2n ** 28n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n),
  // Numbers of each length.
  fc.integer({ min: 0, max: 64 }).chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })),
)
const int64 = uint64.map((value) => BigInt.asIntN(64, value))
const float = fc.oneof(fc.float(), fc.constantFrom(3.4028235e38, Number.MIN_VALUE, Number.NaN))
const double = fc.double()
const colour = fc.constantFrom(0, 1, -1, 2_147_483_647)
const bytes = fc.uint8Array({ maxLength: 200 })
/** Strings of ASCII, Latin-1, Unicode and lone surrogates, of lengths around those at which the prefix grows. */
const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 150 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude00', '😀', 'é', '\0'), maxLength: 140 }),
  fc.constantFrom(127, 128, 16_383, 16_384, 70_000).map((length) => 'é'.repeat(length >> 1)),
)
const seconds = fc.record({ seconds: int64, nanos: int32 })

const scalars = {
  a_double: double,
  a_float: float,
  an_int32: int32,
  an_int64: int64,
  a_uint32: uint32,
  a_uint64: uint64,
  a_sint32: int32,
  a_sint64: int64,
  a_fixed32: uint32,
  a_fixed64: uint64,
  a_sfixed32: int32,
  a_sfixed64: int64,
  a_bool: fc.boolean(),
  a_string: text,
  some_bytes: bytes,
  a_colour: colour,
  ts: fc.option(seconds, { nil: undefined }),
}
const optionals = {
  maybe_int32: fc.option(int32, { nil: undefined }),
  maybe_uint64: fc.option(uint64, { nil: undefined }),
  maybe_string: fc.option(text, { nil: undefined }),
  maybe_bytes: fc.option(bytes, { nil: undefined }),
}
const lists = {
  doubles: fc.array(double, { maxLength: 4 }),
  int32s: fc.array(int32, { maxLength: 20 }),
  uint64s: fc.array(uint64, { maxLength: 20 }),
  sint64s: fc.array(int64, { maxLength: 4 }),
  fixed32s: fc.array(uint32, { maxLength: 40 }),
  bools: fc.array(fc.boolean(), { maxLength: 4 }),
  colours: fc.array(colour, { maxLength: 4 }),
  unpacked: fc.array(int32, { maxLength: 4 }),
  strings: fc.array(text, { maxLength: 2 }),
  blobs: fc.array(bytes, { maxLength: 2 }),
}

function choices(inner: fc.Arbitrary<EveryType> | undefined) {
  const choice = <T>($case: string, values: fc.Arbitrary<T>) => fc.record({ $case: fc.constant($case), value: values })
  const scalarChoices = [choice('chosen_string', text), choice('chosen_sint64', int64), fc.constant(undefined)]
  return {
    choice: fc.oneof(...scalarChoices, ...(inner ? [choice('chosen_message', inner)] : [])),
    messages: inner ? fc.array(inner, { maxLength: 2 }) : fc.constant([]),
  }
}

function maps(inner: fc.Arbitrary<EveryType> | undefined) {
  const mapOf = <K, V>(keys: fc.Arbitrary<K>, values: fc.Arbitrary<V>) =>
    fc.array(fc.tuple(keys, values), { maxLength: 2 }).map((entries) => new Map(entries))
  return {
    by_string: fc.dictionary(text, text, { maxKeys: 2 }),
    by_int64: inner ? mapOf(int64, inner) : fc.constant(new Map()),
    by_bool: mapOf(fc.boolean(), bytes),
    by_int32: fc.dictionary(int32.map(String), text, { maxKeys: 2 }),
    by_uint32: fc.dictionary(uint32.map(String), text, { maxKeys: 2 }),
    by_sint32: fc.dictionary(int32.map(String), text, { maxKeys: 2 }),
    by_fixed32: fc.dictionary(uint32.map(String), text, { maxKeys: 2 }),
    by_sfixed32: fc.dictionary(int32.map(String), double, { maxKeys: 2 }),
  }
}
