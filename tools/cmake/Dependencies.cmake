# Third-party libraries, each as a target sluice::NAME, and the compilers of .proto files. On POSIX, and in a
# cross build for Linux, pkg-config finds the libraries. In a native build on Windows, CMake's search finds
# them, where vcpkg has installed them. In a cross build for Windows and in a static build they are built from
# sources, by default Debian's source packages, because Debian has no binary packages for Windows and musl.

find_program(PROTOC NAMES protoc REQUIRED)
find_program(PROTOC_GEN_C NAMES protoc-gen-c REQUIRED) # protobuf-c's plug-in for protoc

# sluice_library(NAME INCLUDES folder... LIBRARIES file or target...) makes the target sluice::NAME.
function(sluice_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDES;LIBRARIES")
    add_library(sluice_${name} INTERFACE)
    add_library(sluice::${name} ALIAS sluice_${name})
    target_include_directories(sluice_${name} SYSTEM INTERFACE ${arg_INCLUDES})
    target_link_libraries(sluice_${name} INTERFACE ${arg_LIBRARIES})
endfunction()

if((WIN32 AND CMAKE_CROSSCOMPILING) OR SLUICE_STATIC)
    include(${CMAKE_CURRENT_LIST_DIR}/FromSources.cmake)
elseif(WIN32)
    include(${CMAKE_CURRENT_LIST_DIR}/FromVcpkg.cmake)
else()
    include(${CMAKE_CURRENT_LIST_DIR}/FromPkgConfig.cmake)
endif()

# Some systems have the functions of libm in their C library, and no libm.
find_library(MATH_LIBRARY m)
add_library(sluice_math INTERFACE)
add_library(sluice::math ALIAS sluice_math)
if(MATH_LIBRARY)
    target_link_libraries(sluice_math INTERFACE ${MATH_LIBRARY})
endif()
