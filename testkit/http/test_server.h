#pragma once

#include <functional>
#include <string>

#include "crypto/certificate.h"
#include "http/net/loop.h"
#include "http/net/tls.h"
#include "http/server/server.h"

namespace proa::testkit {

// An address of this machine that is not a loopback one; 127.0.0.1 if there is none.
std::string own_address();

// A test CA, and certificates for 127.0.0.1, localhost and own_address(); created once per process.
const crypto::CertifiedKey& test_authority();
const crypto::CertifiedKey& test_server_key();
const crypto::CertifiedKey& test_client_key();  // CN "tester", O "testers"

// A function as handler.
class FunctionHandler final : public http::Handler {
 public:
  explicit FunctionHandler(std::function<void(http::ExchangePtr)> handle)
      : handle_(std::move(handle)) {}
  void handle(http::ExchangePtr exchange) override { handle_(std::move(exchange)); }

 private:
  std::function<void(http::ExchangePtr)> handle_;
};

// A server on a free port of 127.0.0.1, with TLS or plain, on its own loops.
class TestServer {
 public:
  explicit TestServer(std::function<void(http::ExchangePtr)> handle, bool tls = true,
                      http::ServerLimits limits = {}, size_t loops = 2);

  int port() const { return endpoint_.port; }
  // Listens there too; returns the port.
  int listen_at(const std::string& address);
  const http::Endpoint& endpoint() const { return endpoint_; }
  http::Server& server() { return *server_; }
  http::LoopGroup& loops() { return loops_; }
  // Waits until `count` connections are open; false on timeout.
  bool wait_for_connections(size_t count);
  http::TlsSource& tls() { return tls_; }

 private:
  http::LoopGroup loops_;
  FunctionHandler handler_;
  http::TlsSource tls_;
  std::unique_ptr<http::Server> server_;
  http::Endpoint endpoint_;
};

// Echoes the body back, or answers "hello" to a GET.
void echo(http::ExchangePtr exchange);

}  // namespace proa::testkit
