import type { DescFile } from '@bufbuild/protobuf'
import * as wkt from '@bufbuild/protobuf/wkt'

/** By import path. */
export const wellKnownFiles: ReadonlyMap<string, DescFile> = new Map(
  [
    wkt.file_google_protobuf_any,
    wkt.file_google_protobuf_api,
    wkt.file_google_protobuf_descriptor,
    wkt.file_google_protobuf_duration,
    wkt.file_google_protobuf_empty,
    wkt.file_google_protobuf_field_mask,
    wkt.file_google_protobuf_source_context,
    wkt.file_google_protobuf_struct,
    wkt.file_google_protobuf_timestamp,
    wkt.file_google_protobuf_type,
    wkt.file_google_protobuf_wrappers,
  ].map((file) => [file.proto.name, file]),
)
