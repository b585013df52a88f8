#include "apiserver/streaming/streams/stream_choice.h"

#include "apiserver/streaming/streams/command_translator.h"
#include "apiserver/streaming/streams/kubelet_target.h"
#include "http/websocket/handshake.h"

namespace proa::apiserver {
namespace stream_choice {

constexpr std::string_view kField = "sec-websocket-protocol";
constexpr std::string_view kCommand = "v5.channel.k8s.io";
constexpr std::string_view kTunnel = "SPDY/3.1+portforward.k8s.io";

}  // namespace stream_choice

StreamChoice choose_stream(const Request& request, const http::Target& target,
                           const http::RequestHead& head) {
  using namespace stream_choice;
  if (!http::wants_websocket(head)) return {};
  if (request.subresource->name == "portforward") {
    if (!head.headers.has_token(kField, kTunnel)) return {};
    return {.client_protocol = std::string(kTunnel),
            .node_protocol = "portforward.k8s.io",
            .translator = translate_tunnel()};
  }
  if (!head.headers.has_token(kField, kCommand)) return {};
  return {.client_protocol = std::string(kCommand),
          .node_protocol = "v4.channel.k8s.io",
          .translator = translate_command({.input = stream_flag(target, "stdin"),
                                           .output = stream_flag(target, "stdout"),
                                           .errors = stream_flag(target, "stderr"),
                                           .tty = stream_flag(target, "tty")})};
}

void request_spdy(http::ClientRequest& request, const StreamChoice& choice) {
  for (const std::string_view name : {"sec-websocket-key", "sec-websocket-version",
                                      "sec-websocket-protocol", "sec-websocket-extensions"}) {
    request.headers.remove(name);
  }
  request.method = "POST";
  request.origin.protocol = http::HttpProtocol::kHttp1;
  request.headers.set("upgrade", "SPDY/3.1");
  request.headers.set("x-stream-protocol-version", choice.node_protocol);
}

}  // namespace proa::apiserver
