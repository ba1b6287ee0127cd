/* Returns the text of a string field. protobuf-c's strings are bytes here. */
#ifndef SLUICE_PROTO_MESSAGE_TEXT_OF_H
#define SLUICE_PROTO_MESSAGE_TEXT_OF_H

#include <protobuf-c/protobuf-c.h>

#include "collector/text/text.h"

static inline struct text text_of(ProtobufCBinaryData bytes)
{
    return (struct text){(const char *)bytes.data, bytes.len};
}

#endif
