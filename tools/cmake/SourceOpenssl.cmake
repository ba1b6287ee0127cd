# OpenSSL, built by its own scripts as static archives: sluice::openssl. Only for a static build. Included by
# FromSources.cmake.
#
# Omitted are features that TLS 1.2, DTLS 1.2 and their successors do not use, modules and settings that are
# loaded at run time, and swapcontext(3), which musl does not have. The functions for engines stay, because
# librdkafka calls them, but no engine is built.
#
# CA certificates are where most distributions have them; other places are in
# collector/platform/trusted_authorities.h.
set(openssl_without
    afalgeng aria async autoload-config bf camellia capieng cast cmp cms comp ct devcryptoeng dsa dso dtls1 ec2m
    filenames gost idea ktls legacy md4 mdc2 module nextprotoneg padlockeng rc2 rc4 rmd160 scrypt sctp seed shared
    siphash sm2 sm3 sm4 srp srtp ssl3 tests tls1 tls1_1 ts ui-console weak-ssl-ciphers whirlpool)
list(TRANSFORM openssl_without PREPEND no-)

find_program(PERL NAMES perl REQUIRED)
find_program(MAKE NAMES make gmake REQUIRED)
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
set(openssl_made ${PROJECT_BINARY_DIR}/openssl)
set(openssl_archives ${openssl_made}/libssl.a ${openssl_made}/libcrypto.a)

# The library records the time and its compiler's command. Without absolute paths the command is the same in
# every folder.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/compiler/sluice-cc CONTENT
    "#!/bin/sh\nexec @CMAKE_C_COMPILER_LAUNCHER@ @CMAKE_C_COMPILER@ @CMAKE_C_FLAGS@ \"$@\"\n" @ONLY)
file(CHMOD ${PROJECT_BINARY_DIR}/compiler/sluice-cc
    PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(openssl_environment ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=0)
set(openssl_flags -O2 ${hardened_options})
list(FILTER openssl_flags EXCLUDE REGEX "FORTIFY_SOURCE|^\\$<") # musl has no checked functions
list(JOIN openssl_flags " " openssl_flags)

# The headers are made first, so that files that include them need not wait for the archives.
set(openssl_headers ${openssl_made}/headers.made)
add_custom_command(OUTPUT ${openssl_headers}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${openssl_made}
    COMMAND ${CMAKE_COMMAND} -E chdir ${openssl_made} ${openssl_environment} ${PERL} ${openssl_source}/Configure
        CC=../compiler/sluice-cc CFLAGS=${openssl_flags} --openssldir=/etc/ssl ${openssl_without} > ${openssl_made}/configure.log
    COMMAND ${openssl_environment} ${MAKE} -C ${openssl_made} build_generated > ${openssl_made}/make.log
    COMMAND ${CMAKE_COMMAND} -E touch ${openssl_headers}
    DEPENDS ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Configuring OpenSSL" VERBATIM)
add_custom_command(OUTPUT ${openssl_archives}
    COMMAND ${openssl_environment} ${MAKE} -C ${openssl_made} -j${processors} libcrypto.a libssl.a
        >> ${openssl_made}/make.log
    DEPENDS ${openssl_headers}
    COMMENT "Building OpenSSL" VERBATIM)
add_custom_target(openssl_headers DEPENDS ${openssl_headers})
add_custom_target(openssl_archives DEPENDS ${openssl_archives})
sluice_library(openssl
    INCLUDES ${openssl_made}/include ${openssl_source}/include
    LIBRARIES ${openssl_archives})
add_dependencies(sluice_openssl openssl_headers)
