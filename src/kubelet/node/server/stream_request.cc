#include "kubelet/node/server/stream_request.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "crypto/certificate.h"
#include "http/websocket/handshake.h"

namespace proa::kubelet {
namespace stream_request {

// Those that containerd 1.6 knows.
constexpr std::array<std::string_view, 4> kSubprotocols{
    "v4.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io", "base64.channel.k8s.io"};

constexpr std::array<std::string_view, 6> kToRuntime{"upgrade",
                                                     "x-stream-protocol-version",
                                                     "sec-websocket-key",
                                                     "sec-websocket-version",
                                                     "sec-websocket-protocol",
                                                     "sec-websocket-extensions"};
// Of what a client sent, only what the protocol needs.
http::Headers needed(const http::Headers& from) {
  http::Headers picked;
  for (const auto& [name, value] : from) {
    const bool wanted = std::find(kToRuntime.begin(), kToRuntime.end(), name) != kToRuntime.end();
    if (wanted) picked.add(name, value);
  }
  return picked;
}

bool is_on(const http::Target& target, std::string_view name) {
  const std::string* value = target.find(name);
  return value != nullptr && *value == "1";
}

// By its number only: a name could lead anywhere.
bool is_loopback(const std::string& host) {
  return host == "::1" || (host.starts_with("127.") && crypto::is_ip_address(host));
}

Result<int32_t> read_port(std::string_view text) {
  const std::optional<int64_t> number = parse_int(text);
  if (!number || *number > 65535) {
    return Status(Reason::kBadRequest, "unable to parse \"" + std::string(text) + "\" as a port");
  }
  if (*number < 1) {
    return Status(Reason::kBadRequest, "port \"" + std::string(text) + "\" must be > 0");
  }
  return static_cast<int32_t>(*number);
}

}  // namespace stream_request

Result<cri::StreamChoices> read_stream_choices(const http::Target& target) {
  cri::StreamChoices choices{.tty = stream_request::is_on(target, "tty"),
                             .input = stream_request::is_on(target, "input"),
                             .output = stream_request::is_on(target, "output"),
                             .errors = stream_request::is_on(target, "error")};
  // A terminal has one stream for both.
  if (choices.tty) choices.errors = false;
  if (!choices.input && !choices.output && !choices.errors) {
    return Status(Reason::kBadRequest, "you must specify at least 1 of stdin, stdout, stderr");
  }
  return choices;
}

Result<std::vector<int32_t>> read_ports(const http::Target& target,
                                        const http::RequestHead& request) {
  std::vector<int32_t> ports;
  if (!http::wants_websocket(request)) return ports;
  for (const auto& [name, value] : target.query) {
    if (name != "port") continue;
    for (const std::string_view text : split(value, ',')) {
      const int32_t port = TRY(stream_request::read_port(text));
      ports.push_back(port);
    }
  }
  if (ports.empty()) {
    return Status(Reason::kBadRequest, "query parameter \"port\" is required");
  }
  return ports;
}

Result<void> check_protocol(const http::RequestHead& request) {
  const std::string_view wanted = request.headers.get("upgrade");
  if (!request.headers.has_token("connection", "upgrade") || wanted.empty()) {
    return Status(Reason::kBadRequest, "Upgrade request required");
  }
  if (equals_ignoring_case(wanted, "SPDY/3.1")) return {};
  if (!http::wants_websocket(request)) {
    return Status(Reason::kBadRequest, "unable to upgrade: unknown protocol");
  }
  const http::Headers& headers = request.headers;
  if (!headers.has("sec-websocket-protocol")) return {};
  for (const std::string_view known : stream_request::kSubprotocols) {
    if (headers.has_token("sec-websocket-protocol", known)) return {};
  }
  return Status(Reason::kBadRequest,
                "unable to upgrade: requested subprotocol is not supported; supported: " +
                    join(stream_request::kSubprotocols, ", "));
}

Result<http::ClientRequest> runtime_request(std::string_view url,
                                            const http::RequestHead& request) {
  const http::Url parsed = TRY(http::parse_url(url));
  if (parsed.has_tls() || !stream_request::is_loopback(parsed.host)) {
    return Status(Reason::kInternalError, "runtime returned a streaming URL of another host");
  }
  http::ClientRequest made;
  made.origin = http::Origin::of(parsed);
  made.origin.protocol = http::HttpProtocol::kHttp1;
  made.method = request.method;
  made.target = parsed.target;
  made.headers = stream_request::needed(request.headers);
  made.headers.set("connection", "Upgrade");
  return made;
}

}  // namespace proa::kubelet
