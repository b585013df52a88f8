#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "crypto/authority.h"
#include "http/net/loop.h"
#include "http/net/tls.h"
#include "http/server/server.h"

// HTTPS servers that the API server calls in tests.

namespace proa::apiserver {

// Their CA, and a client certificate; created once per process.
struct TestCertificates {
  crypto::CertifiedKey authority;
  crypto::CertifiedKey server;  // for 127.0.0.1 and the Service hook.default
  crypto::CertifiedKey client;

  static const TestCertificates& get() {
    static const TestCertificates made = make();
    return made;
  }

 private:
  static TestCertificates make() {
    const Time now = SystemClock().now();
    crypto::CertificateTemplate wanted;
    wanted.common_name = "test-authority";
    wanted.not_before = now - std::chrono::hours(1);
    wanted.not_after = now + std::chrono::hours(24);
    TestCertificates made;
    made.authority = crypto::make_authority(wanted).value();
    wanted.common_name = "test-client";
    wanted.for_client = true;
    made.client = crypto::issue_certificate(made.authority, wanted).value();
    wanted.common_name = "test-server";
    wanted.for_client = false;
    wanted.for_server = true;
    wanted.ip_addresses = {"127.0.0.1"};
    wanted.dns_names = {"hook.default.svc"};
    made.server = crypto::issue_certificate(made.authority, wanted).value();
    return made;
  }
};

// On a free port of 127.0.0.1.
class TestHttpsServer final : public http::Handler {
 public:
  explicit TestHttpsServer(std::function<void(http::ExchangePtr)> handle)
      : handle_(std::move(handle)),
        tls_(http::TlsContext::server(
                 {.certificate_pem = TestCertificates::get().server.certificate_pem,
                  .private_key_pem = TestCertificates::get().server.private_key_pem,
                  .request_client_certificate = true})
                 .value()) {
    server_ = std::make_unique<http::Server>(loops_, *this);
    port_ = server_->listen({.address = "127.0.0.1", .port = 0}, &tls_).value().port;
  }

  void handle(http::ExchangePtr exchange) override { handle_(std::move(exchange)); }
  // Listens there too; returns the port.
  int listen_at(const std::string& address) {
    return server_->listen({.address = address, .port = 0}, &tls_).value().port;
  }
  // "https://127.0.0.1:12345"
  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }

 private:
  const std::function<void(http::ExchangePtr)> handle_;
  http::TlsSource tls_;
  http::LoopGroup loops_{1};
  std::unique_ptr<http::Server> server_;
  int port_ = 0;
};

}  // namespace proa::apiserver
