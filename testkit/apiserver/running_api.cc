#include "testkit/apiserver/running_api.h"

#include "apiserver/access/tokens/keys.h"
#include "base/check.h"
#include "crypto/authority.h"
#include "http/client/blocking_call.h"
#include "store/memory/memory_store.h"

namespace proa::testkit {
namespace running_api {

constexpr Duration kDay = std::chrono::hours(24);

crypto::CertificateTemplate valid_from(Time now) {
  crypto::CertificateTemplate wanted;
  wanted.not_before = now - kDay;
  wanted.not_after = now + 3650 * kDay;
  return wanted;
}

}  // namespace running_api

RunningApi::RunningApi() : RunningApi(Options()) {}

RunningApi::RunningApi(const Options& options)
    : own_store_(store::make_memory_store(clock_)), store_(own_store_.get()) {
  start(options);
}

RunningApi::RunningApi(store::Store& store) : store_(&store) { start({}); }

RunningApi::~RunningApi() {
  client_.reset();
  server_->drain();
  server_.reset();
  // What it still does ends on the loops.
  api_.reset();
}

crypto::CertifiedKey RunningApi::client_certificate(const std::string& user,
                                                    const std::string& group) const {
  crypto::CertificateTemplate wanted = running_api::valid_from(clock_.now());
  wanted.common_name = user;
  wanted.organizations = {group};
  wanted.for_client = true;
  return crypto::issue_certificate(authority_, wanted).value();
}

void RunningApi::allow_everything_to(const std::string& group) {
  const Answer bound =
      ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
          R"({"metadata":{"name":")" + group +
              R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",)"
              R"("name":"cluster-admin"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io",)"
              R"("kind":"Group","name":")" +
              group + R"("}]})");
  CHECK(bound.code == 201);
}

apiserver::AccessOptions access_for(const crypto::CertifiedKey& authority) {
  apiserver::AccessOptions access;
  access.authentication.client_authorities_pem = authority.certificate_pem;
  // No controller runs here that would remove the finalizers.
  access.plugins.disabled = {"StorageObjectInUseProtection"};
  return access;
}

void RunningApi::start(const Options& options) {
  crypto::CertificateTemplate wanted = running_api::valid_from(clock_.now());
  wanted.common_name = "test-authority";
  authority_ = crypto::make_authority(wanted).value();
  wanted.common_name = "test-server";
  wanted.for_server = true;
  wanted.ip_addresses = {"127.0.0.1"};
  const crypto::CertifiedKey serving = crypto::issue_certificate(authority_, wanted).value();
  token_key_ = apiserver::make_token_key().private_key;
  Random& random = options.random == nullptr ? random_ : *options.random;
  apiserver::AccessOptions access = access_for(authority_);
  access.token_webhook = options.token_webhook;
  api_ = apiserver::ApiServer::start(*store_, clock_, random,
                                     {.access = std::move(access),
                                      .webhooks = options.webhooks,
                                      .loops = &loops_,
                                      .version_document = "{}",
                                      .advertise_address = "192.0.2.1",
                                      .service_account_key_pem = token_key_,
                                      .in_flight = options.in_flight,
                                      .fairness = options.fairness,
                                      .audit = options.audit,
                                      .tracing = options.tracing,
                                      .profiling = options.profiling,
                                      .flags = {{"profiling", "true"}, {"v", ""}}})
             .value();
  tls_ = std::make_unique<http::TlsSource>(
      http::TlsContext::server({.certificate_pem = serving.certificate_pem,
                                .private_key_pem = serving.private_key_pem,
                                .request_client_certificate = true})
          .value());
  http::ServerLimits limits = options.http;
  limits.drain_timeout = std::chrono::seconds(1);
  server_ = std::make_unique<http::Server>(loops_, api_->handler(), limits);
  port_ = server_->listen({.address = "127.0.0.1", .port = 0}, tls_.get()).value().port;
  const crypto::CertifiedKey admin = client_certificate("admin", "system:masters");
  http::ClientOptions client;
  client.pool.tls = http::TlsContext::client({.certificate_pem = admin.certificate_pem,
                                              .private_key_pem = admin.private_key_pem,
                                              .roots_pem = authority_.certificate_pem})
                        .value();
  client_ = std::make_unique<http::Client>(loops_, real_clock_, client);
  api_->set_ready(true);
}

http::ClientRequest RunningApi::request(std::string_view method, std::string_view target,
                                        std::string_view body, const http::Headers& headers) const {
  http::ClientRequest request;
  request.origin = {.tls = true, .host = "127.0.0.1", .port = port_};
  request.method = method;
  request.target = target;
  request.body = Bytes::copy_of(body);
  if (!body.empty()) request.headers.add("content-type", "application/json");
  for (const auto& [name, value] : headers) request.headers.set(name, value);
  return request;
}

RunningApi::Answer RunningApi::ask(std::string_view method, std::string_view target,
                                   std::string_view body, const http::Headers& headers) {
  const Result<http::Response> response = client_->send(
      request(method, target, body, headers), Until::after(real_clock_, std::chrono::seconds(30)));
  CHECK(response.ok());
  return {response->status, response->headers, response->body.str()};
}

std::unique_ptr<http::BlockingCall> RunningApi::open(std::string_view target,
                                                     const http::Headers& headers) {
  return client_->open(request("GET", target, {}, headers));
}

}  // namespace proa::testkit
