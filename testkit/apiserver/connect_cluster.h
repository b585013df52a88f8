#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/schema/builtin.h"
#include "apiserver/server.h"
#include "crypto/authority.h"
#include "json/parse.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/put_object.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/test_server.h"

// Shared by tests of connections through the API server to nodes and pods.
namespace proa::testkit::connect {

using namespace apiserver;
using http::Response;

constexpr std::string_view kPods = "/api/v1/namespaces/default/pods/";

// Valid on the fake clock's days and for ten years.
inline crypto::CertificateTemplate long_lived(const std::string& name) {
  const Time now = FakeClock().now();
  crypto::CertificateTemplate wanted;
  wanted.not_before = now - std::chrono::hours(24);
  wanted.not_after = now + std::chrono::hours(24 * 3650);
  wanted.common_name = name;
  return wanted;
}

inline crypto::CertifiedKey make_test_authority() {
  return crypto::make_authority(long_lived("test-authority")).value();
}

inline crypto::CertifiedKey issue_client(const crypto::CertifiedKey& authority,
                                         const std::string& user, const std::string& group) {
  crypto::CertificateTemplate wanted = long_lived(user);
  wanted.organizations = {group};
  wanted.for_client = true;
  return crypto::issue_certificate(authority, wanted).value();
}

struct ClusterOptions {
  KubeletAccess kubelets = {};
  AuthorizationOptions authorization = {};
  std::optional<crypto::CertifiedKey> authority = {};  // of clients; nullopt: a new one
  crypto::CertifiedKey proxy_client = {};              // shown to extension servers
};

// An API server that connects to nodes and pods.
class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {}) {
    authority_ = options.authority ? *options.authority : make_test_authority();
    crypto::CertificateTemplate wanted = long_lived("test-server");
    wanted.for_server = true;
    wanted.ip_addresses = {"127.0.0.1"};
    const crypto::CertifiedKey serving = crypto::issue_certificate(authority_, wanted).value();
    AccessOptions access = testkit::access_for(authority_);
    access.authorization = std::move(options.authorization);
    api_ = ApiServer::start(*store_, clock_, random_,
                            {.access = std::move(access),
                             .webhooks = &others_,
                             .version_document = "{}",
                             .advertise_address = "192.0.2.1",
                             .kubelets = std::move(options.kubelets),
                             .proxy_client = std::move(options.proxy_client)})
               .value();
    tls_.set(http::TlsContext::server({.certificate_pem = serving.certificate_pem,
                                       .private_key_pem = serving.private_key_pem,
                                       .request_client_certificate = true})
                 .value());
    server_ = std::make_unique<http::Server>(loops_, api_->handler());
    port_ = server_->listen({.address = "127.0.0.1", .port = 0}, &tls_).value().port;
    admin_ = certificate("admin", "system:masters");
  }

  ApiServer& api() { return *api_; }
  FakeClock& clock() { return clock_; }
  crypto::CertifiedKey certificate(const std::string& user, const std::string& group) const {
    return issue_client(authority_, user, group);
  }
  // Listens there too; returns the port.
  int listen_at(const std::string& address) {
    return server_->listen({.address = address, .port = 0}, &tls_).value().port;
  }
  void put(std::string_view resource, const std::string& json) {
    testkit::put_object(*store_, api::builtin_schema(), resource, json);
  }
  void put_node(const std::string& address, int port) {
    put("nodes",
        R"({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1"},
        "status": {"addresses": [{"type": "InternalIP",
        "address": ")" +
            address + R"("}], "daemonEndpoints": {"kubeletEndpoint": {"Port": )" +
            std::to_string(port) + "}}}}");
  }
  // Not at a loopback address, to which the API server does not connect.
  void put_node(TestServer& kubelet) {
    const std::string address = own_address();
    put_node(address, kubelet.listen_at(address));
  }
  void put_pod(const std::string& name, const std::string& node, const std::string& address = "") {
    put("pods", R"({"metadata": {"name": ")" + name + R"(", "namespace": "default"},
        "spec": {"nodeName": ")" +
                    node + R"(", "containers": [{"name": "main"}]},
        "status": {"podIPs": [{"ip": ")" +
                    address + R"("}]}})");
  }

  // A raw connection.
  std::unique_ptr<RawClient> connect(const crypto::CertifiedKey& as) const {
    return std::make_unique<RawClient>(port_, RawClient::Options{.tls = true, .client = &as});
  }
  std::unique_ptr<RawClient> connect() const { return connect(admin_); }
  Response ask(std::string_view method, const std::string& target,
               std::string_view fields_and_body = "\r\n") const {
    const auto client = connect();
    client->send(std::string(method) + " " + target + " HTTP/1.1\r\nHost: api:6443\r\n" +
                 std::string(fields_and_body));
    return client->receive_response(method == "HEAD");
  }

 private:
  testkit::FakeClock clock_;
  SystemFiles files_;
  SeededRandom random_{1};
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  http::LoopGroup loops_{1};
  const WebhookContext others_{loops_, clock_, files_, random_};
  crypto::CertifiedKey authority_;
  crypto::CertifiedKey admin_;
  http::TlsSource tls_{nullptr};
  std::unique_ptr<ApiServer> api_;
  std::unique_ptr<http::Server> server_;
  int port_ = 0;
};

inline KubeletAccess kubelet_access() {
  return {.certificate_pem = testkit::test_client_key().certificate_pem,
          .key_pem = testkit::test_client_key().private_key_pem,
          .authority_pem = testkit::test_authority().certificate_pem};
}

inline std::string message_of(const Response& response) {
  const auto status = json::parse(response.body.view());
  if (!status) return "no Status: " + response.body.str();
  return std::string(api::View(status->root())["message"].text());
}

inline std::string upgrade(std::string_view method, const std::string& target,
                           std::string_view more = "Upgrade: SPDY/3.1\r\n") {
  return std::string(method) + " " + target +
         " HTTP/1.1\r\nHost: api:6443\r\nConnection: Upgrade\r\n" + std::string(more) + "\r\n";
}

}  // namespace proa::testkit::connect
