/** Fields of messages: for all topics, or for each. */
export type FieldChoice<Messages extends object, Topic extends keyof Messages & string> =
  | readonly (keyof Messages[Topic] & string)[]
  | { readonly [Name in Topic]?: readonly (keyof Messages[Name] & string)[] }

/** The messages with the chosen fields only. No choice is all of them. */
export type Selected<Messages extends object, Topic extends keyof Messages & string, Fields> = {
  [Name in Topic]: Shown<Messages[Name], ChosenFor<Fields, Name>>
}

type ChosenFor<Fields, Name> = Fields extends readonly (infer Field)[]
  ? Field
  : Name extends keyof Fields
    ? NonNullable<Fields[Name]> extends readonly (infer Field)[]
      ? Field
      : never
    : never

type Shown<Message, Field> = [Field] extends [never] ? Message : Pick<Message, Field & keyof Message>
