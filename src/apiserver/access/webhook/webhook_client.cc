#include "apiserver/access/webhook/webhook_client.h"

#include "api/object/view.h"
#include "base/strings.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace webhook_client {

constexpr size_t kMaxTokenBytes = 64 * 1024;
constexpr std::string_view kJson = "application/json";

http::Origin origin_of(const http::Url& url, const client::Connection& connection) {
  http::Origin origin = http::Origin::of(url);
  origin.server_name = connection.server_name;
  return origin;
}

// The URL's query is ignored, as in upstream's clients.
std::string path_of(const http::Url& url) { return url.target.substr(0, url.target.find('?')); }

bool is_good(int code) { return code >= 200 && code <= 206; }

// In the words of upstream's client.
Status empty_answer(const http::Response& response) {
  const std::string_view type = response.headers.get("content-type");
  return {Reason::kServiceUnavailable,
          "0-length response with status code: " + std::to_string(response.status) +
              " and content type: " + std::string(type.empty() ? kJson : type)};
}

}  // namespace webhook_client

bool may_block_here(http::LoopGroup& loops) {
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops.at(i).in_loop()) return false;
  }
  return true;
}

Result<std::unique_ptr<WebhookClient>> WebhookClient::make(const WebhookContext& context,
                                                           WebhookOptions options) {
  const http::Url url = TRY(http::parse_url(options.connection.server));
  http::ClientOptions http;
  http.body_limit = options.answer_limit;
  http.pool.dial = options.dial;
  if (url.has_tls()) http.pool.tls = TRY(http::TlsContext::client(options.connection.tls()));
  return std::unique_ptr<WebhookClient>(new WebhookClient(context, std::move(options), url, http));
}

WebhookClient::WebhookClient(const WebhookContext& context, WebhookOptions options,
                             const http::Url& url, const http::ClientOptions& http)
    : context_(context),
      options_(std::move(options)),
      origin_(webhook_client::origin_of(url, options_.connection)),
      path_(webhook_client::path_of(url)),
      name_(origin_.str() + path_),
      http_(context.loops, context.clock, http) {}

WebhookClient::~WebhookClient() { stop(); }

void WebhookClient::stop() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  stopped_.notify_all();
}

Result<http::ClientRequest> WebhookClient::request(const Bytes& json, Duration timeout) const {
  std::string token = options_.connection.token;
  if (!options_.connection.token_file.empty()) {
    // Read for each request: the token is rotated, and reading it is cheap compared to the call.
    const std::string text = TRY(
        context_.files.read_file(options_.connection.token_file, webhook_client::kMaxTokenBytes));
    token = trim(text);
  }
  http::ClientRequest request;
  request.origin = origin_;
  if (options_.find_origin != nullptr) {
    Result<http::Origin> found = options_.find_origin();
    if (!found) return found.status().in("calling webhook " + name_);
    request.origin = std::move(*found);
    request.origin.tls = origin_.tls;
    request.origin.server_name = origin_.server_name.empty() ? origin_.host : origin_.server_name;
    request.host = origin_.authority();
  }
  request.method = "POST";
  request.target = path_;
  // As upstream's clients send it, in full seconds.
  request.target += "?timeout=" + format_duration(std::chrono::ceil<std::chrono::seconds>(timeout));
  request.headers.add("accept", webhook_client::kJson);
  request.headers.add("content-type", webhook_client::kJson);
  request.headers.add("user-agent", "proa");
  if (!token.empty()) request.headers.add("authorization", "Bearer " + token);
  for (const auto& [name, value] : options_.connection.impersonation) {
    request.headers.add(name, value);
  }
  request.body = json;
  return request;
}

bool WebhookClient::pause(Duration how_long, const Until& until) {
  const Steady wake = context_.clock.steady() + how_long;
  if (wake >= until.deadline) return false;
  MutexLock lock(mutex_);
  while (!until.stop.stop_requested() && context_.clock.steady() < wake) {
    context_.clock.wait_until(stopped_, mutex_, wake);
  }
  return !until.stop.stop_requested();
}

Status WebhookClient::failure(const http::ClientRequest& request,
                              const Result<http::Response>& outcome) const {
  if (!outcome.ok()) {
    // As Go's clients say it: users and tests look for the timeout in the URL.
    const Status& why = outcome.status();
    const std::string call = "Post \"" + origin_.str() + request.target + "\"";
    return why.is(Reason::kTimeout) ? Status(Reason::kTimeout, call + ": context deadline exceeded")
                                    : why.in(call);
  }
  std::string stated = stated_failure(*outcome);
  if (!stated.empty()) return {Reason::kServiceUnavailable, std::move(stated)};
  const int code = outcome->status;
  std::string message = "webhook " + name_ + " returned " + std::to_string(code) + " " +
                        std::string(http::status_text(code));
  if (code >= 300 && code < 400) message += ": redirects are not followed";
  return {Reason::kServiceUnavailable, std::move(message)};
}

std::string WebhookClient::stated_failure(const http::Response& response) const {
  constexpr size_t kMaxBytes = 64 * 1024;
  if (!options_.repeats_status || response.body.size() > kMaxBytes) return {};
  const Result<json::Document> body = json::parse(response.body.view());
  if (!body) return {};
  const api::View status(body->root());
  const bool failed = status["kind"].text() == "Status" && status["status"].text() != "Success";
  return failed ? std::string(status["message"].text()) : std::string();
}

WebhookClient::Call WebhookClient::begin(const Bytes& json, Duration timeout) {
  return {*this, Until::after(context_.clock, timeout, stop_.get_token()), request(json, timeout)};
}

WebhookClient::Call::Call(WebhookClient& client, Until until, Result<http::ClientRequest> request)
    : client_(client), until_(std::move(until)), request_(std::move(request)) {
  if (request_) first_ = client_.http_.open(*request_);
}

Result<Bytes> WebhookClient::Call::wait() {
  if (!request_) return request_.status();
  Result<http::Response> outcome = client_.http_.gather(*first_, until_);
  for (int attempts = 1;; ++attempts) {
    if (outcome.ok() && webhook_client::is_good(outcome->status)) {
      if (outcome->body.empty()) return webhook_client::empty_answer(*outcome);
      return std::move(outcome->body);
    }
    const auto again =
        pause_before_retry(outcome, attempts, client_.context_.random, client_.options_.retries);
    if (!again || !client_.pause(*again, until_)) return client_.failure(*request_, outcome);
    outcome = client_.http_.send(*request_, until_);
  }
}

}  // namespace proa::apiserver
