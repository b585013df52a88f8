#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/access/authn/jwt/configuration.h"
#include "apiserver/access/authn/jwt/json_web_keys.h"
#include "base/threads/mutex.h"
#include "testkit/apiserver/test_https_server.h"
#include "testkit/crypto/test_key.h"

namespace proa::apiserver {

// A token issuer over TLS, with a discovery document and keys; the test may replace its pages.
class TestIssuer {
 public:
  static constexpr const char* kDiscovery = "/.well-known/openid-configuration";
  static constexpr const char* kKeys = "/keys";

  explicit TestIssuer(const std::vector<crypto::TestKey>& keys)
      : server_([this](const http::ExchangePtr& exchange) { handle(exchange); }) {
    set_json(kDiscovery, discovery(url(), url() + kKeys));
    set_keys(keys);
  }

  // The issuer and its address.
  std::string url() const { return server_.url(); }

  static std::string discovery(const std::string& issuer, const std::string& keys) {
    return R"({"issuer":")" + issuer + R"(","jwks_uri":")" + keys + R"("})";
  }
  void set_keys(const std::vector<crypto::TestKey>& keys) {
    std::vector<std::string> written;
    for (const crypto::TestKey& key : keys) written.push_back(key.public_json());
    set_json(kKeys, crypto::key_set(written));
  }
  void set_json(const std::string& path, const std::string& text) {
    set_page(path, http::Response{200, {{"content-type", "application/json"}}, Bytes(text), {}});
  }
  // Nullopt: requests for it never get a response.
  void set_page(const std::string& path, std::optional<http::Response> page) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    pages_[path] = std::move(page);
  }
  // The number of requests for it.
  int count(const std::string& path) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = counts_.find(path);
    return found == counts_.end() ? 0 : found->second;
  }

  // Server settings for it: user names in "sub", groups in "groups".
  JwtIssuer settings() const {
    JwtIssuer issuer{.url = url(),
                     .discovery_url = "",
                     .certificate_authority = TestCertificates::get().authority.certificate_pem,
                     .audiences = {"my-client"},
                     .required_claims = {},
                     .username = {.claim = "sub"},
                     .groups = {.claim = "groups"}};
    for (const std::string_view name : crypto::algorithm_names())
      issuer.algorithms.emplace_back(name);
    return issuer;
  }

 private:
  void handle(const http::ExchangePtr& exchange) EXCLUDES(mutex_) {
    const std::string path = exchange->request().target;
    std::optional<http::Response> page = http::Response{404, {}, {}, {}};
    {
      MutexLock lock(mutex_);
      ++counts_[path];
      if (const auto found = pages_.find(path); found != pages_.end()) page = found->second;
      if (!page) held_.push_back(exchange);
    }
    if (page) exchange->respond(*page);
  }

  mutable Mutex mutex_;
  std::map<std::string, std::optional<http::Response>> pages_ GUARDED_BY(mutex_);
  std::map<std::string, int> counts_ GUARDED_BY(mutex_);
  std::vector<http::ExchangePtr> held_ GUARDED_BY(mutex_);
  TestHttpsServer server_;
};

}  // namespace proa::apiserver
