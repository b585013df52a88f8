#pragma once

#include <chrono>
#include <memory>

#include "http/forward/forward.h"
#include "http/server/server.h"
#include "testkit/http/inbox.h"
#include "testkit/http/test_server.h"

namespace proa::testkit {

// A server that passes everything on.
class ForwardingServer {
 public:
  explicit ForwardingServer(http::Origin backend, http::ForwardOptions options = {},
                            http::ServerLimits limits = {})
      : backend_(std::move(backend)), options_(std::move(options)) {
    options_.failed = [held = token_](const Status& why) {
      return http::Response{why.code(), {{"x-failed", "yes"}}, Bytes(why.message()), {}};
    };
    options_.answered = [this, held = token_](int status) { answered.put(status); };
    server_ = std::make_unique<http::Server>(loops_, handler_, limits);
    port_ = server_->listen({"127.0.0.1", 0, {}}, nullptr)->port;
  }

  int port() const { return port_; }
  http::Loop& loop() { return loops_.at(0); }
  size_t connections() { return client_.connections(); }
  // Whether nothing is left of the requests that were passed on.
  bool forgot_all() {
    const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
    // Ours, and those of the options that each request gets copies of.
    while (token_.use_count() > 3) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      loop().run_and_wait([] {});
    }
    return true;
  }

  Inbox<int> answered;

 private:
  void handle(const http::ExchangePtr& exchange) {
    const http::RequestHead& head = exchange->request();
    http::ClientRequest request{
        .origin = backend_, .target = head.target, .headers = http::end_to_end(head.headers)};
    request.host = head.authority;
    if (http::wants_upgrade(head)) {
      http::forward_upgrade(exchange, client_, std::move(request), options_);
    } else {
      http::forward(exchange, client_, std::move(request), options_);
    }
  }

  const http::Origin backend_;
  std::shared_ptr<int> token_ = std::make_shared<int>(0);
  http::ForwardOptions options_;
  SystemClock clock_;
  http::LoopGroup loops_{1};
  http::Client client_{loops_, clock_, {}};
  FunctionHandler handler_{[this](const http::ExchangePtr& exchange) { handle(exchange); }};
  std::unique_ptr<http::Server> server_;
  int port_ = 0;
};

}  // namespace proa::testkit
