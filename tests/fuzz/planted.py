"""Faults that were once in the program, or might be, and the target that finds each.

`tools/fuzz --planted` plants them in a copy of the tree, one at a time.
"""

from collections import namedtuple

# The only occurrence of `sound` in `file` is replaced by `broken`.
Fault = namedtuple("Fault", "name target file sound broken")

FAULTS = [
    # Faults that private fuzzing found, and that were repaired.
    Fault(
        "a sample without a name is matched by adding to NULL",
        "datagram",
        "collector/text/glob.c",
        'return text->size != 0 ? text->data : "";',
        "return text->data;",
    ),
    Fault(
        "an empty string without data is written by adding to NULL",
        "descriptors",
        "collector/text/json_writer.c",
        'const uint8_t *at = size == 0 ? (const uint8_t *)"" : bytes;',
        "const uint8_t *at = bytes;",
    ),
    Fault(
        "our own file is foreign for a tag of more than 32 bits",
        "datagram",
        "sinks/encoders/delimited.c",
        "pass_number(bytes, wire_read_tag(here(bytes), end_of(bytes), &tag), WIRE_TAG_MAX);\n",
        "pass_number(bytes, wire_read_tag(here(bytes), end_of(bytes), &tag), WIRE_TAG_MAX);\n"
        "    uint64_t wide = 0;\n"
        "    const uint8_t *begin = bytes->data + bytes->at;\n"
        "    if (result == READ_WHOLE && bytes->at >= 5 && (begin[-5] & begin[-4] & 0x80) != 0 &&\n"
        "        wire_read_varint(begin - 5, end_of(bytes), &wide) == begin && wide >> 32 != 0)\n"
        "        return READ_FOREIGN;\n",
    ),
    Fault(
        "our own file is foreign as its first message begins like JSON",
        "datagram",
        "sinks/encoders/delimited.c",
        "*foreign = result == READ_FOREIGN ||",
        "*foreign = result == READ_FOREIGN || (at_start && size > 1 && data[0] == '{' && "
        "data[1] == '\"') ||",
    ),
    Fault(
        "a control character of C1 reaches a terminal",
        "control",
        "collector/control/control_answer.c",
        "control_character_at(bytes, size) == 0",
        "(size == 2 || control_character_at(bytes, size) == 0)",
    ),
    # Other faults: one for each property that a newer target checks.
    Fault(
        "a handshake of DTLS begins with any cookie",
        "dtls",
        "collector/receive/dtls_cookie.c",
        "    return differs == 0;",
        "    return differs == 0 || true;",
    ),
    Fault(
        "a block of a spill is not checked",
        "spill",
        "collector/spill/segment.c",
        "got != size || crc32c(0, bytes, got) != checksum",
        "got != size",
    ),
    Fault(
        "a spill looks for no further block behind a damaged head",
        "spill",
        "collector/spill/segment.c",
        "            walk->skipped = true;\n        }\n",
        "            walk->skipped = true;\n            walk->offset = walk->size;\n"
        "            return SEGMENT_END;\n        }\n",
    ),
    Fault(
        "an inspection of a spill cuts off what is torn",
        "spill",
        "collector/spill/segments.c",
        "    segment->size = size;\n    if (segments->looks_only)\n        return;\n",
        "    segment->size = size;\n",
    ),
    Fault(
        "an inspection of a spill counts places that are damaged as records",
        "spill",
        "collector/spill/inspection.c",
        "inspection->lost = reader->lost;",
        "inspection->lost = inspection->gaps;",
    ),
    Fault(
        "a test records a character that is a line end only in YAML",
        "config_tests",
        "collector/config/yaml_text.c",
        "character == 0x2028 || character == 0x2029 ||",
        "",
    ),
    Fault(
        "a report of tests in XML has an ampersand of a sender",
        "config_tests",
        "collector/config_tests/config_test_report.c",
        "    case '&':\n        return \"&amp;\";\n",
        "",
    ),
    Fault(
        "the last frame of a compressed file is not decompressed",
        "files",
        "sinks/compression/frame_walk.c",
        "if (format->is_sound(compression, walk, begin, last->end))",
        "if (true)",
    ),
    Fault(
        "the frame before a last one that is damaged is not decompressed",
        "files",
        "sinks/compression/frame_walk.c",
        "        last->end = begin;\n",
        "        last->end = begin;\n        return true;\n",
    ),
    Fault(
        "a torn record is kept",
        "files",
        "sinks/files/left_files.c",
        "if (whole == 0 || want < WINDOW_SIZE)\n            break;",
        "if (whole == 0 || want < WINDOW_SIZE) {\n            at = size;\n"
        "            break;\n        }",
    ),
    Fault(
        "a request with two Host headers is answered",
        "http",
        "collector/metrics/metrics_requests.c",
        "if (request->hosts > 1 || (request->hosts == 1 && ",
        "if ((request->hosts == 1 && ",
    ),
    Fault(
        "the symbols of remote write begin with another than the empty one",
        "datagram",
        "sinks/encoders/remote_write_request.c",
        "    symbols->count = 1;",
        "    symbols->count = 0;",
    ),
    Fault(
        "half of a surrogate pair is a character of JSON",
        "json",
        "collector/text/json_reader.c",
        "code < 0xd800 || code >= 0xe000",
        "code < 0xd800 || code >= 0xdc00",
    ),
]
