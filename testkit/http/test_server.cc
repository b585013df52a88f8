#include "testkit/http/test_server.h"

#include <ifaddrs.h>
#include <netinet/in.h>

#include "base/check.h"
#include "base/clock.h"
#include "crypto/authority.h"
#include "http/net/endpoint.h"
#include "testkit/http/inbox.h"

namespace proa::testkit {
namespace test_server {

crypto::CertificateTemplate valid_now(std::string name) {
  const Time now = SystemClock().now();
  crypto::CertificateTemplate wanted;
  wanted.common_name = std::move(name);
  wanted.not_before = now - std::chrono::hours(1);
  wanted.not_after = now + std::chrono::hours(24);
  return wanted;
}

crypto::CertifiedKey issue(crypto::CertificateTemplate wanted) {
  auto made = crypto::issue_certificate(test_authority(), wanted);
  CHECK(made.ok());
  return *made;
}

}  // namespace test_server

std::string own_address() {
  ifaddrs* all = nullptr;
  std::string found = "127.0.0.1";
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const std::string text = http::address_text(one->ifa_addr);
    if (text.starts_with("127.") || text.starts_with("169.254.")) continue;
    found = text;
    break;
  }
  freeifaddrs(all);
  return found;
}

const crypto::CertifiedKey& test_authority() {
  static const crypto::CertifiedKey authority = [] {
    auto made = crypto::make_authority(test_server::valid_now("test authority"));
    CHECK(made.ok());
    return *made;
  }();
  return authority;
}

const crypto::CertifiedKey& test_server_key() {
  static const crypto::CertifiedKey key = [] {
    auto wanted = test_server::valid_now("test server");
    wanted.dns_names = {"localhost"};
    wanted.ip_addresses = {"127.0.0.1", "127.0.0.2", "::1", own_address()};
    wanted.for_server = true;
    return test_server::issue(wanted);
  }();
  return key;
}

const crypto::CertifiedKey& test_client_key() {
  static const crypto::CertifiedKey key = [] {
    auto wanted = test_server::valid_now("tester");
    wanted.organizations = {"testers"};
    wanted.for_client = true;
    return test_server::issue(wanted);
  }();
  return key;
}

TestServer::TestServer(std::function<void(http::ExchangePtr)> handle, bool tls,
                       http::ServerLimits limits, size_t loops)
    : loops_(loops), handler_(std::move(handle)), tls_(nullptr) {
  if (tls) {
    http::TlsOptions options;
    options.certificate_pem = test_server_key().certificate_pem;
    options.private_key_pem = test_server_key().private_key_pem;
    options.request_client_certificate = true;
    auto context = http::TlsContext::server(options);
    CHECK(context.ok());
    tls_.set(*context);
  }
  server_ = std::make_unique<http::Server>(loops_, handler_, limits);
  auto endpoint = server_->listen({"127.0.0.1", 0, {}}, tls ? &tls_ : nullptr);
  CHECK(endpoint.ok());
  endpoint_ = *endpoint;
}

int TestServer::listen_at(const std::string& address) {
  auto endpoint = server_->listen({address, 0, {}}, tls_.get() == nullptr ? nullptr : &tls_);
  CHECK(endpoint.ok());
  return endpoint->port;
}

bool TestServer::wait_for_connections(size_t count) {
  const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
  while (server_->connections() != count) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    for (size_t i = 0; i < loops_.size(); ++i) loops_.at(i).run_and_wait([] {});
  }
  return true;
}

void echo(http::ExchangePtr exchange) {
  if (exchange->request().method == "GET" || exchange->request().method == "HEAD") {
    return exchange->respond(
        {200, {{"content-type", "text/plain"}}, Bytes::of_static("hello"), {}});
  }
  exchange->read_body([exchange](Result<Bytes> body) {
    if (!body.ok())
      return exchange->respond({body.status().code(), {}, Bytes(body.status().message()), {}});
    exchange->respond({200, {{"content-type", "application/octet-stream"}}, *body, {}});
  });
}

}  // namespace proa::testkit
