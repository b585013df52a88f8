#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/threads/pool.h"
#include "client/bounded_client.h"
#include "client/events/recorder.h"
#include "client/informer/runner.h"
#include "controllers/framework/informers.h"

namespace proa::controllers {

// Options of controllers, from flags.
struct ControllerOptions {
  std::string root_authority_pem = {};  // CA certificate published to pods
  // The CA that signs certificates; empty: none is signed.
  std::string signing_certificate_pem = {};
  std::string signing_key_pem = {};
  std::vector<std::string> server_names = {};  // of the API server: no node gets them certified
  std::string cluster_cidr = {};  // CIDR of pods, split among nodes. Empty: nodes get none
  int node_cidr_mask_size = 24;
  std::string service_cidr = "10.96.0.0/16";
  bool dns = true;  // nodes answer DNS themselves
  // Addresses of load balancers: CIDRs, or "nodes" for the nodes' own.
  std::string load_balancer_pool = "nodes";
  Duration node_monitor_grace_period = std::chrono::seconds(50);
  Duration terminated_pod_gc_interval = std::chrono::seconds(20);
  int terminated_pod_gc_threshold = 12500;
  // Signs the claims of a service account token. Null: token Secrets stay empty.
  std::function<Result<std::string>(const json::Value& claims)> sign_token = {};
  // Asks the server of that APIService for its group version; the error is for people. Blocks for
  // some seconds. Null: nobody is asked, and Services that are ready count as available.
  std::function<Result<void>(std::string_view name)> probe_api_service = {};
  // A request of the namespace controller to the server of an APIService, which the client does not
  // reach: the body of its success. kNotFound also if no other server answers for it. Null: there
  // are none.
  struct ExtensionCall {
    std::string api_service;
    std::string method;
    std::string path;  // and query
  };
  using CallExtension = std::function<Result<std::string>(const ExtensionCall& call)>;
  CallExtension call_extension = {};
};

// What a controller is created with. Everything outlives it.
struct ControllerContext {
  client::BoundedClient client;   // with the controller's service account
  Informers& informers;           // shared; not yet started
  client::EventRecorder& events;  // with the controller as source
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  WorkerPool& pool;  // for concurrent writes
  const ControllerOptions& options;
};

// A controller: reconcile(key) brings the state of one key to the desired state. It blocks, and is
// correct from any state. Created when this process becomes leader, so it has no older state. To
// add one: a unit and a line in controllers/controllers.cc.
class Controller : public client::Reconciler {
 public:
  // Adds informer handlers that put keys into `queue`. Called once, before anything starts.
  // REQUIRES: the queue outlives the handlers.
  virtual void listen(client::WorkQueue& queue) = 0;
  // Number of concurrent reconciles.
  virtual size_t workers() const { return 5; }
  // Called when all caches are synced, before the first reconcile.
  virtual void caches_filled() {}
};

}  // namespace proa::controllers
