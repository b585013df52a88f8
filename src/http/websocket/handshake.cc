#include "http/websocket/handshake.h"

#include <algorithm>

#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/digest.h"

namespace proa::http {
namespace handshake {

constexpr std::string_view kProtocols = "sec-websocket-protocol";

// Proves that the server supports WebSocket and does not just echo fields.
std::string answer_to(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  return to_base64(crypto::sha1(text).view());
}

}  // namespace handshake

bool wants_websocket(const RequestHead& request) {
  return request.headers.has_token("connection", "upgrade") &&
         request.headers.has_token("upgrade", "websocket");
}

Result<WebSocketAgreement> accept_websocket(const RequestHead& request,
                                            std::span<const std::string_view> supported) {
  if (request.method != "GET" || !wants_websocket(request)) {
    return Status(Reason::kBadRequest, "not a WebSocket handshake");
  }
  if (request.headers.get("sec-websocket-version") != "13") {
    return Status(Reason::kBadRequest, "only WebSocket version 13 is supported");
  }
  const std::string_view key = trim(request.headers.get("sec-websocket-key"));
  const auto decoded = from_base64(key);
  if (!decoded || decoded->size() != 16)
    return Status(Reason::kBadRequest, "malformed Sec-WebSocket-Key");

  WebSocketAgreement agreement;
  bool asked = false;
  for (const std::string_view field : request.headers.all(handshake::kProtocols)) {
    for (const std::string_view offered : split(field, ',')) {
      asked = true;
      const std::string_view name = trim(offered);
      if (agreement.protocol.empty() && std::ranges::find(supported, name) != supported.end()) {
        agreement.protocol = name;
      }
    }
  }
  if (asked && agreement.protocol.empty()) {
    return Status(Reason::kBadRequest, "none of the offered WebSocket subprotocols is supported");
  }
  agreement.headers = {{"upgrade", "websocket"},
                       {"connection", "Upgrade"},
                       {"sec-websocket-accept", handshake::answer_to(key)}};
  if (!agreement.protocol.empty()) agreement.headers.add(handshake::kProtocols, agreement.protocol);
  return agreement;
}

std::string ask_for_websocket(RequestHead& request, std::span<const std::string_view> protocols,
                              Random& random) {
  std::array<unsigned char, 16> bytes;
  random.fill(bytes);
  std::string key = to_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  request.method = "GET";
  request.headers.set("upgrade", "websocket");
  request.headers.set("connection", "Upgrade");
  request.headers.set("sec-websocket-version", "13");
  request.headers.set("sec-websocket-key", key);
  for (const std::string_view protocol : protocols)
    request.headers.add(handshake::kProtocols, protocol);
  return key;
}

Result<std::string> check_websocket_answer(const ResponseHead& response, std::string_view key) {
  if (response.status != 101 || !response.headers.has_token("upgrade", "websocket")) {
    return Status(Reason::kServiceUnavailable,
                  "the server refused WebSocket with status " + std::to_string(response.status));
  }
  if (response.headers.get("sec-websocket-accept") != handshake::answer_to(key)) {
    return Status(Reason::kServiceUnavailable, "the server's WebSocket accept key does not match");
  }
  return std::string(response.headers.get(handshake::kProtocols));
}

}  // namespace proa::http
