#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/access/webhook/webhook_client.h"
#include "base/threads/mutex.h"
#include "testkit/apiserver/test_https_server.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {

// A webhook with scripted responses; records requests.
class TestWebhook {
 public:
  struct Asked {
    http::RequestHead head;
    std::string body;
    bool showed_certificate = false;
  };
  // Nullopt: it never responds.
  using Answer = std::function<std::optional<http::Response>(const Asked&)>;

  explicit TestWebhook(Answer answer)
      : answer_(std::move(answer)),
        server_([this](const http::ExchangePtr& exchange) { handle(exchange); }) {}

  // The connection in its kubeconfig.
  client::Connection connection(const std::string& path = "/hook") const {
    client::Connection connection;
    connection.server = server_.url() + path;
    connection.authority_pem = TestCertificates::get().authority.certificate_pem;
    return connection;
  }

  int listen_at(const std::string& address) { return server_.listen_at(address); }

  std::vector<Asked> asked() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return asked_;
  }
  // The number of requests.
  size_t count() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return asked_.size();
  }
  void set_answer(Answer answer) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    answer_ = std::move(answer);
  }

  // Responds to those that had no response so far.
  void answer_held(const http::Response& response) EXCLUDES(mutex_) {
    std::vector<http::ExchangePtr> held;
    {
      MutexLock lock(mutex_);
      held.swap(held_);
    }
    for (const http::ExchangePtr& exchange : held) exchange->respond(response);
  }

  static http::Response json(const std::string& text, int code = 200) {
    return {code, {{"content-type", "application/json"}}, Bytes(text), {}};
  }

 private:
  void handle(const http::ExchangePtr& exchange) {
    exchange->read_body([this, exchange](const Result<Bytes>& body) {
      if (!body.ok()) return;
      const Asked asked{.head = exchange->request(),
                        .body = body->str(),
                        .showed_certificate = !exchange->peer().certificates.chain_der.empty()};
      std::optional<http::Response> response;
      {
        MutexLock lock(mutex_);
        asked_.push_back(asked);
        response = answer_(asked);
        if (!response) held_.push_back(exchange);
      }
      if (response) exchange->respond(std::move(*response));
    });
  }

  mutable Mutex mutex_;
  Answer answer_ GUARDED_BY(mutex_);
  std::vector<Asked> asked_ GUARDED_BY(mutex_);
  std::vector<http::ExchangePtr> held_ GUARDED_BY(mutex_);
  TestHttpsServer server_;
};

// The dependencies of webhook clients: a clock that stands still, and separate loops.
struct WebhookEnvironment {
  http::LoopGroup loops{1};
  testkit::FakeClock clock;
  SystemFiles files;
  SeededRandom random{1};
  WebhookContext context{loops, clock, files, random};
};

}  // namespace proa::apiserver
