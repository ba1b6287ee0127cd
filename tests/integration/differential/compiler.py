"""Uses protoc as a second opinion. One process handles many messages, as the elements of one list.
"""
import os
import subprocess
import tempfile

from google.protobuf import descriptor_pb2

from messages import LENGTH, prefixed, tag

F = descriptor_pb2.FieldDescriptorProto
BATCH = "sluice.differential.Batch"


def batch_of(messages):
    return b"".join(tag(1, LENGTH) + prefixed(data) for data in messages)


def split(batch):
    """The messages in a batch that an encoder wrote."""
    at = 0
    while at < len(batch):
        at += 1  # skips the tag
        size = shift = 0
        while True:
            byte = batch[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield batch[at:at + size]
        at += size


class Compiler:
    """protoc with the types of a schema."""

    def __init__(self, schema):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "set")
        package, _, name = BATCH.rpartition(".")
        file = descriptor_pb2.FileDescriptorProto(name="batch.proto", package=package,
                                                  dependency=["random.proto"])
        message = file.message_type.add(name=name)
        message.field.add(name="messages", number=1, label=F.LABEL_REPEATED, type=F.TYPE_MESSAGE,
                          type_name="." + schema.root)
        files = descriptor_pb2.FileDescriptorSet(file=schema.files() + [file])
        with open(self.path, "wb") as out:
            out.write(files.SerializeToString())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, mode, data):
        return subprocess.run(
            [os.environ.get("PROTOC", "protoc"), f"--descriptor_set_in={self.path}",
             f"--{mode}={BATCH}", "batch.proto"], input=data, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=60, check=False)

    def text(self, messages):
        """The messages in protoc's text form. None if protoc refuses one of them."""
        process = self.run("decode", batch_of(messages))
        return process.stdout if process.returncode == 0 else None

    def encode(self, text):
        """The bytes of the messages in this text form, or None if protoc refuses it."""
        process = self.run("encode", text)
        return list(split(process.stdout)) if process.returncode == 0 else None
