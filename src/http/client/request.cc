#include "http/client/request.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace proa::http {
namespace request {

// Hop-by-hop fields and those that we derive ourselves: a second value would let the peer choose
// which one to believe.
constexpr std::array<std::string_view, 6> kOurs = {
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection"};

bool is_ours(std::string_view name) {
  return std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end();
}

bool is_clean(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool is_target(std::string_view text) {
  return !text.empty() && (text.front() == '/' || text == "*") &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; });
}

// Nothing that could be read as more than a host and a port.
bool is_host(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == '/' || c == '@';
  });
}

// Methods with an expected body state its length even if it is empty.
bool expects_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

}  // namespace request

Origin Origin::of(const Url& url) {
  return {
      .tls = url.has_tls(), .host = url.host, .port = url.port, .unix_path = {}, .server_name = {}};
}

Origin Origin::unix_socket(std::string path) {
  return {.tls = false, .host = {}, .port = 0, .unix_path = std::move(path), .server_name = {}};
}

std::string Origin::authority() const {
  if (!unix_path.empty()) return "localhost";
  std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (tls ? 443 : 80)) text += ":" + std::to_string(port);
  return text;
}

std::string Origin::str() const {
  return unix_path.empty() ? scheme() + "://" + authority() : "unix:" + unix_path;
}

std::optional<uint64_t> ClientRequest::declared_size() const {
  return streams_body ? parse_uint(headers.get("content-length")) : std::nullopt;
}

RequestHead ClientRequest::head(Version version) const {
  RequestHead head{.method = method,
                   .target = target,
                   .authority = host.empty() ? origin.authority() : host,
                   .scheme = origin.scheme(),
                   .version = version,
                   .headers = {}};
  for (const auto& [name, value] : headers) {
    if (!request::is_ours(name)) head.headers.add(name, value);
  }
  if (const auto size = declared_size()) {
    head.headers.add("content-length", std::to_string(*size));
  } else if (streams_body) {
    if (version != Version::kHttp2) head.headers.add("transfer-encoding", "chunked");
  } else if (!body.empty() || request::expects_body(method)) {
    head.headers.add("content-length", std::to_string(body.size()));
  }
  return head;
}

Result<void> check_request(const ClientRequest& request) {
  if (!is_token(request.method)) return Status(Reason::kBadRequest, "malformed request method");
  if (!request::is_target(request.target))
    return Status(Reason::kBadRequest, "malformed request target");
  if (!request::is_clean(request.origin.host)) return Status(Reason::kBadRequest, "malformed host");
  if (!request::is_host(request.host)) return Status(Reason::kBadRequest, "malformed Host field");
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name) || !request::is_clean(value)) {
      return Status(Reason::kBadRequest, "malformed header field");
    }
  }
  return {};
}

}  // namespace proa::http
