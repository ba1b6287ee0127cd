# Makes static programs, which need no C library on the machine, with the system's gcc and Debian's musl-dev.
# The processor is that of the build machine, so tests run natively and this is not a cross build.
set(SLUICE_STATIC ON)
set(CMAKE_C_COMPILER gcc)
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-multiarch
    OUTPUT_VARIABLE SLUICE_MULTIARCH OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "-gnu" "-musl" musl "${SLUICE_MULTIARCH}")
set(SLUICE_MUSL /usr/lib/${musl})
if(NOT EXISTS ${SLUICE_MUSL}/musl-gcc.specs)
    message(FATAL_ERROR "No musl in ${SLUICE_MUSL} (Debian: apt install musl-dev)")
endif()

set(CMAKE_LIBRARY_PATH ${SLUICE_MUSL})

# musl has no kernel headers. The system's are used, but not the headers of the C library in the
# same folder.
set(kernel ${CMAKE_BINARY_DIR}/kernel)
if(NOT EXISTS ${kernel}/linux)
    file(MAKE_DIRECTORY ${kernel})
    file(CREATE_LINK /usr/include/linux ${kernel}/linux SYMBOLIC)
    file(CREATE_LINK /usr/include/asm-generic ${kernel}/asm-generic SYMBOLIC)
    file(CREATE_LINK /usr/include/${SLUICE_MULTIARCH}/asm ${kernel}/asm SYMBOLIC)
endif()

configure_file(${CMAKE_CURRENT_LIST_DIR}/musl.specs.in ${CMAKE_BINARY_DIR}/musl.specs @ONLY)
set(CMAKE_C_FLAGS_INIT "-specs=${CMAKE_BINARY_DIR}/musl.specs -idirafter ${kernel}")
