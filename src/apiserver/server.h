#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/access.h"
#include "apiserver/front/paths/extra_path.h"
#include "apiserver/request/request.h"
#include "apiserver/streaming/connections.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/threads/pool.h"
#include "client/client.h"
#include "http/server/exchange.h"
#include "store/store.h"

namespace proa::apiserver {

struct ApiServerOptions {
  AccessOptions access;
  const WebhookContext* others = nullptr;  // how other servers are asked; null: not at all
  std::string version_document;            // what /version says, as JSON
  std::string advertise_address;           // where pods find this server: an IP address
  int advertise_port = 6443;
  std::string service_cidr = "10.96.0.0/16";
  std::string node_port_range = "30000-32767";
  std::string root_authority_pem;  // whom pods trust when they talk to this server
  // What tokens of service accounts are signed with: a private key, as PEM. Empty: there are none.
  std::string service_account_key_pem;
  KubeletAccess kubelets = {};
};

// The API over a store: everything between HTTP and the keys. Its handler may be called from any
// loop; it goes before the store does, and after the server that calls it.
class ApiServer {
 public:
  // Puts into the store what every cluster has: namespaces, the kubernetes Service, roles.
  static Result<std::unique_ptr<ApiServer>> start(store::Store& store, Clock& clock, Random& random,
                                                  const ApiServerOptions& options);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  http::Handler& handler();
  // For the components in this process; goes before the server does, and so do its watches.
  std::unique_ptr<client::Client> client(User user);
  // REQUIRES: the handler is not called yet. What it needs outlives the server.
  void add_path(ExtraPath path);
  // From the end of the start to the begin of the stop.
  void set_ready(bool ready);

 private:
  struct Parts;
  explicit ApiServer(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace proa::apiserver
