#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/access.h"
#include "apiserver/front/audit/options.h"
#include "apiserver/front/http/in_flight.h"
#include "apiserver/front/paths/extra_path.h"
#include "apiserver/front/tracing/tracer.h"
#include "apiserver/objects/object_size.h"
#include "apiserver/request/health_checks.h"
#include "apiserver/request/request.h"
#include "apiserver/streaming/connections.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/threads/pool.h"
#include "client/client.h"
#include "crypto/certificate.h"
#include "http/net/loop.h"
#include "http/server/exchange.h"
#include "store/store.h"

namespace proa::apiserver {

struct ApiServerOptions {
  AccessOptions access;
  const WebhookContext* webhooks = nullptr;  // for webhooks and kubelets; null: disabled
  // Those that call the handler; null: none do. What the server still has to do there is done when
  // it is destroyed, not on one of them.
  http::LoopGroup* loops = nullptr;
  std::string version_document;   // the JSON of /version
  std::string advertise_address;  // the IP address at which pods reach this server
  int advertise_port = 6443;
  std::string service_cidr = "10.96.0.0/16";
  std::string node_port_range = "30000-32767";
  std::string root_authority_pem;  // the CA bundle that pods use to verify this server
  // The private key (PEM) that signs service account tokens. Empty: service account tokens are
  // disabled.
  std::string service_account_key_pem;
  KubeletAccess kubelets = {};
  // Shown to aggregated API servers, which then believe whom this server acts for.
  crypto::CertifiedKey proxy_client = {};
  InFlightLimits in_flight = {};
  // Requests are limited and queued by FlowSchemas and PriorityLevelConfigurations, which divide
  // the sum of the in-flight limits; otherwise by these limits alone.
  bool fairness = true;
  size_t max_object_bytes = kDefaultMaxObjectBytes;
  std::optional<audit::Options> audit = std::nullopt;  // nullopt: requests are not audited
  // Nullopt: requests are not traced. REQUIRES: `webhooks`, whose loops it uses.
  std::optional<tracing::Options> tracing = std::nullopt;
  bool profiling = true;  // whether /debug/pprof/ is served
  // The values of all flags, as /flagz shows them.
  std::map<std::string, std::string, std::less<>> flags = {};
};

// The API server over a store. Its handler may be called from any loop. Destroy it after the HTTP
// server that calls it, and before the store.
class ApiServer {
 public:
  // Creates the bootstrap objects: namespaces, the kubernetes Service, roles.
  static Result<std::unique_ptr<ApiServer>> start(store::Store& store, Clock& clock, Random& random,
                                                  const ApiServerOptions& options);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  http::Handler& handler();
  // An in-process client; it and its watches must be destroyed before the server.
  std::unique_ptr<client::Client> client(User user);
  // REQUIRES: the handler has not been called yet; dependencies of `path` outlive the server.
  void add_path(ExtraPath path);
  // Metrics of another component, in Prometheus' format: `text` does not block. REQUIRES: as for
  // add_path().
  void add_metrics(std::function<std::string()> text);
  // Health checks of other components; see HealthChecks.
  HealthChecks& health();
  // For new connections to kubelets.
  Result<void> set_kubelet_client(const crypto::CertifiedKey& pair);
  // The same for aggregated API servers.
  Result<void> set_proxy_client(const crypto::CertifiedKey& pair);
  // Whether the server of an APIService answers; the message is for its status. Not on a loop's
  // thread.
  Result<void> probe_api_service(std::string_view name);
  // A request of a component to the server of an APIService: the body of its success. kNotFound,
  // too, if no other server answers for it. Not on a loop's thread.
  struct ExtensionCall {
    std::string api_service;
    std::string method;
    std::string path;  // and query
    User user;
  };
  Result<std::string> call_extension(const ExtensionCall& call);
  // True from the end of startup to the beginning of shutdown.
  void set_ready(bool ready);

 private:
  struct Parts;
  explicit ApiServer(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace proa::apiserver
