/*
 * Checks XML 1.0 in UTF-8 strictly, with the features that reports use: elements, attributes, text.
 */
#ifndef SLUICE_TESTS_FUZZ_READERS_XML_H
#define SLUICE_TESTS_FUZZ_READERS_XML_H

#include <stddef.h>

/* Returns the error in a document without comments, sections and types, or NULL. */
const char *xml_wrong(const char *text, size_t size);

#endif
