# libcurl with only HTTP and HTTPS: sluice::curl. Included by FromSources.cmake.
#
# On Windows it uses Schannel, which is Windows' own TLS, with Windows' own certificates, and has no HTTP/2.
# In a static build it uses OpenSSL and nghttp2. RTSP is on because sinks/destinations/http_request.c uses one
# of its options. The omitted files are empty in these configurations.
set(curl_without
    altsvc amigaos asyn-ares c-hyper cookie curl_des curl_fnmatch curl_get_line curl_gssapi curl_ntlm_core
    curl_ntlm_wb curl_path curl_range curl_rtmp curl_sasl dict doh file fileinfo fopen formdata ftp ftplistparser
    gopher hmac hostip4 hostsyn hsts http_aws_sigv4 http_digest http_negotiate http_ntlm imap inet_ntop inet_pton
    krb5 ldap md4 md5 memdebug mqtt netrc openldap pingpong pop3 psl sha256 smb smtp socks_gssapi strtok telnet tftp
    wildcard cleartext cram digest digest_sspi gsasl krb5_gssapi krb5_sspi ntlm ntlm_sspi oauth2 spnego_gssapi
    spnego_sspi bearssl gskit gtls mbedtls mbedtls_threadlock nss rustls sectransp wolfssl)
if(WIN32)
    list(APPEND curl_without h2h3 openssl)
else()
    list(APPEND curl_without curl_multibyte curl_sspi schannel schannel_verify socks_sspi system_win32 version_win32)
endif()
file(GLOB files ${curl_source}/lib/*.c ${curl_source}/lib/vauth/*.c ${curl_source}/lib/vtls/*.c
    ${curl_source}/lib/vquic/vquic.c)
list(JOIN curl_without "|" curl_without)
list(FILTER files EXCLUDE REGEX "/(${curl_without})\\.c$")
sluice_built(curl ${curl_source}/include ${files})
target_include_directories(curl PRIVATE ${curl_source}/lib)
target_compile_definitions(curl
    PUBLIC CURL_STATICLIB
    PRIVATE BUILDING_LIBCURL ENABLE_IPV6
        CURL_DISABLE_ALTSVC CURL_DISABLE_COOKIES CURL_DISABLE_CRYPTO_AUTH CURL_DISABLE_DICT
        CURL_DISABLE_DOH CURL_DISABLE_FILE CURL_DISABLE_FTP CURL_DISABLE_GETOPTIONS
        CURL_DISABLE_GOPHER CURL_DISABLE_HSTS CURL_DISABLE_IMAP CURL_DISABLE_LDAP
        CURL_DISABLE_LDAPS CURL_DISABLE_MIME CURL_DISABLE_MQTT CURL_DISABLE_NETRC
        CURL_DISABLE_NTLM CURL_DISABLE_POP3 CURL_DISABLE_PROGRESS_METER
        CURL_DISABLE_SHUFFLE_DNS CURL_DISABLE_SMB CURL_DISABLE_SMTP CURL_DISABLE_TELNET
        CURL_DISABLE_TFTP)
target_compile_options(curl PRIVATE -Os) # faster to compile; not on the datagram path
if(WIN32)
    target_compile_definitions(curl PRIVATE
        USE_SCHANNEL USE_WINDOWS_SSPI
        UNICODE _UNICODE # libcurl then takes file names as UTF-8
        _WIN32_WINNT=0x0A00 _X86INTRIN_H_INCLUDED) # as in CMakeLists.txt
    target_link_libraries(curl PUBLIC ws2_32 crypt32 bcrypt advapi32)
    return()
endif()

# Builds nghttp2, which has HTTP/2's frames and header compression.
file(GLOB files ${nghttp2_source}/lib/*.c)
set(nghttp2_made ${PROJECT_BINARY_DIR}/nghttp2)
file(STRINGS ${nghttp2_source}/CMakeLists.txt number REGEX "^project\\(nghttp2 VERSION ")
string(REGEX MATCH "([0-9]+)\\.([0-9]+)\\.([0-9]+)" PACKAGE_VERSION "${number}")
math(EXPR PACKAGE_VERSION_NUM
    "${CMAKE_MATCH_1} << 16 | ${CMAKE_MATCH_2} << 8 | ${CMAKE_MATCH_3}" OUTPUT_FORMAT HEXADECIMAL)
configure_file(${nghttp2_source}/lib/includes/nghttp2/nghttp2ver.h.in
    ${nghttp2_made}/nghttp2/nghttp2ver.h @ONLY)
sluice_built(nghttp2 "${nghttp2_source}/lib/includes;${nghttp2_made}" ${files})
target_compile_definitions(nghttp2
    PUBLIC NGHTTP2_STATICLIB
    PRIVATE _GNU_SOURCE HAVE_ARPA_INET_H HAVE_NETINET_IN_H HAVE_TIME_H)
target_compile_options(nghttp2 PRIVATE -Os)

# These definitions are those that libcurl's configure script finds for musl, without
# HAVE_SCHED_YIELD. musl declares calloc in <sched.h>, and libcurl has made calloc a macro before
# that.
target_compile_definitions(curl PRIVATE
    _GNU_SOURCE OS="Linux" USE_OPENSSL USE_NGHTTP2 USE_THREADS_POSIX
    CURL_EXTERN_SYMBOL= CURL_CA_FALLBACK # authorities: those of OpenSSL, unless server_ca= names others
    HAVE_ALARM HAVE_ARPA_INET_H HAVE_ATOMIC HAVE_BASENAME HAVE_BOOL_T HAVE_CLOCK_GETTIME_MONOTONIC HAVE_FCNTL
    HAVE_FCNTL_H HAVE_FCNTL_O_NONBLOCK HAVE_FREEADDRINFO HAVE_GETADDRINFO HAVE_GETADDRINFO_THREADSAFE
    HAVE_GETHOSTNAME HAVE_GETIFADDRS HAVE_GETPEERNAME HAVE_GETSOCKNAME HAVE_GETTIMEOFDAY HAVE_GMTIME_R
    HAVE_IFADDRS_H HAVE_IF_NAMETOINDEX HAVE_INET_NTOP HAVE_INET_PTON HAVE_INTTYPES_H HAVE_LIBGEN_H HAVE_LONGLONG
    HAVE_MEMRCHR HAVE_MSG_NOSIGNAL HAVE_NETDB_H HAVE_NETINET_IN_H HAVE_NETINET_TCP_H HAVE_NET_IF_H HAVE_PIPE
    HAVE_POLL_FINE HAVE_POLL_H HAVE_POSIX_STRERROR_R HAVE_PTHREAD_H HAVE_RECV HAVE_SA_FAMILY_T
    HAVE_SELECT HAVE_SEND HAVE_SETJMP_H HAVE_SIGACTION HAVE_SIGNAL HAVE_SIGNAL_H HAVE_SIGSETJMP HAVE_SNPRINTF
    HAVE_SOCKADDR_IN6_SIN6_SCOPE_ID HAVE_SOCKET HAVE_SOCKETPAIR HAVE_STDATOMIC_H HAVE_STDBOOL_H HAVE_STDINT_H
    HAVE_STDLIB_H HAVE_STRCASECMP HAVE_STRDUP HAVE_STRERROR_R HAVE_STRINGS_H HAVE_STRING_H HAVE_STRTOK_R
    HAVE_STRTOLL HAVE_STRUCT_SOCKADDR_STORAGE HAVE_STRUCT_TIMEVAL HAVE_SYS_IOCTL_H HAVE_SYS_PARAM_H HAVE_SYS_POLL_H
    HAVE_SYS_SELECT_H HAVE_SYS_SOCKET_H HAVE_SYS_STAT_H HAVE_SYS_TIME_H HAVE_SYS_TYPES_H HAVE_SYS_UN_H
    HAVE_TIME_H HAVE_UNISTD_H STDC_HEADERS
    RECV_TYPE_ARG1=int RECV_TYPE_ARG2=void* RECV_TYPE_ARG3=size_t RECV_TYPE_ARG4=int RECV_TYPE_RETV=ssize_t
    SEND_TYPE_ARG1=int SEND_QUAL_ARG2=const SEND_TYPE_ARG2=void* SEND_TYPE_ARG3=size_t SEND_TYPE_ARG4=int
    SEND_TYPE_RETV=ssize_t
    SIZEOF_INT=4 SIZEOF_SHORT=2 SIZEOF_LONG=${CMAKE_SIZEOF_VOID_P} SIZEOF_LONG_LONG=8 SIZEOF_OFF_T=8
    SIZEOF_CURL_OFF_T=8 SIZEOF_SIZE_T=${CMAKE_SIZEOF_VOID_P} SIZEOF_TIME_T=8)
target_compile_options(curl PRIVATE -w)
target_link_libraries(curl PUBLIC nghttp2 sluice::openssl)
