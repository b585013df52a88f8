#include "kubelet/pod/handlers/http/http_get.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "http/wire/http1_parser.h"
#include "kubelet/pod/handlers/http/connection.h"
#include "kubelet/pod/handlers/http/http_location.h"

namespace proa::kubelet {
namespace http_getting {

constexpr size_t kMaxBody = 10 * 1024;
constexpr size_t kMaxRedirects = 10;
constexpr std::string_view kVersion = "1.36";
constexpr std::string_view kNotTls = "server gave HTTP response to HTTPS client";

class AnswerReader final : public http::Http1Parser::Events {
 public:
  void on_response(http::ResponseHead head) override { head_ = std::move(head); }
  void on_body(std::string_view bytes) override {
    body_.append(bytes.substr(0, kMaxBody - std::min(kMaxBody, body_.size())));
  }
  void on_message_end(http::Headers) override {}

  bool has_head() const { return head_.status != 0; }
  bool is_interim() const { return head_.status >= 100 && head_.status < 200; }
  bool is_full() const { return body_.size() >= kMaxBody; }
  void forget_interim() { head_ = {0, {}}; }
  const http::ResponseHead& head() const { return head_; }
  std::string take_body() { return std::move(body_); }

 private:
  http::ResponseHead head_{0, {}};
  std::string body_;
};

// Made once: reading settings of OpenSSL for each probe would cost more than the probe.
Result<std::shared_ptr<const http::TlsContext>> trusting_tls() {
  static const auto made = [] {
    http::TlsOptions options;
    options.insecure_skip_verify = true;
    options.http2 = false;
    return http::TlsContext::client(options);
  }();
  return made;
}

bool is_address(std::string_view host) {
  return host.find(':') != std::string_view::npos ||
         std::all_of(host.begin(), host.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
}

std::string print(const HttpGet& request) {
  http::RequestHead head;
  head.method = "GET";
  head.target = request.target;
  head.authority =
      request.host_field.empty() ? join_host_port(request.host, request.port) : request.host_field;
  head.version = http::Version::kHttp11;
  head.headers = request.headers;
  head.headers.set("connection", "close");
  return http::print_request_head(head);
}

// What can't be written without becoming another field or another request.
Result<void> check(const HttpGet& request) {
  const auto is_clean = [](std::string_view text) {
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
  };
  for (const auto& [name, value] : request.headers) {
    if (!http::is_token(name)) {
      return Status(Reason::kBadRequest,
                    "net/http: invalid header field name " + api::quoted(name));
    }
    if (!is_clean(value)) {
      return Status(Reason::kBadRequest,
                    "net/http: invalid header field value for " + api::quoted(name));
    }
  }
  if (!is_clean(request.host_field) || request.host_field.find(' ') != std::string::npos) {
    return Status(Reason::kBadRequest, "http: invalid Host header");
  }
  return {};
}

struct Exchange {
  http::ResponseHead head = {};
  std::string body = {};
};

Result<Exchange> read_answer(Connection& connection, const Until& until) {
  AnswerReader reader;
  http::Http1Parser parser(http::Http1Parser::Kind::kResponses, {}, reader);
  std::string unread;
  while (!reader.is_full()) {
    const auto bytes = connection.read(until);
    if (!bytes.ok()) return bytes.status();
    if (bytes->empty()) {
      if (!reader.has_head()) return Status(Reason::kServiceUnavailable, "EOF");
      TRY(parser.feed_end());
      break;
    }
    unread.append(*bytes);
    while (true) {
      const size_t taken = TRY(parser.feed(unread));
      unread.erase(0, taken);
      if (!parser.message_done() || !reader.is_interim()) break;
      reader.forget_interim();
      parser.next_message();
    }
    if (parser.message_done()) break;
  }
  return Exchange{reader.head(), reader.take_body()};
}

Result<Exchange> exchange(const HttpGet& request, const Clock& clock, const Until& until) {
  TRY(check(request));
  const auto connection = TRY(Connection::dial(clock, request.host, request.port, until));
  if (request.tls) {
    const auto context = TRY(trusting_tls());
    const auto started = connection->start_tls(
        context, is_address(request.host) ? std::string_view() : std::string_view(request.host),
        until);
    if (!started.ok()) {
      const bool is_plain =
          started.status().message().find("wrong version number") != std::string::npos;
      if (is_plain) return Status(Reason::kServiceUnavailable, "http: " + std::string(kNotTls));
      return started.status();
    }
  }
  TRY(connection->write(print(request), until));
  return read_answer(*connection, until);
}

bool is_redirect(int status) {
  constexpr std::array kCodes = {301, 302, 303, 307, 308};
  return std::find(kCodes.begin(), kCodes.end(), status) != kCodes.end();
}

Status failed(const HttpGet& request, const Status& why) {
  const std::string words =
      why.is(Reason::kTimeout)
          ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
          : why.message();
  return Status(why.reason(), "Get " + api::quoted(request.url()) + ": " + words);
}

}  // namespace http_getting

std::string HttpGet::url() const {
  return (tls ? "https://" : "http://") + join_host_port(host, port) + target;
}

bool is_plain_answer_to_tls(const Status& failure) {
  return failure.message().find(http_getting::kNotTls) != std::string::npos;
}

Result<int> resolve_port(api::View port, api::View container) {
  int64_t number = port.integer(-1);
  if (port.is(json::Kind::kString)) {
    const std::string_view name = port.text();
    const auto as_number = parse_int(name);
    number = as_number.value_or(-1);
    bool is_known = as_number.has_value();
    for (const api::View declared : container["ports"].items()) {
      if (declared["name"].text() != name) continue;
      number = declared["containerPort"].integer();
      is_known = true;
      break;
    }
    if (!is_known) {
      return Status(Reason::kBadRequest,
                    "strconv.Atoi: parsing " + api::quoted(name) + ": invalid syntax");
    }
  }
  if (number > 0 && number < 65536) return static_cast<int>(number);
  return Status(Reason::kBadRequest, "invalid port number: " + std::to_string(number));
}

Result<HttpGet> make_http_get(api::View action, api::View container, std::string_view pod_address,
                              std::string_view purpose) {
  HttpGet request;
  request.tls = equals_ignoring_case(action["scheme"].text(), "https");
  request.host = action["host"].text();
  if (request.host.empty()) request.host = pod_address;
  request.port = TRY(resolve_port(action["port"], container));
  request.target = target_of_path(action["path"].text());
  for (const api::View field : action["httpHeaders"].items()) {
    const std::string name = to_lower(field["name"].text());
    if (name == "host") {
      if (request.host_field.empty()) request.host_field = field["value"].text();
    } else {
      request.headers.add(name, field["value"].text());
    }
  }
  if (!request.headers.has("user-agent")) {
    request.headers.add("user-agent",
                        "kube-" + std::string(purpose) + "/" + std::string(http_getting::kVersion));
  }
  if (!request.headers.has("accept")) {
    request.headers.add("accept", "*/*");
  } else if (request.headers.get("accept").empty()) {
    request.headers.remove("accept");
  }
  return request;
}

Result<HttpAnswer> http_get(const HttpGet& request, const Clock& clock, const Until& until) {
  HttpGet next = request;
  for (size_t followed = 0;; ++followed) {
    auto answer = http_getting::exchange(next, clock, until);
    if (!answer.ok()) return http_getting::failed(next, answer.status());
    HttpAnswer found{answer->head.status, std::move(answer->body)};
    const std::string_view location = answer->head.headers.get("location");
    if (!http_getting::is_redirect(found.status) || location.empty()) return found;
    auto place = resolve_location(next, location);
    if (!place.ok()) return http_getting::failed(next, place.status());
    if (place->host != to_lower(request.host)) return found;
    // Go keeps a Host field of ours only where the location names no host.
    next.host_field = is_absolute_location(location) ? std::string() : next.host_field;
    next.tls = place->tls;
    next.port = place->port;
    next.target = place->target;
    if (followed + 1 >= http_getting::kMaxRedirects) {
      return http_getting::failed(
          next, Status(Reason::kServiceUnavailable, "stopped after 10 redirects"));
    }
  }
}

}  // namespace proa::kubelet
