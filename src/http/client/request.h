#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::http {

// Responses with a 1xx before the one that counts.
constexpr int kMostInformational = 16;

enum class HttpProtocol : uint8_t {
  kAny,    // HTTP/2 if negotiated by TLS, else HTTP/1.1
  kHttp1,  // HTTP/1.1 only: upgrades
  kHttp2,  // HTTP/2 only, on plain connections with prior knowledge: gRPC
};

// The server to connect to, and how. Calls to the same origin share connections.
struct Origin {
  bool tls = false;
  std::string host;  // a name or an IP address
  int port = 0;
  std::string unix_path;    // not empty: a unix socket; host and port are ignored
  std::string server_name;  // name to verify in the certificate; empty: the host
  HttpProtocol protocol = HttpProtocol::kAny;
  std::string peer = {};  // who a PeerCheck expects there; the check defines the text
  // Not empty: it is not connected to straight, but by the Dial of the connector, which defines the
  // text.
  std::string via = {};

  static Origin of(const Url& url);
  static Origin unix_socket(std::string path);

  // For the Host field: "example.com:8080", without the scheme's default port; "localhost" for unix
  // sockets.
  std::string authority() const;
  std::string scheme() const { return tls ? "https" : "http"; }
  // For messages: "https://example.com:8080", "unix:/run/x.sock".
  std::string str() const;

  auto operator<=>(const Origin&) const = default;
};

struct ClientRequest {
  Origin origin;
  std::string method = "GET";
  std::string target = "/";
  // Without Host, body framing and hop-by-hop fields, which are filled in. Only the Content-Length
  // of a streamed body is used, as its exact size; without it the body is sent in chunks.
  Headers headers;
  Bytes body;
  // More of the body follows by ClientCall::write, until finish_writing.
  bool streams_body = false;
  std::string host = {};  // value of the Host field; empty: the origin

  // Whether it can be repeated without side effects.
  bool is_safe() const { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }
  // The declared size of a streamed body.
  std::optional<uint64_t> declared_size() const;
  // The head as sent, with Host, Content-Length and so on.
  RequestHead head(Version version) const;
};

// Rejects line breaks, which would inject another header field.
Result<void> check_request(const ClientRequest& request);

}  // namespace proa::http
