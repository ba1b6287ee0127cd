# Copies the .proto file INPUT to OUTPUT and adds protobuf-c's option string_as_bytes to each string
# field, so that the generated code has bytes with a length. The fields must not have other options.
#   cmake -DINPUT=... -DOUTPUT=... -P StringsAsBytes.cmake
file(READ ${INPUT} text)
if(text MATCHES "string [a-z_]+ = ")
    string(REGEX REPLACE "(\nsyntax = [^\n]*\n)" "\\1import \"protobuf-c/protobuf-c.proto\";\n" text
        "${text}")
endif()
string(REGEX REPLACE "(\n *(optional |required |repeated )?string [a-z_]+ = [0-9]+);"
    "\\1 [(pb_c_field).string_as_bytes = true];" text "${text}")
if(text MATCHES "string [a-z_]+ = [0-9]+(;| .[^(])")
    message(FATAL_ERROR "${INPUT}: not every string has become bytes")
endif()
file(WRITE ${OUTPUT} "${text}")
