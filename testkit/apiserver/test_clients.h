#pragma once

#include <memory>
#include <string>

#include "api/schema/builtin.h"
#include "apiserver/server.h"
#include "base/files.h"
#include "client/remote/remote_client.h"
#include "crypto/authority.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/running_api.h"

// Clients of a server with nothing in it, for tests.

namespace proa::apiserver {

class TestClient {
 public:
  virtual ~TestClient() = default;
  virtual client::Client& client() = 0;
  virtual store::Store& store() = 0;
};

class LocalTestClient final : public TestClient {
 public:
  LocalTestClient() {
    crypto::CertificateTemplate wanted;
    wanted.common_name = "test-authority";
    wanted.not_before = clock_.now();
    wanted.not_after = clock_.now() + std::chrono::hours(24);
    api_ = ApiServer::start(*store_, clock_, random_,
                            {.access = testkit::access_for(crypto::make_authority(wanted).value()),
                             .version_document = "{}",
                             .advertise_address = "192.0.2.1"})
               .value();
    client_ = api_->client({.name = "system:test", .uid = {}, .groups = {"system:masters"}});
  }

  client::Client& client() override { return *client_; }
  store::Store& store() override { return *store_; }
  // Of somebody with fewer rights.
  std::unique_ptr<client::Client> client_as(User user) { return api_->client(std::move(user)); }
  testkit::FakeClock& clock() { return clock_; }
  Random& random() { return random_; }

 private:
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  std::unique_ptr<ApiServer> api_;
  std::unique_ptr<client::Client> client_;
};

class RemoteTestClient final : public TestClient {
 public:
  RemoteTestClient() {
    client::RemoteOptions options;
    options.connection.server = "https://127.0.0.1:" + std::to_string(api_.port());
    options.connection.authority_pem = api_.authority().certificate_pem;
    options.connection.certificate = api_.client_certificate("system:test", "system:masters");
    client_ = client::RemoteClient::make(loops_, clock_, files_, options).value();
  }

  client::Client& client() override { return *client_; }
  store::Store& store() override { return api_.store(); }

 private:
  testkit::RunningApi api_;
  SystemClock clock_;
  SystemFiles files_;
  http::LoopGroup loops_{1};
  std::unique_ptr<client::RemoteClient> client_;
};

inline const api::Resource* find_resource(std::string_view group, std::string_view name) {
  return api::builtin_schema().find_resource(group, "v1", name);
}

}  // namespace proa::apiserver
