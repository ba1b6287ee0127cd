/*
 * nats.c, loaded when a sink is a nats: one. Who has none needs neither it nor memory for it.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_LIBRARY_H
#define SLUICE_SINKS_DESTINATIONS_NATS_LIBRARY_H

#include <nats/nats.h>

#include "collector/base/error.h"

/* The functions that are used of it. */
#define NATS_LIBRARY_FUNCTIONS(FUNCTION)                                                           \
    FUNCTION(nats_GetVersion)                                                                      \
    FUNCTION(nats_GetLastError)                                                                    \
    FUNCTION(natsStatus_GetText)                                                                   \
    FUNCTION(natsOptions_Create)                                                                   \
    FUNCTION(natsOptions_Destroy)                                                                  \
    FUNCTION(natsOptions_SetServers)                                                               \
    FUNCTION(natsOptions_SetName)                                                                  \
    FUNCTION(natsOptions_SetTimeout)                                                               \
    FUNCTION(natsOptions_SetWriteDeadline)                                                         \
    FUNCTION(natsOptions_SetMaxReconnect)                                                          \
    FUNCTION(natsOptions_SetReconnectWait)                                                         \
    FUNCTION(natsOptions_SetPingInterval)                                                          \
    FUNCTION(natsOptions_SetMaxPingsOut)                                                           \
    FUNCTION(natsOptions_SetClosedCB)                                                              \
    FUNCTION(natsOptions_SetReconnectedCB)                                                         \
    FUNCTION(natsOptions_SetErrorHandler)                                                          \
    FUNCTION(natsOptions_SetUserInfo)                                                              \
    FUNCTION(natsOptions_SetToken)                                                                 \
    FUNCTION(natsOptions_SetNKeyFromSeed)                                                          \
    FUNCTION(natsOptions_SetUserCredentialsFromFiles)                                              \
    FUNCTION(natsOptions_SetSecure)                                                                \
    FUNCTION(natsOptions_LoadCATrustedCertificates)                                                \
    FUNCTION(natsOptions_LoadCertificatesChain)                                                    \
    FUNCTION(natsOptions_SetExpectedHostname)                                                      \
    FUNCTION(natsConnection_Connect)                                                               \
    FUNCTION(natsConnection_Status)                                                                \
    FUNCTION(natsConnection_HasHeaderSupport)                                                      \
    FUNCTION(natsConnection_GetMaxPayload)                                                         \
    FUNCTION(natsConnection_Subscribe)                                                             \
    FUNCTION(natsConnection_GetLastError)                                                          \
    FUNCTION(natsConnection_PublishMsg)                                                            \
    FUNCTION(natsConnection_Request)                                                               \
    FUNCTION(nats_CloseAndWait)                                                                    \
    FUNCTION(natsConnection_Close)                                                                 \
    FUNCTION(natsConnection_Destroy)                                                               \
    FUNCTION(natsSubscription_SetOnCompleteCB)                                                     \
    FUNCTION(natsSubscription_SetPendingLimits)                                                    \
    FUNCTION(natsSubscription_Destroy)                                                             \
    FUNCTION(natsInbox_Create)                                                                     \
    FUNCTION(natsInbox_Destroy)                                                                    \
    FUNCTION(natsMsg_Create)                                                                       \
    FUNCTION(natsMsg_Destroy)                                                                      \
    FUNCTION(natsMsg_GetSubject)                                                                   \
    FUNCTION(natsMsg_GetData)                                                                      \
    FUNCTION(natsMsg_GetDataLength)                                                                \
    FUNCTION(natsMsg_IsNoResponders)                                                               \
    FUNCTION(natsMsgHeader_Set)

#define NATS_LIBRARY_MEMBER(name) __typeof__(name) *name;
struct nats_library {
    NATS_LIBRARY_FUNCTIONS(NATS_LIBRARY_MEMBER)
};
#undef NATS_LIBRARY_MEMBER

/*
 * Main thread: the library, loaded at the first call. Returns NULL with `error` filled
 * (EXIT_CODE_CONFIG) where this machine does not have it.
 */
const struct nats_library *nats_library(struct error *error);

/* The library and its version; NULL: this system has none. Main thread. */
const char *nats_library_version(void);

#endif
