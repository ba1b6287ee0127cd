/* Declares the functions of nats.c, which is loaded only if there is a `nats:` sink. */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_LIBRARY_H
#define SLUICE_SINKS_DESTINATIONS_NATS_LIBRARY_H

#include <nats/nats.h>

#include "collector/platform/shared_library.h"

#define NATS_FUNCTIONS(FUNCTION, P)                                                                \
    FUNCTION(P, nats_GetVersion)                                                                   \
    FUNCTION(P, nats_GetLastError)                                                                 \
    FUNCTION(P, natsStatus_GetText)                                                                \
    FUNCTION(P, natsOptions_Create)                                                                \
    FUNCTION(P, natsOptions_Destroy)                                                               \
    FUNCTION(P, natsOptions_SetServers)                                                            \
    FUNCTION(P, natsOptions_SetName)                                                               \
    FUNCTION(P, natsOptions_SetTimeout)                                                            \
    FUNCTION(P, natsOptions_SetWriteDeadline)                                                      \
    FUNCTION(P, natsOptions_SetMaxReconnect)                                                       \
    FUNCTION(P, natsOptions_SetReconnectWait)                                                      \
    FUNCTION(P, natsOptions_SetPingInterval)                                                       \
    FUNCTION(P, natsOptions_SetMaxPingsOut)                                                        \
    FUNCTION(P, natsOptions_SetClosedCB)                                                           \
    FUNCTION(P, natsOptions_SetReconnectedCB)                                                      \
    FUNCTION(P, natsOptions_SetErrorHandler)                                                       \
    FUNCTION(P, natsOptions_SetUserInfo)                                                           \
    FUNCTION(P, natsOptions_SetToken)                                                              \
    FUNCTION(P, natsOptions_SetNKeyFromSeed)                                                       \
    FUNCTION(P, natsOptions_SetUserCredentialsFromFiles)                                           \
    FUNCTION(P, natsOptions_SetSecure)                                                             \
    FUNCTION(P, natsOptions_LoadCATrustedCertificates)                                             \
    FUNCTION(P, natsOptions_LoadCertificatesChain)                                                 \
    FUNCTION(P, natsOptions_SetExpectedHostname)                                                   \
    FUNCTION(P, natsConnection_Connect)                                                            \
    FUNCTION(P, natsConnection_Status)                                                             \
    FUNCTION(P, natsConnection_HasHeaderSupport)                                                   \
    FUNCTION(P, natsConnection_GetMaxPayload)                                                      \
    FUNCTION(P, natsConnection_Subscribe)                                                          \
    FUNCTION(P, natsConnection_GetLastError)                                                       \
    FUNCTION(P, natsConnection_PublishMsg)                                                         \
    FUNCTION(P, natsConnection_Request)                                                            \
    FUNCTION(P, nats_CloseAndWait)                                                                 \
    FUNCTION(P, natsConnection_Close)                                                              \
    FUNCTION(P, natsConnection_Destroy)                                                            \
    FUNCTION(P, natsSubscription_SetOnCompleteCB)                                                  \
    FUNCTION(P, natsSubscription_SetPendingLimits)                                                 \
    FUNCTION(P, natsSubscription_Destroy)                                                          \
    FUNCTION(P, natsInbox_Create)                                                                  \
    FUNCTION(P, natsInbox_Destroy)                                                                 \
    FUNCTION(P, natsMsg_Create)                                                                    \
    FUNCTION(P, natsMsg_Destroy)                                                                   \
    FUNCTION(P, natsMsg_GetSubject)                                                                \
    FUNCTION(P, natsMsg_GetData)                                                                   \
    FUNCTION(P, natsMsg_GetDataLength)                                                             \
    FUNCTION(P, natsMsg_IsNoResponders)                                                            \
    FUNCTION(P, natsMsgHeader_Set)

SHARED_LIBRARY_DECLARE(nats, , NATS_FUNCTIONS)

#endif
