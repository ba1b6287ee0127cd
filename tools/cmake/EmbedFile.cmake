# Writes the bytes of INPUT to OUTPUT as C: `const unsigned char NAME[]` and `const size_t NAME_size`.
#   cmake -DINPUT=... -DOUTPUT=... -DNAME=... [-DGZIP=ON] -P EmbedFile.cmake
# GZIP=ON compresses the bytes by gzip first. The time in the header (RFC 1952, 2.3: bytes 4 to 7)
# is set to 0, so that builds are reproducible.
if(GZIP)
    file(ARCHIVE_CREATE OUTPUT ${OUTPUT}.gz PATHS ${INPUT} FORMAT raw
        COMPRESSION GZip COMPRESSION_LEVEL 9)
    file(READ ${OUTPUT}.gz bytes HEX)
    file(REMOVE ${OUTPUT}.gz)
    string(SUBSTRING "${bytes}" 0 8 head)
    string(SUBSTRING "${bytes}" 16 -1 bytes)
    string(PREPEND bytes "${head}00000000")
else()
    file(READ ${INPUT} bytes HEX)
endif()
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <stddef.h>

extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;

const unsigned char ${NAME}[] = {
${bytes}
};
const size_t ${NAME}_size = sizeof ${NAME};
")
