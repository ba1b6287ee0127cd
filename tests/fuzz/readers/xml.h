/* A strict reader of XML 1.0 in UTF-8, as far as reports have it: elements, attributes, text. */
#ifndef SLUICE_TESTS_FUZZ_READERS_XML_H
#define SLUICE_TESTS_FUZZ_READERS_XML_H

#include <stddef.h>

/* The error in a document without comments, sections or types; NULL: none. */
const char *xml_wrong(const char *text, size_t size);

#endif
