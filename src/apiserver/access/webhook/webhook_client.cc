#include "apiserver/access/webhook/webhook_client.h"

#include "api/object/view.h"
#include "apiserver/request/failures.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace webhook_client {

constexpr size_t kMaxTokenBytes = 64 * 1024;
constexpr size_t kShownBytes = 2048;  // of a body in a message, as upstream
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

// The text of an answer that is no Status, as client-go's newUnstructuredResponseError shows it.
std::string text_of(const http::Response& response) {
  const std::string_view type = response.headers.get("content-type");
  if (!type.empty() && !type.starts_with("text/")) return "unknown";
  return valid_utf8(trim(response.body.view()), kShownBytes);
}

// Callers tell an answer with an error by its code; the reason is the same for all, since an
// answer that says "too many requests" is about the webhook, not about this server.
Status stated_failure(const http::Response& response) {
  constexpr size_t kMaxBytes = 64 * 1024;
  const int code = response.status;
  if (response.body.size() <= kMaxBytes) {
    const Result<json::Document> body = json::parse(response.body.view());
    const api::View status = body ? api::View(body->root()) : api::View();
    const std::string message(status["message"].text());
    const bool failed = status["kind"].text() == "Status" && status["status"].text() != "Success";
    if (failed && !message.empty()) return {Reason::kServiceUnavailable, code, message};
  }
  return {Reason::kServiceUnavailable, code, remote_failure(code, text_of(response)).message()};
}

}  // namespace webhook_client

bool may_block_here(http::LoopGroup& loops) {
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops.at(i).in_loop()) return false;
  }
  return true;
}

Status with_trust_hint(const Status& why, std::string_view authority_field) {
  const std::string& message = why.message();
  const bool untrusted = message.find("certificate refused") != std::string::npos &&
                         (message.ends_with("unable to get local issuer certificate") ||
                          message.ends_with("self-signed certificate") ||
                          message.ends_with("self-signed certificate in certificate chain"));
  if (!untrusted) return why;
  return {why.reason(), message + " (not signed by the " + std::string(authority_field) + ")"};
}

Result<std::unique_ptr<WebhookClient>> WebhookClient::make(const WebhookContext& context,
                                                           WebhookOptions options) {
  const http::Url url = TRY(http::parse_url(options.connection.server));
  http::ClientOptions http;
  http.body_limit = options.answer_limit;
  http.pool.dial = options.dial;
  http.pool.check_address = options.check_address;
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
  request.headers.add("user-agent", options_.user_agent);
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
    const Status why = options_.connection.authority_pem.empty()
                           ? outcome.status()
                           : with_trust_hint(outcome.status(), options_.authority_field);
    const std::string call = "Post \"" + origin_.str() + request.target + "\"";
    return why.is(Reason::kTimeout) ? Status(Reason::kTimeout, call + ": context deadline exceeded")
                                    : why.in(call);
  }
  const int code = outcome->status;
  const bool redirects = code >= 300 && code < 400;
  if (options_.repeats_status && !redirects) return webhook_client::stated_failure(*outcome);
  std::string message = "webhook " + name_ + " returned " + std::to_string(code) + " " +
                        std::string(http::status_text(code));
  if (redirects) message += ": redirects are not followed";
  return {Reason::kServiceUnavailable, std::move(message)};
}

WebhookClient::Call WebhookClient::begin(const Bytes& json, Duration timeout) {
  return {*this, Until::after(context_.clock, timeout, stop_.get_token()), request(json, timeout)};
}

WebhookClient::Call::Call(WebhookClient& client, Until until, Result<http::ClientRequest> request)
    : client_(client),
      begin_(client.context_.clock.steady()),
      end_(begin_),
      until_(std::move(until)),
      request_(std::move(request)) {
  if (request_) first_ = client_.http_.open(*request_);
}

WebhookAttempt WebhookClient::Call::attempt(const Result<http::Response>& outcome,
                                            Steady begin) const {
  using Is = WebhookAttempt::Is;
  const Duration took = end_ - begin;
  if (outcome.ok() && webhook_client::is_good(outcome->status)) return {Is::kAnswered, took};
  if (until_.stop.stop_requested()) return {Is::kCancelled, took};
  const bool late = outcome.ok() ? outcome->status == 504 : outcome.is(Reason::kTimeout);
  return {late ? Is::kTimedOut : Is::kFailed, took};
}

Result<Bytes> WebhookClient::Call::wait(std::vector<WebhookAttempt>* attempts) {
  if (!request_) {
    if (attempts != nullptr) attempts->push_back({WebhookAttempt::Is::kFailed, Duration(0)});
    return request_.status();
  }
  Steady begin = begin_;
  Clock& clock = client_.context_.clock;
  Result<http::Response> outcome = client_.http_.gather(*first_, until_);
  end_ = first_->over_at().value_or(clock.steady());
  for (int count = 1;; ++count) {
    if (attempts != nullptr) attempts->push_back(attempt(outcome, begin));
    if (outcome.ok() && webhook_client::is_good(outcome->status)) {
      if (outcome->body.empty() && !client_.options_.accepts_empty) {
        return webhook_client::empty_answer(*outcome);
      }
      return std::move(outcome->body);
    }
    const auto again =
        pause_before_retry(outcome, count, client_.context_.random, client_.options_.retries);
    if (!again || !client_.pause(*again, until_)) return client_.failure(*request_, outcome);
    begin = clock.steady();
    outcome = client_.http_.send(*request_, until_);
    end_ = clock.steady();
  }
}

}  // namespace proa::apiserver
