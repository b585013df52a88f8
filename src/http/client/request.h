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

enum class HttpProtocol : uint8_t {
  kAny,    // HTTP/2 where TLS agrees on it, else HTTP/1.1
  kHttp1,  // HTTP/1.1 only: upgrades
  kHttp2,  // HTTP/2 only, on plain connections without asking first: gRPC
};

// Whom to talk to, and how. Connections are shared by calls to the same origin.
struct Origin {
  bool tls = false;
  std::string host;  // a name or an IP address
  int port = 0;
  std::string unix_path;    // not empty: a unix socket; host and port are left aside
  std::string server_name;  // whom the certificate must be for; empty: the host
  HttpProtocol protocol = HttpProtocol::kAny;

  static Origin of(const Url& url);
  static Origin unix_socket(std::string path);

  // For the Host field: "example.com:8080", without a port that the scheme implies; "localhost" for
  // unix sockets.
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
  // Without Host, what frames the body and what belongs to one connection: those are filled in.
  // Only Content-Length of a streamed body counts, as a promise of so many bytes; without it they
  // go in chunks.
  Headers headers;
  Bytes body;
  // More body comes with ClientCall::write, until finish_writing.
  bool streams_body = false;
  std::string host = {};  // what the Host field says; empty: the origin

  // Whether asking twice changes no more than asking once.
  bool is_safe() const { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }
  // How long a streamed body will be, where that was promised.
  std::optional<uint64_t> promised_size() const;
  // The head as it goes out, with Host, Content-Length and the like.
  RequestHead head(Version version) const;
};

// Whether the request can be written at all: no line breaks where they would begin another header
// field.
Result<void> check_request(const ClientRequest& request);

}  // namespace proa::http
