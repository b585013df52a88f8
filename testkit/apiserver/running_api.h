#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/server.h"
#include "base/random.h"
#include "crypto/certificate.h"
#include "http/client/client.h"
#include "http/net/loop.h"
#include "http/server/server.h"
#include "store/store.h"
#include "testkit/case_random.h"
#include "testkit/fake_clock.h"

namespace proa::testkit {

// The default server options, for clients with certificates of that CA, without plugins that depend
// on controllers.
apiserver::AccessOptions access_for(const crypto::CertifiedKey& authority);

// An API server over an in-memory store, on a free port, with TLS, and an administrator's client.
// The clock stands still and randomness is seeded, so responses are deterministic.
class RunningApi {
 public:
  struct Options {
    apiserver::InFlightLimits in_flight = {};
    bool fairness = true;
    http::ServerLimits http = {};
    Random* random = nullptr;  // the server's; null: see random()
    const apiserver::WebhookContext* webhooks = nullptr;
    std::optional<apiserver::WebhookTokensOptions> token_webhook = std::nullopt;  // as `tracing`
    std::optional<apiserver::audit::Options> audit = std::nullopt;
    std::optional<apiserver::tracing::Options> tracing = std::nullopt;  // needs `webhooks`
    bool profiling = true;
  };

  RunningApi();
  explicit RunningApi(const Options& options);
  // Over the test's own store, which outlives it.
  explicit RunningApi(store::Store& store);
  ~RunningApi();

  struct Answer {
    int code = 0;
    http::Headers headers;
    std::string body;
  };
  // `headers` are added to those of a plain JSON client. CHECKs that there is a response.
  Answer ask(std::string_view method, std::string_view target, std::string_view body = {},
             const http::Headers& headers = {});
  // For watches.
  std::unique_ptr<http::BlockingCall> open(std::string_view target,
                                           const http::Headers& headers = {});

  store::Store& store() { return *store_; }
  apiserver::ApiServer& api() { return *api_; }
  FakeClock& clock() { return clock_; }
  // The server's randomness.
  CaseRandom& random() { return random_; }
  int port() const { return port_; }
  http::Server& server() { return *server_; }
  // The CA that clients trust and that signs client certificates.
  const crypto::CertifiedKey& authority() const { return authority_; }
  // The key that signs tokens, as PEM.
  const std::string& token_key() const { return token_key_; }
  crypto::CertifiedKey client_certificate(const std::string& user, const std::string& group) const;
  // By a binding of the group's name to cluster-admin.
  void allow_everything_to(const std::string& group);

 private:
  void start(const Options& options);
  http::ClientRequest request(std::string_view method, std::string_view target,
                              std::string_view body, const http::Headers& headers) const;

  FakeClock clock_;
  SystemClock real_clock_;  // of the client, whose deadlines are real
  CaseRandom random_;
  std::unique_ptr<store::Store> own_store_;
  store::Store* store_;
  crypto::CertifiedKey authority_;
  std::string token_key_;
  http::LoopGroup loops_{1};
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<http::TlsSource> tls_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Client> client_;
  int port_ = 0;
};

}  // namespace proa::testkit
