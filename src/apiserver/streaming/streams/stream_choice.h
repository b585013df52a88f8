#pragma once

#include <memory>
#include <string>

#include "apiserver/request/request.h"
#include "apiserver/streaming/streams/translator.h"
#include "http/client/request.h"
#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// A way of streaming that kubelets don't know, and how it is translated for them.
struct StreamChoice {
  std::string client_protocol = {};                   // what the WebSocket's client and we agree on
  std::string node_protocol = {};                     // what the kubelet is asked for, over SPDY
  std::unique_ptr<StreamTranslator> translator = {};  // null: the kubelet knows it
};

// For an upgrade of exec, attach or portforward. Whoever offers "v5.channel.k8s.io" gets it, as
// upstream has it: with it alone a client can close the input of a command.
StreamChoice choose_stream(const Request& request, const http::Target& target,
                           const http::RequestHead& head);

// What asks a kubelet to switch to SPDY, instead of to a WebSocket.
void ask_for_spdy(http::ClientRequest& request, const StreamChoice& choice);

}  // namespace proa::apiserver
