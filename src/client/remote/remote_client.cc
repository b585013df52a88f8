#include "client/remote/remote_client.h"

#include "base/strings.h"
#include "client/delete_options.h"
#include "client/remote/answers.h"
#include "client/remote/remote_watch.h"
#include "client/remote/request_target.h"
#include "client/status_json.h"
#include "crypto/certificate.h"
#include "json/print.h"

namespace proa::client {
namespace remote_client {

// Token files are rotated; upstream's clients reread them at this interval.
constexpr Duration kTokenAge = std::chrono::minutes(1);
constexpr size_t kMaxTokenBytes = 64 * 1024;
// Limit of an error response to a watch.
constexpr size_t kMaxFailureBytes = 1024 * 1024;
constexpr std::string_view kJson = "application/json";

bool asks_to_wait(int code) { return code == 429 || code == 503; }

std::string prefix_of(std::string target) {
  while (target.ends_with('/')) target.pop_back();
  return target;
}

http::Origin origin_of(const http::Url& server, const Connection& connection) {
  http::Origin origin = http::Origin::of(server);
  origin.server_name = connection.server_name;
  return origin;
}

}  // namespace remote_client

Result<std::unique_ptr<RemoteClient>> RemoteClient::make(http::LoopGroup& loops, Clock& clock,
                                                         Files& files, RemoteOptions options) {
  const http::Url server = TRY(http::parse_url(options.connection.server));
  http::ClientOptions http;
  // A list of all objects in a large cluster; pages are much smaller.
  http.body_limit = size_t{512} << 20;
  if (server.has_tls()) http.pool.tls = TRY(http::TlsContext::client(options.connection.tls()));
  return std::unique_ptr<RemoteClient>(
      new RemoteClient(loops, clock, files, std::move(options), server, http));
}

RemoteClient::RemoteClient(http::LoopGroup& loops, Clock& clock, Files& files,
                           RemoteOptions options, const http::Url& server,
                           const http::ClientOptions& http)
    : clock_(clock),
      files_(files),
      options_(std::move(options)),
      origin_(remote_client::origin_of(server, options_.connection)),
      path_prefix_(remote_client::prefix_of(server.target)),
      http_(loops, clock, http) {}

RemoteClient::~RemoteClient() { stop(); }

Result<void> RemoteClient::set_certificate(const crypto::CertifiedKey& certificate) {
  Connection connection = options_.connection;
  connection.certificate = certificate;
  http_.set_tls(TRY(http::TlsContext::client(connection.tls())));
  return {};
}

void RemoteClient::stop() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  stopped_.notify_all();
}

class RemoteClient::Limits {
 public:
  Limits(const RemoteClient& client, const Until& until)
      : until_(Until::after(client.clock_, client.options_.timeout, both_.get_token())),
        by_caller_(until.stop, Relay{both_}),
        by_client_(client.stop_.get_token(), Relay{both_}) {
    until_.deadline = std::min(until_.deadline, until.deadline);
  }

  const Until& until() const { return until_; }

 private:
  struct Relay {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };

  std::stop_source both_;
  Until until_;
  const std::stop_callback<Relay> by_caller_;
  const std::stop_callback<Relay> by_client_;
};

Result<std::string> RemoteClient::token() {
  const Connection& connection = options_.connection;
  if (connection.token_file.empty()) return connection.token;
  MutexLock lock(mutex_);
  const Steady now = clock_.steady();
  if (token_.empty() || now - token_read_ >= remote_client::kTokenAge) {
    const Result<std::string> text =
        files_.read_file(connection.token_file, remote_client::kMaxTokenBytes);
    if (text) {
      token_ = trim(*text);
      token_read_ = now;
    } else if (token_.empty() && connection.token.empty()) {
      return text.status();
    }
  }
  return token_.empty() ? connection.token : token_;
}

Result<http::ClientRequest> RemoteClient::request(std::string_view method, std::string target,
                                                  Body body) {
  const std::string token = TRY(this->token());
  http::ClientRequest request;
  request.origin = origin_;
  request.method = method;
  request.target = path_prefix_ + std::move(target);
  request.headers.add("accept", remote_client::kJson);
  request.headers.add("user-agent", options_.user_agent);
  if (!token.empty()) request.headers.add("authorization", "Bearer " + token);
  for (const auto& [name, value] : options_.connection.impersonation) {
    request.headers.add(name, value);
  }
  if (!body.text.empty()) request.headers.add("content-type", body.content_type);
  request.body = Bytes(std::move(body.text));
  return request;
}

bool RemoteClient::pause(int seconds, const Until& until) {
  const Steady wake = clock_.steady() + std::chrono::seconds(seconds);
  if (wake >= until.deadline) return false;
  MutexLock lock(mutex_);
  while (!until.stop.stop_requested() && clock_.steady() < wake) {
    clock_.wait_until(stopped_, mutex_, wake);
  }
  return !until.stop.stop_requested();
}

Result<Bytes> RemoteClient::send(std::string_view method, std::string target, Body body,
                                 const Until& caller) {
  const Limits limits(*this, caller);
  const Until& until = limits.until();
  const http::ClientRequest request =
      TRY(this->request(method, std::move(target), std::move(body)));
  while (true) {
    const http::Response response = TRY(http_.send(request, until));
    if (response.status >= 200 && response.status < 300) return response.body;
    const std::string_view retry = response.headers.get("retry-after");
    const int seconds = retry_after_seconds(retry);
    const bool again = remote_client::asks_to_wait(response.status) && seconds > 0;
    if (again && pause(seconds, until)) continue;
    return status_from_answer(response.status, response.body.view(), retry);
  }
}

Result<api::ObjectPtr> RemoteClient::send_for_object(std::string_view method, std::string target,
                                                     Body body, const Until& until) {
  const Bytes answer = TRY(send(method, std::move(target), std::move(body), until));
  return read_object(answer.view());
}

Result<http::Response> RemoteClient::get_path(std::string target, const Until& until) {
  const Limits limits(*this, until);
  const http::ClientRequest request = TRY(this->request("GET", std::move(target), {}));
  return http_.send(request, limits.until());
}

Result<api::ObjectPtr> RemoteClient::get(const Place& place, const Until& until) {
  return send_for_object("GET", object_path(place), {}, until);
}

Result<ObjectList> RemoteClient::list(const Place& place, const ListQuery& query,
                                      const Until& until) {
  RequestTarget target(collection_path(place));
  add_list_query(target, query);
  const Result<Bytes> body = send("GET", target.take(), {}, until);
  if (!body) return expired_if_gone(body.status());
  return read_list(body->view());
}

Result<std::unique_ptr<http::BlockingCall>> RemoteClient::open_watch(const std::string& target,
                                                                     const Until& caller) {
  const Limits limits(*this, caller);
  const Until& until = limits.until();
  while (true) {
    const http::ClientRequest request = TRY(this->request("GET", target, {}));
    std::unique_ptr<http::BlockingCall> call = http_.open(request);
    const http::ResponseHead head = TRY(call->head(until));
    if (head.status == 200) return call;
    std::string body;
    while (body.size() < remote_client::kMaxFailureBytes) {
      const Result<std::optional<Bytes>> part = call->read(until);
      if (!part || !*part) break;
      body.append((*part)->view());
    }
    const std::string_view retry = head.headers.get("retry-after");
    const int seconds = retry_after_seconds(retry);
    const bool again = remote_client::asks_to_wait(head.status) && seconds > 0;
    if (again && pause(seconds, until)) continue;
    return expired_if_gone(status_from_answer(head.status, body, retry));
  }
}

Result<std::unique_ptr<Watch>> RemoteClient::watch(const Place& place, const WatchQuery& query,
                                                   const Until& until) {
  RequestTarget target(collection_path(place));
  add_watch_query(target, place, query);
  std::unique_ptr<http::BlockingCall> call = TRY(open_watch(target.take(), until));
  return std::unique_ptr<Watch>(std::make_unique<RemoteWatch>(std::move(call)));
}

Result<api::ObjectPtr> RemoteClient::create(const Place& place, json::Document object,
                                            const WriteChoices& choices, const Until& until) {
  RequestTarget target(place.subresource.empty() ? collection_path(place) : object_path(place));
  add_write_choices(target, choices);
  return send_for_object("POST", target.take(), {remote_client::kJson, json::print(object.root())},
                         until);
}

Result<api::ObjectPtr> RemoteClient::update(const Place& place, json::Document object,
                                            const WriteChoices& choices, const Until& until) {
  RequestTarget target(object_path(place));
  add_write_choices(target, choices);
  return send_for_object("PUT", target.take(), {remote_client::kJson, json::print(object.root())},
                         until);
}

Result<api::ObjectPtr> RemoteClient::patch(const Place& place, api::PatchType type,
                                           json::Document patch, const WriteChoices& choices,
                                           const Until& until) {
  RequestTarget target(object_path(place));
  add_write_choices(target, choices);
  return send_for_object("PATCH", target.take(),
                         {api::content_type_of(type), json::print(patch.root())}, until);
}

Result<void> RemoteClient::remove(const Place& place, const RemoveChoices& choices,
                                  const Until& until) {
  TRY(send("DELETE", object_path(place), {remote_client::kJson, delete_options_json(choices)},
           until));
  return {};
}

Result<void> RemoteClient::remove_collection(const Place& place, const ListQuery& query,
                                             const RemoveChoices& choices, const Until& until) {
  RequestTarget target(collection_path(place));
  add_list_query(target, query);
  TRY(send("DELETE", target.take(), {remote_client::kJson, delete_options_json(choices)}, until));
  return {};
}

}  // namespace proa::client
