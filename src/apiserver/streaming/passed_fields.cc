#include "apiserver/streaming/passed_fields.h"

#include "base/strings.h"
#include "http/forward/forward.h"

namespace proa::apiserver {
namespace fields_to_pass {

using http::Headers;

constexpr std::string_view kTokenProtocol = "base64url.bearer.authorization.k8s.io.";

// Credentials and identity headers of this server.
bool is_credential(std::string_view name) {
  return name == "authorization" || name.starts_with("impersonate-") || name == "x-remote-user" ||
         name == "x-remote-group" || name == "x-remote-uid" || name.starts_with("x-remote-extra-");
}

// The WebSocket subprotocols without the bearer token.
std::string without_token(std::string_view protocols) {
  std::string kept;
  for (const std::string_view part : split(protocols, ',')) {
    const std::string_view protocol = trim(part);
    if (protocol.empty() || protocol.starts_with(kTokenProtocol)) continue;
    if (!kept.empty()) kept += ", ";
    kept += protocol;
  }
  return kept;
}

Headers without_credentials(const Headers& headers) {
  Headers kept;
  for (const auto& [name, value] : headers) {
    if (is_credential(name)) continue;
    if (name != "sec-websocket-protocol" || value.find(kTokenProtocol) == std::string::npos) {
      kept.add(name, value);
    } else if (const std::string protocols = without_token(value); !protocols.empty()) {
      kept.add(name, protocols);
    }
  }
  return kept;
}

}  // namespace fields_to_pass

http::Headers passed_fields(const http::RequestHead& head, const http::Peer& peer,
                            const http::Target& target, const Destination& destination) {
  if (destination.connection == Connection::kLog) return {};
  http::Headers headers = fields_to_pass::without_credentials(http::end_to_end(head.headers));
  if (!peer.address.empty()) {
    std::string sources;
    for (const std::string_view before : headers.all("x-forwarded-for")) {
      sources.append(before).append(", ");
    }
    headers.set("x-forwarded-for", sources + peer.address);
  }
  if (destination.connection == Connection::kProxy) {
    headers.set("x-forwarded-uri", target.raw_path);
  }
  return headers;
}

void keep_from_caches(http::ResponseHead& head) {
  constexpr int kSwitched = 101;
  if (head.status == kSwitched) return;
  http::Headers headers = {{"cache-control", "no-cache, private"}};
  for (const auto& [name, value] : head.headers) headers.add(name, value);
  head.headers = std::move(headers);
}

}  // namespace proa::apiserver
