#pragma once

#include <functional>
#include <string>

#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/threads/pool.h"
#include "client/client.h"
#include "client/events/recorder.h"
#include "client/informer/runner.h"
#include "controllers/framework/informers.h"

namespace proa::controllers {

// What the flags say to controllers.
struct ControllerOptions {
  std::string root_authority_pem = {};  // what pods are given to trust the API server by
  // Who signs certificates, and with what; empty: nobody does.
  std::string signing_certificate_pem = {};
  std::string signing_key_pem = {};
  std::string cluster_cidr = {};  // of pods; nodes get parts of it. Empty: they get none
  int node_cidr_mask_size = 24;
  std::string service_cidr = "10.96.0.0/16";
  Duration node_monitor_grace_period = std::chrono::seconds(50);
  Duration terminated_pod_gc_interval = std::chrono::seconds(20);
  int terminated_pod_gc_threshold = 12500;
  // Signs the claims of a token with the key of service accounts. Null: nobody does, and Secrets
  // that are to hold such tokens stay empty.
  std::function<Result<std::string>(const json::Value& claims)> sign_token = {};
};

// What a controller is made with. Everything outlives it.
struct ControllerContext {
  client::Client& client;         // under the controller's own identity
  Informers& informers;           // shared; not started yet
  client::EventRecorder& events;  // as the controller
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  WorkerPool& pool;  // for writes that go out together
  const ControllerOptions& options;
};

// Makes one thing of the world match what was written about it: reconcile(key), blocking, again and
// again, from any state. Made anew when this process becomes the leader, so nothing it knows is
// older than that. Adding one: a unit, and a line in controllers/controllers.cc.
class Controller : public client::Reconciler {
 public:
  // Says which changes are its business: adds handlers to informers, which put keys into `queue`.
  // Called once, before anything is started. REQUIRES: the queue outlives the informers' handlers.
  virtual void listen(client::WorkQueue& queue) = 0;
  // Keys that are worked on at once.
  virtual size_t workers() const { return 5; }
  // Called when all caches are full, before the first reconcile.
  virtual void caches_filled() {}
};

}  // namespace proa::controllers
