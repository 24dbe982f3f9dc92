export { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
