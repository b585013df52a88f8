#pragma once

#include <memory>
#include <string>

#include "apiserver/request/request.h"
#include "apiserver/streaming/streams/translator.h"
#include "http/client/request.h"
#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// A streaming protocol that kubelets do not support, and its translation.
struct StreamChoice {
  std::string client_protocol = {};                   // the WebSocket subprotocol
  std::string node_protocol = {};                     // requested from the kubelet, over SPDY
  std::unique_ptr<StreamTranslator> translator = {};  // null: the kubelet supports it
};

// Selects the protocol of an exec, attach or portforward upgrade. As upstream, prefers
// "v5.channel.k8s.io": only with it can a client close the input of a command.
StreamChoice choose_stream(const Request& request, const http::Target& target,
                           const http::RequestHead& head);

// Sets the headers that request SPDY instead of WebSocket from a kubelet.
void request_spdy(http::ClientRequest& request, const StreamChoice& choice);

}  // namespace proa::apiserver
