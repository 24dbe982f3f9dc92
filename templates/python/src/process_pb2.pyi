from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ToChild(_message.Message):
    __slots__ = ("start", "committed", "stop")
    START_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    start: Start
    committed: Committed
    stop: Stop
    def __init__(self, start: _Optional[_Union[Start, _Mapping]] = ..., committed: _Optional[_Union[Committed, _Mapping]] = ..., stop: _Optional[_Union[Stop, _Mapping]] = ...) -> None: ...

class FromChild(_message.Message):
    __slots__ = ("ready", "unit", "progress", "failed", "done")
    READY_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    ready: Ready
    unit: Unit
    progress: Progress
    failed: Failed
    done: Done
    def __init__(self, ready: _Optional[_Union[Ready, _Mapping]] = ..., unit: _Optional[_Union[Unit, _Mapping]] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., failed: _Optional[_Union[Failed, _Mapping]] = ..., done: _Optional[_Union[Done, _Mapping]] = ...) -> None: ...

class Start(_message.Message):
    __slots__ = ("protocol", "config", "history", "messages", "pending_units", "frame_bytes")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    PENDING_UNITS_FIELD_NUMBER: _ClassVar[int]
    FRAME_BYTES_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    config: str
    history: _containers.RepeatedScalarFieldContainer[str]
    messages: _containers.RepeatedScalarFieldContainer[str]
    pending_units: int
    frame_bytes: int
    def __init__(self, protocol: _Optional[int] = ..., config: _Optional[str] = ..., history: _Optional[_Iterable[str]] = ..., messages: _Optional[_Iterable[str]] = ..., pending_units: _Optional[int] = ..., frame_bytes: _Optional[int] = ...) -> None: ...

class Committed(_message.Message):
    __slots__ = ("unit",)
    UNIT_FIELD_NUMBER: _ClassVar[int]
    unit: int
    def __init__(self, unit: _Optional[int] = ...) -> None: ...

class Stop(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Ready(_message.Message):
    __slots__ = ("protocol",)
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    def __init__(self, protocol: _Optional[int] = ...) -> None: ...

class Unit(_message.Message):
    __slots__ = ("number", "checkpoint", "messages", "revert_to", "final", "time_ms")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    REVERT_TO_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    number: int
    checkpoint: str
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    revert_to: str
    final: str
    time_ms: int
    def __init__(self, number: _Optional[int] = ..., checkpoint: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ..., revert_to: _Optional[str] = ..., final: _Optional[str] = ..., time_ms: _Optional[int] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("type", "value")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    type: int
    value: bytes
    def __init__(self, type: _Optional[int] = ..., value: _Optional[bytes] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("at", "head")
    AT_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    at: float
    head: float
    def __init__(self, at: _Optional[float] = ..., head: _Optional[float] = ...) -> None: ...

class Failed(_message.Message):
    __slots__ = ("text", "retry")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RETRY_FIELD_NUMBER: _ClassVar[int]
    text: str
    retry: bool
    def __init__(self, text: _Optional[str] = ..., retry: _Optional[bool] = ...) -> None: ...

class Done(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
