# librdkafka: sluice::rdkafka. Included by FromSources.cmake. On Windows it has no TLS, for which it needs
# OpenSSL, and not the parts that need TLS. Everywhere the parts are omitted that need libcurl or Cyrus SASL,
# or load other files.
set(rdkafka_without rdhttp rdkafka_plugin rdkafka_sasl_cyrus rdkafka_sasl_oauthbearer_oidc)
if(WIN32)
    list(APPEND rdkafka_without rdkafka_sasl_oauthbearer rdkafka_sasl_scram rdkafka_ssl)
else()
    list(APPEND rdkafka_without rddl rdkafka_sasl_win32)
endif()
if(NOT SLUICE_ZLIB)
    list(APPEND rdkafka_without rdgz)
endif()
if(NOT SLUICE_ZSTD)
    list(APPEND rdkafka_without rdkafka_zstd)
endif()
file(GLOB files ${rdkafka_source}/src/*.c)
list(JOIN rdkafka_without "|" rdkafka_without)
list(FILTER files EXCLUDE REGEX "/(${rdkafka_without})\\.c$")
# The headers are included as librdkafka/rdkafka.h, as after an installation.
set(include ${PROJECT_BINARY_DIR}/include)
foreach(header rdkafka.h rdkafka_mock.h)
    configure_file(${rdkafka_source}/src/${header} ${include}/librdkafka/${header} COPYONLY)
endforeach()
sluice_built(rdkafka ${include} ${files})
target_compile_definitions(rdkafka PUBLIC LIBRDKAFKA_STATICLIB)
target_compile_options(rdkafka PRIVATE -Os -w)
target_link_libraries(rdkafka PUBLIC $<$<BOOL:${SLUICE_ZLIB}>:zlib> $<$<BOOL:${SLUICE_ZSTD}>:zstd>)
if(WIN32)
    target_compile_definitions(rdkafka PRIVATE
        WITHOUT_WIN32_CONFIG # instead of its win32_config.h:
        ENABLE_DEVEL=0 WITH_HDRHISTOGRAM=1 WITH_PLUGINS=0 WITH_SASL_OAUTHBEARER=0
        WITH_SASL_SCRAM=0 WITH_SNAPPY=1 WITH_SSL=0 WITH_ZLIB=$<BOOL:${SLUICE_ZLIB}>
        WITH_ZSTD=$<BOOL:${SLUICE_ZSTD}>
        UNICODE _WIN32_WINNT=0x0A00 _X86INTRIN_H_INCLUDED)
    target_link_libraries(rdkafka PUBLIC ws2_32 secur32)
else()
    # These values are those that its configure script finds for musl, and for OpenSSL as an
    # archive. With the archive, librdkafka searches for CA certificates where several distributions
    # have them.
    target_compile_definitions(rdkafka PRIVATE
        _GNU_SOURCE HAVE_STRCASESTR=1 HAVE_STRERROR_R=1 WITH_STATIC_LIB_libcrypto=1)
    foreach(found HAVE_ATOMICS_32 HAVE_ATOMICS_64 HAVE_PTHREAD_SETNAME_GNU HAVE_RAND_R HAVE_REGEX HAVE_STRNDUP
            WITH_HDRHISTOGRAM WITH_SASL_OAUTHBEARER WITH_SASL_SCRAM WITH_SSL)
        set(${found} ON)
    endforeach()
    set(WITH_ZLIB ${SLUICE_ZLIB})
    set(WITH_ZSTD ${SLUICE_ZSTD})
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
        set(WITH_CRC32C_HW ON)
    endif()
    set(BUILT_WITH "SNAPPY SSL SASL_SCRAM SASL_OAUTHBEARER HDRHISTOGRAM")
    set(rdkafka_made ${PROJECT_BINARY_DIR}/rdkafka)
    configure_file(${rdkafka_source}/packaging/cmake/config.h.in ${rdkafka_made}/config.h)
    file(MAKE_DIRECTORY ${rdkafka_made}/src) # which includes it as "../config.h"
    target_include_directories(rdkafka PRIVATE ${rdkafka_made}/src)
    target_link_libraries(rdkafka PUBLIC sluice::openssl)
endif()
