# Builds each sluice::NAME from sources. These are in the folder SLUICE_NAME_SOURCE or, if that is
# not set, those of Debian's package, which are downloaded when a build tree is configured for the
# first time.
set(downloads ${PROJECT_BINARY_DIR}/debian)

# Finds the source of the library NAME, of the Debian source package PACKAGE. Sets ${NAME}_source to
# its folder.
set(missing)
set(given_names)
macro(sluice_source name package)
    string(TOUPPER ${name} given)
    set(SLUICE_${given}_SOURCE "" CACHE PATH "A folder with its source, instead of Debian's")
    list(APPEND given_names ${given})
    if(SLUICE_${given}_SOURCE)
        set(${name}_source ${SLUICE_${given}_SOURCE})
    else()
        set(${name}_source ${downloads}/${package})
        if(NOT EXISTS ${${name}_source})
            list(APPEND missing ${package})
        endif()
    endif()
endmacro()

sluice_source(protobuf_c protobuf-c)
if(SLUICE_ZSTD)
    sluice_source(zstd libzstd)
endif()
if(SLUICE_ZLIB)
    sluice_source(zlib zlib)
endif()
if(SLUICE_YAML)
    sluice_source(yaml libyaml)
endif()
if(SLUICE_CURL)
    sluice_source(curl curl)
endif()
if(SLUICE_TOP)
    sluice_source(jansson jansson)
endif()
if(SLUICE_KAFKA)
    sluice_source(rdkafka librdkafka)
endif()
if(SLUICE_SODIUM)
    sluice_source(sodium libsodium)
endif()
if(SLUICE_TESTS)
    sluice_source(cmocka cmocka)
endif()

if(missing)
    list(JOIN missing ", " names)
    list(JOIN given_names ", " given_names)
    message(STATUS "Downloading the sources of ${names}")
    execute_process(
        COMMAND ${PROJECT_SOURCE_DIR}/tools/fetch-source ${downloads} ${missing}
        RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "Cannot get the sources of ${names} from Debian. Folders with sources "
            "can be given by -DSLUICE_NAME_SOURCE=, where NAME is one of ${given_names}.")
    endif()
endif()

# Third-party code is compiled without our warning options.
function(sluice_built name includes)
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
    target_include_directories(${name} SYSTEM PUBLIC ${includes})
    if(NOT MSVC)
        target_compile_options(${name} PRIVATE -g0) # saves a third of the compiling
    endif()
    sluice_library(${name} LIBRARIES ${name})
endfunction()

# protobuf-c's runtime is one file.
sluice_built(protobuf_c ${protobuf_c_source} ${protobuf_c_source}/protobuf-c/protobuf-c.c)
set(PROTOBUF_C_INCLUDEDIR ${protobuf_c_source})

# zstd: the files of its lib/ in the default configuration, which has one thread, and no formats
# older than 0.8.
if(SLUICE_ZSTD)
    file(GLOB files ${zstd_source}/lib/common/*.c ${zstd_source}/lib/compress/*.c
        ${zstd_source}/lib/decompress/*.c)
    sluice_built(zstd ${zstd_source}/lib ${files})
    # zstd's assembly code uses another calling convention than Windows.
    target_compile_definitions(zstd PRIVATE ZSTD_DISABLE_ASM)
    # The higher levels are not used: optimising them for size saves 4 s of compiling.
    if(NOT MSVC)
        set_source_files_properties(${zstd_source}/lib/compress/zstd_double_fast.c
            ${zstd_source}/lib/compress/zstd_lazy.c ${zstd_source}/lib/compress/zstd_opt.c
            PROPERTIES COMPILE_OPTIONS -Os)
    endif()
endif()

# zlib, without the part that opens files.
if(SLUICE_ZLIB)
    file(GLOB files ${zlib_source}/*.c)
    list(FILTER files EXCLUDE REGEX "/gz[^/]*\\.c$")
    sluice_built(zlib ${zlib_source} ${files})
endif()

# libyaml's CMakeLists.txt is not used, so its version must be defined here: src/yaml_private.h
# expects it from config.h.
if(SLUICE_YAML)
    file(GLOB files ${yaml_source}/src/*.c)
    sluice_built(yaml ${yaml_source}/include ${files})
    file(STRINGS ${yaml_source}/CMakeLists.txt numbers REGEX "^set \\(YAML_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX MATCHALL "[0-9]+" numbers "${numbers}")
    list(JOIN numbers "." version)
    list(POP_FRONT numbers major minor patch)
    target_compile_definitions(yaml
        PUBLIC YAML_DECLARE_STATIC
        PRIVATE $<$<NOT:$<BOOL:${WIN32}>>:_POSIX_C_SOURCE=200809L> # strdup
            YAML_VERSION_MAJOR=${major} YAML_VERSION_MINOR=${minor} YAML_VERSION_PATCH=${patch}
            YAML_VERSION_STRING="${version}")
endif()

# HTTP and HTTPS by Schannel, Windows' own TLS with Windows' own certificates. RTSP only lends an option
# that sinks/destinations/http_request.c uses. The files left out are empty in this configuration.
if(SLUICE_CURL)
    file(GLOB files ${curl_source}/lib/*.c ${curl_source}/lib/vauth/*.c ${curl_source}/lib/vtls/*.c
        ${curl_source}/lib/vquic/vquic.c)
    list(FILTER files EXCLUDE REGEX "/(altsvc|amigaos|asyn-ares|c-hyper|cookie|curl_des|curl_fnmatch\
|curl_get_line|curl_gssapi|curl_ntlm_core|curl_ntlm_wb|curl_path|curl_range|curl_rtmp|curl_sasl|dict|doh\
|file|fileinfo|fopen|formdata|ftp|ftplistparser|gopher|h2h3|hmac|hostip4|hostsyn|hsts|http_aws_sigv4\
|http_digest|http_negotiate|http_ntlm|imap|inet_ntop|inet_pton|krb5|ldap|md4|md5|memdebug|mqtt|netrc\
|openldap|pingpong|pop3|psl|sha256|smb|smtp|socks_gssapi|strtok|telnet|tftp|wildcard|cleartext|cram\
|digest|digest_sspi|gsasl|krb5_gssapi|krb5_sspi|ntlm|ntlm_sspi|oauth2|spnego_gssapi|spnego_sspi|bearssl\
|gskit|gtls|mbedtls|mbedtls_threadlock|nss|openssl|rustls|sectransp|wolfssl)\\.c$")
    sluice_built(curl ${curl_source}/include ${files})
    target_include_directories(curl PRIVATE ${curl_source}/lib)
    target_compile_definitions(curl
        PUBLIC CURL_STATICLIB
        PRIVATE BUILDING_LIBCURL ENABLE_IPV6 USE_SCHANNEL USE_WINDOWS_SSPI
            UNICODE _UNICODE # libcurl then takes file names as UTF-8
            _WIN32_WINNT=0x0A00 _X86INTRIN_H_INCLUDED # as in CMakeLists.txt
            CURL_DISABLE_ALTSVC CURL_DISABLE_COOKIES CURL_DISABLE_CRYPTO_AUTH CURL_DISABLE_DICT
            CURL_DISABLE_DOH CURL_DISABLE_FILE CURL_DISABLE_FTP CURL_DISABLE_GETOPTIONS
            CURL_DISABLE_GOPHER CURL_DISABLE_HSTS CURL_DISABLE_IMAP CURL_DISABLE_LDAP
            CURL_DISABLE_LDAPS CURL_DISABLE_MIME CURL_DISABLE_MQTT CURL_DISABLE_NETRC
            CURL_DISABLE_NTLM CURL_DISABLE_POP3 CURL_DISABLE_PROGRESS_METER
            CURL_DISABLE_SHUFFLE_DNS CURL_DISABLE_SMB CURL_DISABLE_SMTP CURL_DISABLE_TELNET
            CURL_DISABLE_TFTP)
    target_compile_options(curl PRIVATE -Os) # faster to compile; not on the datagram path
    target_link_libraries(curl PUBLIC ws2_32 crypt32 bcrypt advapi32)
endif()

# jansson's own CMake script would determine these values; for this compiler they are known.
function(sluice_jansson)
    foreach(found HAVE_INT32_T HAVE_LOCALE_H HAVE_SSIZE_T HAVE_STDINT_H HAVE_SYS_TYPES_H HAVE_UINT16_T
            HAVE_UINT32_T HAVE_UINT8_T USE_WINDOWS_CRYPTOAPI)
        set(${found} ON)
    endforeach()
    set(JANSSON_INITIAL_HASHTABLE_ORDER 3)
    set(JSON_INLINE inline)
    set(JSON_INT_T "long long")
    set(JSON_STRTOINT strtoll)
    set(JSON_INTEGER_FORMAT "\"lld\"")
    foreach(found JSON_HAVE_ATOMIC_BUILTINS JSON_HAVE_LOCALECONV JSON_HAVE_SYNC_BUILTINS)
        set(${found} 1)
    endforeach()
    set(made ${PROJECT_BINARY_DIR}/jansson)
    foreach(header jansson_config.h jansson_private_config.h)
        configure_file(${jansson_source}/cmake/${header}.cmake ${made}/${header})
    endforeach()
    file(GLOB files ${jansson_source}/src/*.c)
    sluice_built(jansson "${jansson_source}/src;${made}" ${files})
    target_compile_definitions(jansson PRIVATE HAVE_CONFIG_H HAVE_STDINT_H)
endfunction()
if(SLUICE_TOP)
    sluice_jansson()
endif()

# librdkafka without TLS, for which it needs OpenSSL, and without the parts that need TLS or curl.
if(SLUICE_KAFKA)
    file(GLOB files ${rdkafka_source}/src/*.c)
    list(FILTER files EXCLUDE REGEX "/(rdhttp|rdkafka_plugin|rdkafka_sasl_cyrus|rdkafka_sasl_oauthbearer\
|rdkafka_sasl_oauthbearer_oidc|rdkafka_sasl_scram|rdkafka_ssl)\\.c$")
    if(NOT SLUICE_ZLIB)
        list(FILTER files EXCLUDE REGEX "/rdgz\\.c$")
    endif()
    if(NOT SLUICE_ZSTD)
        list(FILTER files EXCLUDE REGEX "/rdkafka_zstd\\.c$")
    endif()
    # The header is included as librdkafka/rdkafka.h, as after an installation.
    set(include ${PROJECT_BINARY_DIR}/include)
    foreach(header rdkafka.h rdkafka_mock.h)
        configure_file(${rdkafka_source}/src/${header} ${include}/librdkafka/${header} COPYONLY)
    endforeach()
    sluice_built(rdkafka ${include} ${files})
    target_compile_definitions(rdkafka
        PUBLIC LIBRDKAFKA_STATICLIB
        PRIVATE WITHOUT_WIN32_CONFIG # instead of its win32_config.h:
            ENABLE_DEVEL=0 WITH_HDRHISTOGRAM=1 WITH_PLUGINS=0 WITH_SASL_OAUTHBEARER=0
            WITH_SASL_SCRAM=0 WITH_SNAPPY=1 WITH_SSL=0 WITH_ZLIB=$<BOOL:${SLUICE_ZLIB}>
            WITH_ZSTD=$<BOOL:${SLUICE_ZSTD}>
            UNICODE _WIN32_WINNT=0x0A00 _X86INTRIN_H_INCLUDED)
    target_compile_options(rdkafka PRIVATE -Os -w)
    target_link_libraries(rdkafka PUBLIC ws2_32 secur32
        $<$<BOOL:${SLUICE_ZLIB}>:zlib> $<$<BOOL:${SLUICE_ZSTD}>:zstd>)
endif()

# libsodium with all implementations, because it chooses one of each part at run time. The
# definitions are those that its configure script would find here, except on Windows for AVX2: gcc may
# place AVX values of 32 bytes on a stack that Windows aligns to 16 bytes only.
function(sluice_sodium)
    set(from ${sodium_source}/src/libsodium)
    set(made ${PROJECT_BINARY_DIR}/sodium)
    file(STRINGS ${sodium_source}/configure.ac numbers REGEX "^AC_INIT|^SODIUM_LIBRARY_VERSION_M")
    string(REGEX MATCH "[0-9]+\\.[0-9.]+[0-9]" VERSION "${numbers}")
    foreach(part MAJOR MINOR)
        string(REGEX MATCH "SODIUM_LIBRARY_VERSION_${part}=([0-9]+)" found "${numbers}")
        set(SODIUM_LIBRARY_VERSION_${part} ${CMAKE_MATCH_1})
    endforeach()
    configure_file(${from}/include/sodium/version.h.in ${made}/sodium/version.h @ONLY)
    configure_file(${from}/include/sodium/export.h ${made}/sodium/export.h COPYONLY) # which it includes
    file(GLOB_RECURSE files ${from}/*.c)
    sluice_built(sodium "${from}/include;${made}" ${files})
    target_include_directories(sodium PRIVATE ${from}/include/sodium ${made}/sodium)
    target_compile_definitions(sodium
        PUBLIC SODIUM_STATIC
        PRIVATE CONFIGURED=1 NATIVE_LITTLE_ENDIAN=1 HAVE_C_VARARRAYS HAVE_INLINE_ASM HAVE_TI_MODE)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
        target_compile_definitions(sodium PRIVATE HAVE_CPUID HAVE_EMMINTRIN_H HAVE_PMMINTRIN_H
            HAVE_SMMINTRIN_H HAVE_TMMINTRIN_H)
    endif()
    target_compile_options(sodium PRIVATE -w)
    if(WIN32)
        target_link_libraries(sodium PUBLIC advapi32)
    else()
        target_compile_definitions(sodium PRIVATE _GNU_SOURCE HAVE_ALLOCA_H HAVE_ATOMIC_OPS
            HAVE_CATCHABLE_ABRT HAVE_CATCHABLE_SEGV HAVE_CLOCK_GETTIME HAVE_EXPLICIT_BZERO HAVE_GETPID
            HAVE_LINUX_COMPATIBLE_GETRANDOM HAVE_MADVISE HAVE_MLOCK HAVE_MMAP HAVE_MPROTECT HAVE_NANOSLEEP
            HAVE_POSIX_MEMALIGN HAVE_PTHREAD HAVE_RAISE HAVE_SYSCONF HAVE_SYS_AUXV_H HAVE_SYS_MMAN_H
            HAVE_SYS_PARAM_H HAVE_SYS_RANDOM_H HAVE_WEAK_SYMBOLS
            $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:HAVE_AVXINTRIN_H$<SEMICOLON>HAVE_AVX2INTRIN_H>)
    endif()
endfunction()
if(SLUICE_SODIUM)
    sluice_sodium()
endif()

if(SLUICE_TESTS)
    sluice_built(cmocka ${cmocka_source}/include ${cmocka_source}/src/cmocka.c)
    target_compile_definitions(cmocka PRIVATE HAVE_STDINT_H HAVE_INTTYPES_H HAVE_STRINGS_H
        HAVE_UNISTD_H $<$<BOOL:${WIN32}>:HAVE_IO_H> HAVE_MALLOC_H HAVE_SETJMP_H HAVE_STDARG_H HAVE_STDDEF_H
        HAVE_STDIO_H HAVE_STDLIB_H HAVE_STRING_H HAVE_TIME_H HAVE_SIGNAL_H HAVE_SNPRINTF
        HAVE_VSNPRINTF HAVE_GCC_THREAD_LOCAL_STORAGE)
endif()
